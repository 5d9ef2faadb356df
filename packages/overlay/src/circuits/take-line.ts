import type { Stream } from '@libp2p/interface'
import { asError } from '../base/errors.ts'

/**
 * Reads one line of at most `most` characters, and leaves the bytes after it in the stream. Rejects
 * if the line is longer, or if the stream or the time ends before it.
 */
export async function takeLine(stream: Stream, most: number, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const decoder = new TextDecoder()
  let text = ''
  const take = ({ data }: { readonly data: Uint8Array | { subarray(): Uint8Array } }): void => {
    const bytes = data instanceof Uint8Array ? data : data.subarray()
    const end = bytes.indexOf(10)
    text += decoder.decode(end < 0 ? bytes : bytes.subarray(0, end), { stream: true })
    if (text.length > most) reject(new Error(`more than ${most} characters`))
    else if (end >= 0) {
      stream.removeEventListener('message', take)
      try {
        stream.unshift(bytes.subarray(end + 1))
        resolve(text)
      } catch (error) {
        // The stream has ended meanwhile. An error in a listener would end the process.
        reject(asError(error))
      }
    }
  }
  const fail = (): void => reject(new Error('it ended before its answer did'))
  const giveUp = (): void => reject(new Error('no answer in time'))
  stream.addEventListener('message', take)
  for (const event of ['close', 'remoteCloseWrite'] as const) stream.addEventListener(event, fail)
  signal.addEventListener('abort', giveUp)
  try {
    return await promise
  } finally {
    stream.removeEventListener('message', take)
    for (const event of ['close', 'remoteCloseWrite'] as const) stream.removeEventListener(event, fail)
    signal.removeEventListener('abort', giveUp)
  }
}
