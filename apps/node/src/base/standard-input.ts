import { fstatSync } from 'node:fs'

/**
 * Whether the end of standard input means that whoever started this node is done with it: so for a pipe, a socket or a file. A
 * terminal and /dev/null (a node in the background, under a service manager) say nothing by being at their end.
 */
export function inputEnds(): boolean {
  try {
    const status = fstatSync(0)
    return status.isFIFO() || status.isSocket() || status.isFile()
  } catch {
    return false
  }
}

/** Reads to the end, and takes nothing from it. */
export async function drain(input: NodeJS.ReadStream): Promise<void> {
  try {
    for await (const _ of input) continue
  } catch {
    // A read error is an end like any other.
  }
}
