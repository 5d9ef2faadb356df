import * as v from 'valibot'
import { configurationSchema } from '../core/configuration.ts'
import { bytes, count, hash, proposal, seat, term, MAX_SNAPSHOT } from '../core/messages.ts'
import type { StoreRecord } from '../core/store.ts'
import { LEDGER_ID } from '../wire/frames.ts'
import { decodeValue, encodeValue } from '../wire/codec.ts'

const snapshot = v.object({ index: count, term, hash, configuration: configurationSchema, state: bytes(MAX_SNAPSHOT) })

/** The records of a store, as its file stores them. */
const record = v.variant('type', [
  v.object({ type: v.literal('seat'), ledger: v.pipe(v.string(), v.regex(LEDGER_ID)), seat, snapshot }),
  v.pipe(
    v.object({ type: v.literal('vote'), term, votedFor: v.optional(seat) }),
    v.transform((vote) => ({ ...vote, votedFor: vote.votedFor })),
  ),
  v.object({ type: v.literal('entries'), first: count, entries: v.array(v.object({ ...proposal.entries, term, hash })) }),
  v.object({ type: v.literal('snapshot'), snapshot }),
])
const batch = v.array(record)

/** Encodes the records of one write. */
export function encodeRecords(records: readonly StoreRecord[]): Uint8Array {
  return encodeValue(records)
}

/** Returns undefined for bytes that are no records. */
export function decodeRecords(encoded: Uint8Array): readonly StoreRecord[] | undefined {
  return decodeValue(batch, encoded)
}
