/**
 * The process of a program that nobody here vouches for. Not to be imported: `startSandbox` starts it, bundled, and with nothing but descriptor 3.
 *
 * @module
 */
import { Socket } from 'node:net'
import { decode, encode } from 'it-length-prefixed'
import * as v from 'valibot'
import { fromBytes, toBytes } from '../schemas.ts'
import { loadConfined } from './compartment.ts'
import { hostProgram } from './host-program.ts'
import { MAX_FRAME_BYTES, type FromProgram, type ToProgram } from './messages.ts'
import { ProgramStack } from './program-stack.ts'

const socket = new Socket({ fd: 3, readable: true, writable: true })
socket.on('error', () => process.exit())

function post(messages: readonly FromProgram[]): void {
  socket.write(encode.single(toBytes(messages)).subarray())
}

let handle: ((messages: readonly ToProgram[]) => void) | undefined
let isLoaded = false
for await (const frame of decode(socket, { maxDataLength: MAX_FRAME_BYTES })) {
  const data = frame.subarray()
  if (isLoaded) handle?.(fromBytes(v.any(), data) as readonly ToProgram[])
  else {
    // The first frame is the program.
    const source = new TextDecoder().decode(data)
    handle = await hostProgram(() => loadConfined(source), post, new ProgramStack(', <anonymous>', () => source))
  }
  isLoaded = true
}
process.exit()
