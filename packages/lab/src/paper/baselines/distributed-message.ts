import type { Member } from '@jel/protocol'
import type { Peer } from './arrg-cache.ts'
import * as sizes from './sizes.ts'

/** A member, with a number that stands for its UUID. */
export interface Person {
  readonly number: number
  readonly member: Member
}

/** All members that left or died, by number: the first `count` of a list that only grows. */
interface Ended {
  readonly persons: readonly number[]
  readonly count: number
}

/** Gossip about one member that others failed to reach, or that has ended. */
export interface Remark {
  /** Numbers of the members that could not reach it. */
  readonly witnesses: readonly number[]
  readonly ended: 'left' | 'died' | undefined
}

/**
 * One side of a gossip exchange: for some members the time since they were last seen, and all
 * members that are gone.
 */
export interface Gossip {
  readonly persons: Int32Array
  /** In the order of {@link persons}, milliseconds. */
  readonly unseen: Float64Array
  /** By number of the person. */
  readonly remarks: ReadonlyMap<number, Remark> | undefined
  readonly died: Ended
  readonly left: Ended
}

export type DistributedMessage = { readonly bytes: number } & (
  | { readonly type: 'arrg'; readonly peer: Peer; readonly peers: readonly Peer[] }
  | { readonly type: 'gossip'; readonly gossip: Gossip }
  | { readonly type: 'leave'; readonly person: Person }
  | { readonly type: 'ping' }
  | { readonly type: 'ok' }
)

export const ok: DistributedMessage = { type: 'ok', bytes: sizes.answerBytes }
export const ping: DistributedMessage = { type: 'ping', bytes: sizes.opcodeBytes }
export function pong(): DistributedMessage {
  return { type: 'ok', bytes: sizes.answerBytes + sizes.memberBytes() + sizes.uuidTextBytes }
}

export function arrg(peer: Peer, peers: readonly Peer[]): DistributedMessage {
  const bytes = sizes.opcodeBytes + sizes.poolNameBytes + sizes.countBytes + (1 + peers.length) * sizes.arrgEntryBytes
  return { type: 'arrg', peer, peers, bytes }
}

export function gossip(said: Gossip): DistributedMessage {
  let bytes = sizes.opcodeBytes + sizes.memberBytes() + sizes.uuidTextBytes + 4 * sizes.countBytes
  bytes += (said.died.count + said.left.count) * sizes.uuidBytes
  bytes += said.persons.length * sizes.gossipEntryBytes()
  for (const { witnesses } of said.remarks?.values() ?? []) bytes += witnesses.length * sizes.uuidBytes
  return { type: 'gossip', gossip: said, bytes }
}

export function leave(person: Person): DistributedMessage {
  return { type: 'leave', person, bytes: sizes.opcodeBytes + sizes.memberBytes() + sizes.uuidTextBytes }
}
