import * as v from 'valibot'
import { configurationSchema } from './configuration.ts'
import { SEAT } from './seat.ts'

/** Maximum entries of one message. */
export const MAX_PAGE = 64
/**
 * Maximum bytes of the body of an entry. The longest ones have a signed statement, or 1 KiB in
 * base64.
 */
export const MAX_BODY = 4096
/** Maximum entries of one proposal. */
export const MAX_PROPOSAL = 16
/** Maximum bytes of one part of a snapshot. */
export const MAX_PART = 256 * 1024
/** Maximum bytes of a snapshot: a state of 50,000 members is about 20 MB. A guess. */
export const MAX_SNAPSHOT = 64 * 1024 * 1024
/** The highest term. So all terms are safe integers, even if a member lies. */
export const MAX_TERM = 2 ** 48

export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
export const term = v.pipe(count, v.maxValue(MAX_TERM))
export const hash = v.pipe(v.string(), v.regex(/^[\da-f]{32}$/u))
export const seat = v.pipe(v.string(), v.regex(SEAT))
export const bytes = (most: number) => v.custom<Uint8Array>((value) => value instanceof Uint8Array && value.length <= most)

/** Bytes of a snapshot. */
export const snapshotSize = v.pipe(count, v.maxValue(MAX_SNAPSHOT))

export const proposal = v.object({ kind: v.pipe(v.string(), v.regex(/^[a-z]{1,16}$/u)), body: bytes(MAX_BODY) })
/** An entry that a member proposes. */
export type Proposal = v.InferOutput<typeof proposal>
export const content = v.object({ ...proposal.entries, term })

/** The end of a log: its last index, and the term of that entry. */
const end = { lastIndex: count, lastTerm: term }

/** The messages of Raft (figures 2 and 13; PreVote: dissertation §9.6; TimeoutNow: §3.10). */
const raftMessage = v.variant('type', [
  /** `term` is the one in which the asker would stand. */
  v.object({ type: v.literal('preVote'), term, ...end }),
  v.object({ type: v.literal('preVoted'), term, ok: v.boolean() }),
  v.object({ type: v.literal('vote'), term, ...end }),
  v.object({ type: v.literal('voted'), term, ok: v.boolean() }),
  /** `round`: the number of the leader's reads. The answer repeats it. */
  v.object({
    type: v.literal('append'),
    term,
    prevIndex: count,
    prevTerm: term,
    prevHash: hash,
    entries: v.pipe(v.array(content), v.maxLength(MAX_PAGE)),
    commit: count,
    round: count,
  }),
  /**
   * `index`: the last matching entry. Without `ok`: the entry after which the leader should try
   * again.
   */
  v.object({ type: v.literal('appended'), term, ok: v.boolean(), index: count, round: count }),
  /** One part of a snapshot, of `size` bytes in all. */
  v.object({
    type: v.literal('snapshot'),
    term,
    index: count,
    lastTerm: term,
    hash,
    configuration: configurationSchema,
    offset: count,
    size: snapshotSize,
    bytes: bytes(MAX_PART),
  }),
  /** The receiver has the snapshot up to this byte. */
  v.object({ type: v.literal('part'), term, index: count, offset: count }),
  v.object({ type: v.literal('timeoutNow'), term }),
])
export type RaftMessage = v.InferOutput<typeof raftMessage>

/** The requests of any member to a voter. */
const request = v.variant('type', [
  v.object({ type: v.literal('propose'), number: count, entries: v.pipe(v.array(proposal), v.minLength(1), v.maxLength(MAX_PROPOSAL)) }),
  v.object({ type: v.literal('read'), number: count }),
])
export type Request = v.InferOutput<typeof request>

const answer = v.variant('type', [
  /** `index`: the last proposed entry, or a later one. It is committed. */
  v.object({ type: v.literal('proposed'), number: count, index: count }),
  v.object({ type: v.literal('readAt'), number: count, index: count }),
  /** Send the request to this leader. Undefined: send it to another voter. */
  v.object({ type: v.literal('redirected'), number: count, leader: v.optional(seat) }),
  v.object({ type: v.literal('refused'), number: count, reason: v.picklist(['busy', 'invalid']) }),
])
export type Answer = v.InferOutput<typeof answer>

/** A message between members. Check each one that comes from a peer with this schema. */
export const ledgerMessage = v.variant('type', [raftMessage, request, answer])
export type LedgerMessage = RaftMessage | Request | Answer

export function isRequest(message: LedgerMessage): message is Request {
  return message.type === 'propose' || message.type === 'read'
}

export function isAnswer(message: LedgerMessage): message is Answer {
  return message.type === 'proposed' || message.type === 'readAt' || message.type === 'redirected' || message.type === 'refused'
}
