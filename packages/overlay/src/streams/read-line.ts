import type { Uint8ArrayList } from 'uint8arraylist'

/**
 * Reads one line of at most `most` characters. An answer is a line because a late listener gets no
 * event for the end of a stream. Throws an Error if the stream ends before its line does.
 */
export async function readLine(stream: AsyncIterable<Uint8Array | Uint8ArrayList>, most: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of stream) {
    text += decoder.decode(piece.subarray(), { stream: true })
    if (text.endsWith('\n')) return text
    if (text.length > most) throw new Error(`more than ${most} characters`)
  }
  throw new Error('it ended before its answer did')
}
