import { fstatSync } from 'node:fs'
import { UsageError } from './usage-error.ts'

/**
 * Returns whether the end of standard input is a request to stop. The starter of a node closes a
 * pipe, a socket or a file to stop the node. If standard input is a terminal or /dev/null, its end
 * means nothing: the node runs in the background or under a service manager.
 */
export function inputEnds(): boolean {
  try {
    const status = fstatSync(0)
    return status.isFIFO() || status.isSocket() || status.isFile()
  } catch {
    return false
  }
}

/** Reads to the end, and discards the input. */
export async function drain(input: NodeJS.ReadStream): Promise<void> {
  try {
    for await (const _ of input) continue
  } catch {
    // A read error counts as the end of the input.
  }
}

/** Reads standard input to its end. Throws UsageError if it has more than `limit` bytes. */
export async function readInput(limit: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > limit) throw new UsageError(`standard input has more than ${limit} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
