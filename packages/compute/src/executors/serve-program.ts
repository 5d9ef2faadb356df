import { Socket } from 'node:net'
import { decode } from 'it-length-prefixed'
import * as v from 'valibot'
import { fromBytes } from '../schemas.ts'
import { batchesOf, framed, MAX_FIRST_BYTES, type First } from './frames.ts'
import { hostProgram } from './host-program.ts'
import type { FromProgram, ToProgram } from '../program/messages.ts'
import type { ProgramStack } from './program-stack.ts'

interface Loadable {
  readonly load: () => Promise<Readonly<Record<string, unknown>>>
  readonly stacks: ProgramStack
}

/**
 * The main loop of a program's process. Over descriptor 3 the member sends the program and then the
 * tasks to run, and receives their outcomes. The process ends when the descriptor closes.
 */
export async function serveProgram(programOf: (program: string) => Loadable): Promise<never> {
  const socket = new Socket({ fd: 3, readable: true, writable: true })
  socket.on('error', () => process.exit())
  const post = (messages: readonly FromProgram[]): void => {
    for (const batch of batchesOf(messages)) socket.write(framed(batch))
  }
  let handle: ((messages: readonly ToProgram[]) => void) | undefined
  let isLoaded = false
  for await (const frame of decode(socket, { maxDataLength: MAX_FIRST_BYTES })) {
    const data = frame.subarray()
    if (isLoaded) handle?.(fromBytes(v.any(), data) as readonly ToProgram[])
    else {
      // The first frame names the program.
      const { program, ...first } = fromBytes(v.any(), data) as First
      const { load, stacks } = programOf(program)
      handle = await hostProgram(first, load, post, stacks)
    }
    isLoaded = true
  }
  return process.exit()
}
