import { Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { OutputStream } from '../program/messages.ts'

/**
 * Replaces the standard streams of this process. `take` receives all text written to them. It does
 * not receive writes to the descriptors themselves, such as those of child processes. The
 * descriptors stay as they are: Node's streams would make them non-blocking.
 */
export function captureOutput(take: (stream: OutputStream, text: string) => void): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    const decoder = new StringDecoder()
    const replaced = new Writable({
      write(chunk: Buffer, _, done) {
        take(stream, decoder.write(chunk))
        done()
      },
    })
    Object.defineProperty(process, stream, { value: replaced, configurable: true, enumerable: true })
  }
}
