/** One seat with its disk, as a value. The exploration copies it, and compares it by a key. */
import { encodeConfiguration, type Configuration } from '../src/core/configuration.ts'
import { BEGIN, VOTERS, chain } from '../src/core/entry.ts'
import { Ledger } from '../src/core/ledger.ts'
import type { LedgerEffect, LedgerInput, LedgerOptions } from '../src/core/ledger-io.ts'
import type { LedgerState } from '../src/core/state.ts'
import { newSeat, openSeat, restore, type StoreRecord } from '../src/core/store.ts'
import { fastDigest } from './digest.ts'
import { cloneState, logKey, stateKey } from './seat-state.ts'

export const LEDGER = 'explored'

export interface Held {
  readonly to: string
  readonly after: number
  readonly message: object
}

/** A node of the exploration. Nothing in it changes. */
export interface SeatNode {
  readonly id: string
  /** Undefined: it is down. */
  readonly state: LedgerState | undefined
  /** Its synced records, and those that a crash may lose. */
  readonly synced: readonly StoreRecord[]
  readonly unsynced: readonly { readonly number: number; readonly record: StoreRecord }[]
  readonly held: readonly Held[]
  /** Number of stores that it lost. */
  readonly lost: number
}

/** A log and a vote with which a seat begins. */
export interface Start {
  readonly term: number
  readonly votedFor?: string
  /** The term of each entry, and the voters of an entry that changes them. */
  readonly entries: readonly (number | { readonly term: number; readonly voters: Configuration })[]
}

export function makeNode(
  id: string,
  options: LedgerOptions,
  configuration: Configuration,
  seen: readonly string[],
  begin: Start = { term: 0, entries: [] },
): SeatNode {
  const first = newSeat(fastDigest, { ledger: LEDGER, id, nonce: '0', configuration })
  const contents = begin.entries.map((entry) =>
    typeof entry === 'number'
      ? { term: entry, kind: BEGIN, body: new Uint8Array() }
      : { term: entry.term, kind: VOTERS, body: encodeConfiguration(entry.voters) },
  )
  const synced: StoreRecord[] = [first]
  if (begin.term > 0) synced.push({ type: 'vote', term: begin.term, votedFor: begin.votedFor })
  if (contents.length > 0) synced.push({ type: 'entries', first: 1, entries: chain(fastDigest, first.snapshot.hash, contents) })
  return start({ id, state: undefined, synced, unsynced: [], held: [], lost: 0 }, options, seen)
}

/** Starts a node from its disk. An empty disk gives another seat, which is in no configuration. */
export function start(node: SeatNode, options: LedgerOptions, seen: readonly string[]): SeatNode {
  const fresh = { ledger: LEDGER, id: node.id, configuration: { groups: [] } }
  const { records, durable } = openSeat(fastDigest, node.synced, fresh, () => String(node.lost))
  const ledger = new Ledger(options, durable)
  ledger.handle({ type: 'seen', seats: seen }, 0)
  return { ...node, synced: records, state: ledger.state }
}

/** Gives an input to a node. Returns the new node, and all that left it. */
export function step(node: SeatNode, options: LedgerOptions, input: LedgerInput | { type: 'timer' }, now: number) {
  const state = cloneState(node.state as LedgerState)
  const effects = new Ledger(options, state).handle(input, now)
  const unsynced = [...node.unsynced]
  const held = [...node.held]
  const sent: Held[] = []
  for (const effect of effects) {
    if (effect.type === 'write') unsynced.push({ number: effect.number, record: effect.record })
    else if (effect.type === 'send' && effect.after <= state.synced) sent.push(effect)
    // A message that is sent twice is one message of the network.
    else if (effect.type === 'send' && !held.some((each) => isSame(each, effect))) held.push(effect)
  }
  const released = held.filter(({ after }) => after <= state.synced)
  const others = effects.filter((effect): effect is Exclude<LedgerEffect, { type: 'write' | 'send' }> => effect.type !== 'timer')
  const next: SeatNode = { ...node, state, unsynced, held: held.filter((each) => !released.includes(each)) }
  return { node: next, sent: [...sent, ...released], effects: others }
}

function isSame(one: Held, other: Held): boolean {
  return one.to === other.to && messageKey(one.message) === messageKey(other.message)
}

/** Syncs all writes of a node. */
export function sync(node: SeatNode, options: LedgerOptions) {
  const number = node.unsynced.at(-1)?.number ?? 0
  const synced = [...node.synced, ...node.unsynced.map(({ record }) => record)]
  return step({ ...node, synced, unsynced: [] }, options, { type: 'written', number }, 0)
}

/** Stops a node. Its disk keeps the first writes that were not synced. */
export function crash(node: SeatNode, kept: number): SeatNode {
  const synced = [...node.synced, ...node.unsynced.slice(0, kept).map(({ record }) => record)]
  return { ...node, state: undefined, synced, unsynced: [], held: [] }
}

/**
 * Two nodes with one key go on in the same way. Numbers of writes count from the last synced one.
 * Times are left out: the exploration chooses when something happens.
 */
export function keyOf(node: SeatNode): string {
  const { state } = node
  const base = state?.synced ?? 0
  const relative = (number: number): number => Math.max(0, number - base)
  const disk = restore(node.synced)
  const stored = disk === undefined ? '' : [disk.seat, disk.term, disk.votedFor, logKey(disk.log)].join()
  const pending = node.unsynced.map(({ number, record }) => `${relative(number)}${recordKey(record)}`).join()
  const held = node.held.map(({ to, after, message }) => `${to}${relative(after)}${messageKey(message)}`).join()
  return [node.id, node.lost, stored, pending, held, state === undefined ? 'down' : stateKey(state, relative)].join('|')
}

function recordKey(record: StoreRecord): string {
  if (record.type === 'vote') return `v${record.term}${record.votedFor}`
  if (record.type === 'entries') return `e${record.first}${record.entries.at(-1)?.hash}`
  return record.type === 'snapshot' ? `s${record.snapshot.hash}` : ''
}

export function messageKey(message: object): string {
  return JSON.stringify(message, (_, value: unknown) => (value instanceof Uint8Array ? [...value].join() : value))
}
