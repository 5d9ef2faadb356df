import { Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { OutputStream } from './messages.ts'

/**
 * Replaces the standard streams of this process. `take` receives all text that is written to them.
 * Writes to the descriptors themselves, such as those of child processes, are not included. They
 * stay as they were: the streams of Node would make the descriptors non-blocking.
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
