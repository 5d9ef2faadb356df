/**
 * User events and queries (Serf's `event` and `query`): messages of a member to all members. Each
 * is the value of a record that lives for minutes.
 */
import type { Config } from '../base/config.ts'
import { FrameError } from '../base/errors.ts'
import { hash52 } from '../base/hash.ts'
import type { QueryTerms } from '../base/input.ts'
import type { Milliseconds, NodeId } from '../base/values.ts'
import { nameProblem } from '../base/name.ts'
import * as wire from '../wire/messages.js'
import { decode } from './decode.ts'

/**
 * Prefix of the names of records that are events. A number follows that rises with each event of
 * the owner. So all names of an owner differ.
 */
const prefix = 'jel.event/'
/** Bytes of a hash of a member's id. */
const hashBytes = 4
/**
 * The largest number of members that one query names. Their hashes take as many bytes as the
 * largest payload.
 */
export const targetsLimit = 256
/**
 * Maximum number of bytes of an event's record: name, payload and targets, with tags and lengths.
 */
export const eventBytes = 2_304

/**
 * Longest time that a query waits for answers, ms. Guess: a wait of an hour has another purpose.
 */
export const queryTimeoutLimit: Milliseconds = 600_000

export interface EventContent {
  readonly name: string
  readonly payload: Uint8Array
  readonly query?: { readonly id: number; readonly timeout: Milliseconds; readonly targets: Uint8Array } | undefined
}

export function isEventName(name: string): boolean {
  return name.startsWith(prefix)
}

export function eventName(version: number): string {
  return prefix + version.toString(36)
}

/** Returns the reason to refuse this event; undefined if it is valid. */
export function eventProblem(name: string, payload: Uint8Array, limits: Config['limits'], query?: QueryTerms): string | undefined {
  const problem = nameProblem(name)
  if (problem !== undefined) return `the name of an event ${problem}`
  if (payload.length > limits.payloadBytes) return `a payload has at most ${limits.payloadBytes} bytes, not ${payload.length}`
  if (query === undefined) return undefined
  if (!(query.timeout >= 1 && query.timeout <= queryTimeoutLimit))
    return `a query waits for 1 to ${queryTimeoutLimit} ms, not for ${query.timeout}`
  if ((query.to?.length ?? 0) > targetsLimit) return `a query names at most ${targetsLimit} members`
  return undefined
}

export function encodeEvent(name: string, payload: Uint8Array, query?: QueryTerms): Uint8Array {
  const terms = query && { id: query.id, timeoutMs: Math.ceil(query.timeout), targets: hashesOf(query.to ?? []) }
  return wire.UserEvent.encode({ name, payload: new Uint8Array(payload), ...(terms && { query: terms }) })
}

/** Throws {@link FrameError} if a field exceeds its bound. */
export function readEvent(value: Uint8Array, limits: Config['limits']): EventContent {
  const { name, payload, query } = decode(wire.UserEvent, value)
  const terms = query && { id: query.id, timeout: query.timeoutMs, targets: query.targets.slice() }
  const problem = eventProblem(name, payload, limits, terms)
  if (problem !== undefined) throw new FrameError(problem)
  if (terms !== undefined && (terms.targets.length % hashBytes !== 0 || terms.targets.length > hashBytes * targetsLimit))
    throw new FrameError(`a query names 0 to ${targetsLimit} members`)
  return { name, payload: payload.slice(), query: terms }
}

/** True if a query is meant for this member. */
export function isTarget(targets: Uint8Array, id: NodeId): boolean {
  if (targets.length === 0) return true
  const own = hashesOf([id])
  for (let at = 0; at < targets.length; at += hashBytes) if (own.every((byte, i) => byte === targets[at + i])) return true
  return false
}

/** Returns the number of members that a query names; 0: the query asks all. */
export function targetCount(targets: Uint8Array): number {
  return targets.length / hashBytes
}

function hashesOf(ids: readonly NodeId[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hashBytes * ids.length)
  const view = new DataView(bytes.buffer)
  ids.forEach((id, i) => view.setUint32(hashBytes * i, hash52(id) % 2 ** 32))
  return bytes
}
