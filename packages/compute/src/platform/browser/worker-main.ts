/**
 * The worker of a program in a page. It is a bundle, and the frame starts it.
 *
 * @module
 */
import * as v from 'valibot'
import { loadConfined } from '../../executors/compartment.ts'
import { batchesOf, type First } from '../../executors/frames.ts'
import { hostProgram } from '../../executors/host-program.ts'
import type { FromProgram, ToProgram } from '../../program/messages.ts'
import { fromBytes, toBytes } from '../../schemas.ts'
import { MAX_UNTAKEN } from './worker-window.ts'

/** The programs' errors have no map to the author's files here. Other members have one. */
const stacks = { of: (stack: string) => stack.split('\n', 1)[0] ?? '' }

addEventListener('message', ({ ports: [port] }: MessageEvent) => port && serve(port), { once: true })

function serve(port: MessagePort): void {
  let handle: ((messages: readonly ToProgram[]) => void) | undefined
  let isFirst = true
  let last = Promise.resolve()
  const queue: Uint8Array[] = []
  let untaken = 0
  const flush = (): void => {
    // The last message may be larger than the rest of the window.
    while (queue.length > 0 && untaken < MAX_UNTAKEN) {
      const bytes = queue.shift() as Uint8Array
      untaken += bytes.length
      port.postMessage(bytes)
    }
  }
  const post = (messages: readonly FromProgram[]): void => {
    for (const batch of batchesOf(messages)) queue.push(toBytes(batch))
    flush()
  }
  const take = async (data: Uint8Array): Promise<void> => {
    if (isFirst) {
      isFirst = false
      const { program, ...first } = fromBytes(v.any(), data) as First
      handle = await hostProgram(first, async () => await loadConfined(program), post, stacks)
    } else handle?.(fromBytes(v.any(), data) as readonly ToProgram[])
    port.postMessage(data.length)
  }
  port.onmessage = ({ data }: MessageEvent<Uint8Array | number>) => {
    if (typeof data !== 'number') last = last.then(async () => await take(data))
    else {
      untaken -= data
      flush()
    }
  }
}
