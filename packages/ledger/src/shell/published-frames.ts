import type { Log, Snapshot } from '../core/log.ts'
import { MAX_PAGE, MAX_PART } from '../core/messages.ts'
import { encodeValue } from '../wire/codec.ts'
import type { Publication } from '../wire/frames.ts'

/** The place of a reader in the log of a voter. */
export interface Place {
  /** The first entry that it lacks. */
  next: number
  /** The snapshot that is being sent, and the number of its bytes that were sent. */
  snapshot: { readonly of: Snapshot; readonly offset: number } | undefined
}

/**
 * Returns the next frame for a reader that lacks some entry, and the place of the reader after that
 * frame.
 */
export function nextFrame(log: Log, { next, snapshot }: Place, commit: number): { readonly bytes: Uint8Array; readonly place: Place } {
  if (snapshot !== undefined || next <= log.snapshot.index) return nextPart(snapshot ?? { of: log.snapshot, offset: 0 }, next)
  const entries = log.slice(next, commit, MAX_PAGE)
  const contents = entries.map(({ term, kind, body }) => ({ term, kind, body }))
  const page: Publication = { type: 'page', first: next, entries: contents, hash: entries.at(-1)?.hash ?? '' }
  return { bytes: encodeValue(page), place: { next: next + entries.length, snapshot: undefined } }
}

/**
 * Returns the next part of a snapshot. It is sent to its end, though the voter may have a newer
 * one.
 */
function nextPart({ of, offset }: NonNullable<Place['snapshot']>, next: number): ReturnType<typeof nextFrame> {
  const { index, term, hash, configuration, state } = of
  const bytes = state.subarray(offset, offset + MAX_PART)
  const part: Publication = { type: 'snapshot', index, term, hash, configuration, offset, size: state.length, bytes }
  const isLast = offset + bytes.length >= state.length
  const place = isLast ? { next: index + 1, snapshot: undefined } : { next, snapshot: { of, offset: offset + bytes.length } }
  return { bytes: encodeValue(part), place }
}
