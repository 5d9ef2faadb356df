import type { Member } from '@jel/protocol'
import type { Peer } from './arrg-cache.ts'
import * as sizes from './sizes.ts'

/** A member, with a number in place of its UUID. */
export interface Person {
  readonly number: number
  readonly member: Member
}

/**
 * Numbers of the members that left or died: the first `count` entries of a list that only grows.
 */
interface Ended {
  readonly persons: readonly number[]
  readonly count: number
}

/** Gossip about one member that others could not reach, or that has ended. */
export interface Remark {
  /** Numbers of the members that could not reach this member. */
  readonly witnesses: readonly number[]
  readonly ended: 'left' | 'died' | undefined
}

/**
 * One side of a gossip exchange: the time since the last sighting of some members, and all members
 * that have ended.
 */
export interface Gossip {
  readonly persons: Int32Array
  /** ms since the last sighting of each member, in the order of {@link persons}. */
  readonly unseen: Float64Array
  /** By the number of the member. */
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
