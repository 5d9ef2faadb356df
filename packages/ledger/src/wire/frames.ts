import * as v from 'valibot'
import { configurationSchema } from '../core/configuration.ts'
import {
  MAX_PAGE,
  MAX_PART,
  bytes,
  content,
  count,
  hash,
  ledgerMessage,
  seat,
  snapshotSize,
  term,
  type LedgerMessage,
} from '../core/messages.ts'

/** Names a ledger: its generation, and 32 hexadecimal digits. */
export const LEDGER_ID = /^\d{1,6}-[\da-f]{32}$/u

const ledger = v.pipe(v.string(), v.regex(LEDGER_ID))
const party = v.pipe(v.string(), v.minLength(1), v.maxLength(160))

/** The index and the hash of the last committed entry. */
const tip = { index: count, hash }

/**
 * The seats between which the next frames of a stream go. A member without a running seat gives its
 * id.
 */
const parties = v.object({ type: v.literal('parties'), ledger, from: party, to: party })
/** A leader says how far it has committed. */
const tipMessage = v.object({ type: v.literal('tip'), ...tip })

/** A frame on a stream from one member of a ledger to another one. */
export const frame = v.variant('type', [parties, tipMessage, ledgerMessage])

/** A message with its parties. */
export interface Envelope extends Omit<v.InferOutput<typeof parties>, 'type'> {
  readonly message: LedgerMessage | v.InferOutput<typeof tipMessage>
}

/** The first frame of a reader on its stream to a voter: the last entry that it has. */
export const subscribe = v.object({ ledger, ...tip })
export type Subscribe = v.InferOutput<typeof subscribe>

/** A frame of a voter to a reader. */
export const publication = v.variant('type', [
  v.object({ type: v.literal('page'), first: count, entries: v.pipe(v.array(content), v.maxLength(MAX_PAGE)), hash }),
  /** A part of the snapshot that has replaced entries. */
  v.object({
    type: v.literal('snapshot'),
    index: count,
    term,
    hash,
    configuration: configurationSchema,
    offset: count,
    size: snapshotSize,
    bytes: bytes(MAX_PART),
  }),
  /** The leader that the voter knows. Undefined: it knows none. */
  v.object({ type: v.literal('leader'), term, leader: v.optional(seat) }),
  /** The asked member is no voter. It names the voters that it knows. */
  v.object({ type: v.literal('elsewhere'), seats: v.pipe(v.array(seat), v.maxLength(32)) }),
  /** The reader and the voter have different entries. One of the two has another history. */
  v.object({ type: v.literal('foreign') }),
])
export type Publication = v.InferOutput<typeof publication>

/**
 * Longest frame, bytes: 64 entries of 4 KiB each in base64 and JSON. A part of a snapshot is as
 * long.
 */
export const MAX_FRAME = 512 * 1024
