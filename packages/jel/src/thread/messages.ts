/**
 * The messages between the two sides of a pool with `thread: 'worker'`: plain data, in order, over
 * one MessagePort.
 */
import type { MessagePort } from 'node:worker_threads'
import type {
  EarlyWarning,
  OverlayHealth,
  OverlayNotification,
  OverlayOptions,
  PoolKeyInfo,
  PoolLink,
  PoolMember,
  PoolRecord,
  PoolReign,
  PublishOptions,
  QueryOptions,
  Traffic,
} from '@jel/overlay'
import type { Fault } from './faults.ts'

/** The whole state that this node knows. */
export interface Snapshot {
  readonly self: PoolMember
  readonly members: readonly PoolMember[]
  readonly reigns: readonly PoolReign[]
  readonly records: readonly PoolRecord[]
  readonly health: OverlayHealth
}

/** The data that the worker gets at its start. */
export interface Commission {
  readonly port: MessagePort
  readonly options: Omit<OverlayOptions, 'signal' | 'onWarning'>
}

/** Operations with an answer. */
export interface Calls {
  signal(name: string, ids: readonly string[]): void
  open(id: string, protocol: string): MessagePort
  handle(protocol: string): void
  unhandle(protocol: string): void
  publish(name: string, value: Uint8Array, options: PublishOptions): PoolRecord
  unpublish(name: string, options: Pick<PublishOptions, 'owner'>): void
  links(): readonly PoolLink[]
  linksOf(id: string): readonly PoolLink[]
  traffic(): Traffic
  installKey(key: Uint8Array | string): PoolKeyInfo
  useKey(key: Uint8Array | string): PoolKeyInfo
  removeKey(key: Uint8Array | string): void
  listKeys(): readonly PoolKeyInfo[]
  setTag(tag: Uint8Array): void
  setConstant(name: string, value: Uint8Array | undefined): void
  sign(message: Uint8Array): Uint8Array
  broadcast(name: string, payload: Uint8Array, query?: QueryOptions): void
}

/** Operations without an answer. */
export type Order = 'elect' | 'withdraw' | 'maybeDead' | 'leave'

/** From the application's thread to the overlay's. */
export type Request =
  | { readonly type: 'call'; readonly id: number; readonly method: keyof Calls; readonly args: readonly unknown[] }
  /** The caller gave up. Id 0 is the start. */
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'order'; readonly order: Order; readonly subject: string }
  /** The application's thread has taken in this many news. */
  | { readonly type: 'taken'; readonly count: number }

/** From the overlay's thread to the application's. */
export type Report =
  /** A problem before the node has entered. */
  | { readonly type: 'warning'; readonly warning: EarlyWarning }
  | { readonly type: 'entered'; readonly pool: string; readonly snapshot: Snapshot }
  | { readonly type: 'news'; readonly news: readonly OverlayNotification[]; readonly self?: PoolMember }
  | { readonly type: 'health'; readonly health: OverlayHealth }
  /** All reigns that are still known: the overlay has forgotten many of the announced elections. */
  | { readonly type: 'reigns'; readonly reigns: readonly PoolReign[] }
  /** `lost` news were dropped because too many waited. The snapshot is the state after them. */
  | { readonly type: 'gap'; readonly lost: number; readonly snapshot: Snapshot }
  | { readonly type: 'returned'; readonly id: number; readonly value: unknown }
  | { readonly type: 'threw'; readonly id: number; readonly fault: Fault }
  /** A member opened a stream. */
  | { readonly type: 'incoming'; readonly protocol: string; readonly from: string; readonly port: MessagePort }
  | { readonly type: 'closed'; readonly fault?: Fault }

/**
 * How many news may wait for an application that blocks its thread: as many as a reader of
 * `changes()` may leave unread. At half a kilobyte each they take 32 MB. A guess.
 */
export const NEWS_LIMIT = 65_536

/**
 * After this many election results the other side gets the list of all reigns that are still known.
 * A guess: twice as many as a node remembers.
 */
export const REIGNS_LIMIT = 512

/**
 * How many bytes of a stream may be under way to the other thread: as much as yamux lets a peer
 * send ahead.
 */
export const STREAM_WINDOW = 262_144

/** One direction of a stream across the threads. Both sides use the same messages. */
export type Piece =
  | { readonly type: 'data'; readonly data: Uint8Array }
  /** The receiver has taken this many bytes. */
  | { readonly type: 'taken'; readonly bytes: number }
  /** No more data follows. The answer is `finished`, once all data has been passed on. */
  | { readonly type: 'end' }
  | { readonly type: 'finished' }
  /** The sender reads no more. */
  | { readonly type: 'closedRead' }
  | { readonly type: 'aborted'; readonly fault: Fault }
  | { readonly type: 'closed' }
