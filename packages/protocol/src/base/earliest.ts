import type { Milliseconds } from './values.ts'

/** Returns the earliest of these times; Infinity if there are none. */
export function earliest<Entry>(entries: Iterable<Entry>, timeOf: (entry: Entry) => Milliseconds): Milliseconds {
  let first = Infinity
  for (const entry of entries) first = Math.min(first, timeOf(entry))
  return first
}
