/** Encodes and decodes the messages of schedulers, with checks and bounds. */
import * as v from 'valibot'
import type { Message } from '../core/messages.ts'
import { MAX_KINDS, MAX_MEMBER_KINDS } from '../core/job-work.ts'
import { MAX_REASON } from '../core/blame.ts'
import { MAX_EXPLAINED, MAX_MEMBERS } from '../core/explanation.ts'
import { MAX_LONG } from '../core/long-running.ts'
import { MAX_SAVES } from '../core/saved-state.ts'
import { MAX_TRIES } from '../core/tries.ts'
import { MAX_KEPT } from '../core/votes.ts'
import { bytes, count, fromBytes, id, list, MAX_ITEMS, outcome, path, shared, text, toBytes, wireForm } from '../schemas.ts'
import { halvesOf, partsOf } from './message-parts.ts'
import { MAX_SHOWN } from './shown-input.ts'
import { PROOF_BYTES } from './vote-signer.ts'

/**
 * Maximum bytes of one message. The largest entry fits: a value of 1 MiB, 2 MiB of shared values
 * and, in a job with votes, 2 MiB of given shared values.
 */
export const MAX_MESSAGE_BYTES = 6 * 1024 * 1024
/** Maximum number of jobs that a message names. A guess: a thief names 16. */
const MAX_JOBS = 64
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1))
const vote = v.object({
  by: id,
  leaf: v.boolean(),
  signature: v.pipe(
    bytes,
    v.check((value) => value.length <= PROOF_BYTES),
  ),
})
const entry = v.object({
  path,
  outcome,
  shared,
  given: v.optional(shared),
  votes: v.optional(v.pipe(v.array(vote), v.maxLength(MAX_KEPT))),
})
const task = { path, fn: text(256), input: bytes, occurrence: v.optional(count) }
const names = v.pipe(v.array(id), v.maxLength(MAX_TRIES))
const state = { number: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_SAVES)), state: bytes }
const saved = v.optional(list(v.object({ path, ...state })))
const grant = v.object({
  ...task,
  job: id,
  replay: v.boolean(),
  tries: count,
  crashes: v.optional(names),
  holders: v.optional(names),
  saved: v.optional(v.object(state)),
})
const tried = v.optional(list(v.object({ path, crashes: names, holders: names })))
const claim = v.object({ ...task, age: count, progress: share, leaf: v.boolean(), second: v.boolean() })
const unfit = v.optional(text(MAX_REASON))
const held = v.object({ path, fn: text(256), holder: id, age: count, still: count, progress: share, leaf: v.boolean(), unfit })
const jobs = v.pipe(v.array(id), v.maxLength(MAX_JOBS))
const work = { begun: count, finished: count, ran: count }
const longest = v.optional(v.pipe(v.array(v.tuple([text(256), count])), v.maxLength(MAX_KINDS)))
const oldest = v.optional(v.pipe(v.array(v.object({ path, fn: text(256), input: text(MAX_SHOWN), age: count })), v.maxLength(MAX_LONG)))
const functionsUpTo = (most: number) =>
  v.optional(v.pipe(v.array(v.object({ fn: text(256), finished: count, failed: count, ran: count })), v.maxLength(most)))
const functions = functionsUpTo(MAX_KINDS)
const member = v.object({ member: id, ...work, running: count, waiting: count, functions: functionsUpTo(MAX_MEMBER_KINDS), oldest })
const members = v.optional(v.pipe(v.array(member), v.maxLength(MAX_MEMBERS)))
const totals = v.object({ ...work, members: count })

const message = v.variant('type', [
  v.object({ type: v.literal('steal'), request: count, jobs, count, busy: v.optional(v.boolean()) }),
  v.object({ type: v.literal('work'), request: count, tasks: list(grant), left: count, ended: jobs, hint: v.optional(id) }),
  v.pipe(
    v.object({ type: v.literal('surplus') }),
    v.transform(() => ({ type: 'lifeline' as const })),
  ),
  v.object({ type: v.literal('awaiting'), job: id, paths: list(path), known: v.optional(text(64)) }),
  v.object({
    type: v.literal('holding'),
    job: id,
    progress: list(v.tuple([path, share])),
    totals: v.optional(totals),
  }),
  v.object({ type: v.literal('moved'), job: id, tasks: list(v.object({ path, holder: id })) }),
  v.object({ type: v.literal('unknown'), job: id, paths: list(path), saved }),
  v.object({ type: v.literal('result'), job: id, entries: list(entry), totals: v.optional(totals) }),
  v.object({
    type: v.literal('report'),
    job: id,
    number: count,
    entries: list(entry),
    claims: list(claim),
    dropped: list(path),
    work: v.object({ ...work, longest, functions, running: v.optional(count), waiting: v.optional(count), oldest, unfit, noRoom: unfit }),
    tried,
    saved,
  }),
  v.object({ type: v.literal('noted'), job: id, number: count }),
  v.object({
    type: v.literal('lookup'),
    job: id,
    request: count,
    paths: list(path),
    page: v.optional(count),
    alone: v.optional(v.boolean()),
    after: v.optional(path),
  }),
  v.object({
    type: v.literal('found'),
    job: id,
    request: count,
    entries: list(entry),
    claims: list(v.object({ path, holder: id })),
    last: v.boolean(),
    tried,
    saved,
    page: v.optional(count),
    next: v.optional(v.object({ at: count, after: v.optional(path) })),
  }),
  v.object({ type: v.literal('yield'), job: id, path, to: id }),
  v.object({ type: v.literal('idle'), request: count, jobs }),
  v.object({ type: v.literal('shared'), job: id, shared }),
  v.object({ type: v.literal('explain'), job: id }),
  v.object({ type: v.literal('explained'), job: id, tasks: v.pipe(v.array(held), v.maxLength(MAX_EXPLAINED)), functions, members }),
])

/** Encodes a message. If it exceeds the bounds, it becomes several messages. */
export function encodeMessage(value: Message): Uint8Array[] {
  return partsOf(value, MAX_ITEMS).flatMap((part) => encodePart(part))
}

function encodePart(value: Message): Uint8Array[] {
  const data = toBytes(wireForm(value))
  if (data.length <= MAX_MESSAGE_BYTES) return [data]
  return (halvesOf(value) ?? []).flatMap((half) => encodePart(half))
}

/** @throws Error for bytes that are no message, or a message that exceeds the bounds */
export function decodeMessage(data: Uint8Array): Message {
  return fromBytes(message, data) as Message
}
