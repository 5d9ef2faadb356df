import * as v from 'valibot'
import { MAX_MARKS } from './history.ts'
import { MAX_FORMER } from './reapplied.ts'
import { MAX_ENTRY_BYTES } from './entry.ts'
import { MAX_ERROR } from './value.ts'

/** The characters of a piece of a snapshot. A character with escapes has at most six bytes. */
export const PIECE = 262_144
/** The most characters of the operations in one message, unless it has only one. A guess. */
export const BATCH_BYTES = 262_144
/** Maximum bytes of a message between replicas. */
export const MAX_REPLICA_BYTES = MAX_ENTRY_BYTES + 6 * PIECE

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const text = (length: number) => v.pipe(v.string(), v.maxLength(length))
const reign = v.object({ epoch: count, winner: text(128), incarnation: count, turn: v.optional(count) })
const history = v.pipe(
  v.array(v.object({ reign, last: count })),
  v.maxLength(MAX_MARKS),
  v.check((marks) => marks.every(({ last }, at) => last > (marks[at - 1]?.last ?? 0)), 'numbers must grow'),
  v.readonly(),
)
const results = v.pipe(v.array(v.unknown()), v.maxLength(MAX_FORMER), v.readonly())
const entry = v.object({
  reign,
  seq: count,
  caller: text(128),
  key: text(128),
  operation: v.unknown(),
  now: v.pipe(v.number(), v.finite()),
  result: v.unknown(),
  error: v.optional(text(MAX_ERROR)),
  orphan: v.optional(v.object({ reign, seq: count, before: results })),
})
const entries = v.pipe(v.array(entry), v.maxLength(16_384), v.readonly())

/** A message from replica to replica. `reign` is the present reign, as the sender knows it. */
export const replicaMessage = v.variant('type', [
  /** The primary asks for the position of another instance. */
  v.object({ type: v.literal('hello'), reign }),
  /** The answer to `hello`. `wants`: the sender has the state, or should have it. */
  v.object({ type: v.literal('position'), reign, wants: v.boolean(), position: v.object({ history, from: count }) }),
  /**
   * The next operations. `seq` is the last operation of the primary. All backups have the
   * operations up to `committed`. No replica needs the operations up to `trim`. `time` is the time
   * of the service.
   */
  v.object({
    type: v.literal('entries'),
    reign,
    entries,
    seq: count,
    committed: count,
    trim: count,
    time: v.pipe(v.number(), v.finite()),
  }),
  /** The sender has applied all operations up to this one. */
  v.object({ type: v.literal('ack'), reign, seq: count }),
  /** The receiver lacks operations that the log no longer has, and needs a snapshot. */
  v.object({ type: v.literal('resync'), reign }),
  /** Asks for a piece of a snapshot. The offset 0 asks for a new snapshot. */
  v.object({ type: v.literal('fetch'), reign, offset: count }),
  v.object({ type: v.literal('piece'), reign, offset: count, total: count, text: text(PIECE) }),
  /** Asks for operations of the receiver's log. The answer is `log`. */
  v.object({ type: v.literal('wanted'), reign, from: count }),
  v.object({ type: v.literal('log'), reign, from: count, entries, end: v.boolean() }),
  /** A surplus backup asks whether it may drop the state. The answer is `retired`. */
  v.object({ type: v.literal('retire'), reign }),
  v.object({ type: v.literal('retired'), reign }),
])
export type ReplicaMessage = v.InferOutput<typeof replicaMessage>

type Texts<Message> = Omit<Message, 'entries'> & { readonly entries: readonly string[] }
type Of<Type extends ReplicaMessage['type']> = Extract<ReplicaMessage, { readonly type: Type }>

/** A message before it is encoded. Its operations are JSON already. */
export type OutgoingMessage = Exclude<ReplicaMessage, { readonly entries: unknown }> | Texts<Of<'entries'>> | Texts<Of<'log'>>

/** Encodes a message without a second pass over its operations. */
export function textOfMessage(message: OutgoingMessage): string {
  if (!('entries' in message)) return JSON.stringify(message)
  const { entries, ...head } = message
  return `${JSON.stringify(head).slice(0, -1)},"entries":[${entries.join(',')}]}`
}

/** The schema of a snapshot. */
export const snapshotContent = v.object({
  state: v.unknown(),
  history,
  now: v.pipe(v.number(), v.finite()),
  results: v.pipe(v.array(v.tuple([text(260), count, v.string(), v.boolean()])), v.maxLength(65_536)),
  absorbed: v.pipe(v.array(v.tuple([text(200), count])), v.maxLength(256)),
  log: v.array(entry),
})

/** A message of a primary to a caller: see `Reapplied`. */
export const reappliedMessage = v.object({
  name: text(64),
  key: text(128),
  operation: v.unknown(),
  before: results,
  after: v.optional(v.unknown()),
  error: v.optional(text(MAX_ERROR)),
})
