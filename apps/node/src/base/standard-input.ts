import { fstatSync } from 'node:fs'

/**
 * Returns whether the end of standard input is a request to stop. It is one for a pipe, a socket or
 * a file: there the starter of this node closed it. The end of a terminal or of /dev/null (a node
 * in the background, under a service manager) means nothing.
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
    // A read error is an end like any other.
  }
}
