/**
 * Maximum number of bytes of one command. A guess: the inputs of a sweep have at most 16 MiB, and
 * as JSON hardly more than four times that.
 */
export const COMMAND_LIMIT = 64 * 1024 * 1024

/** A line of input, or the problem of a skipped line. */
export type Line = { readonly text: string } | { readonly problem: 'too long' | 'not UTF-8' }

/**
 * Splits a stream of bytes into lines. Chunks may begin and end anywhere. LF and CRLF both end a
 * line; the last line needs neither. Never holds more than `limit` bytes.
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Line, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let parts: Uint8Array[] = []
  let length = 0

  const take = (): Line => {
    const bytes = Buffer.concat(parts)
    const tooLong = length > limit
    parts = []
    length = 0
    if (tooLong) return { problem: 'too long' }
    try {
      return { text: decoder.decode(bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes) }
    } catch {
      return { problem: 'not UTF-8' }
    }
  }
  const add = (part: Uint8Array): void => {
    length += part.length
    if (length <= limit) parts.push(part)
    else parts = []
  }

  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      add(chunk.subarray(start, end))
      yield take()
      start = end + 1
    }
    add(chunk.subarray(start))
  }
  if (length > 0) yield take()
}
