/** What the two sides of a pool with `thread: 'worker'` say to each other: plain data, in order, over one MessagePort. */
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

/** What this node knows, whole. */
export interface Snapshot {
  readonly self: PoolMember
  readonly members: readonly PoolMember[]
  readonly reigns: readonly PoolReign[]
  readonly records: readonly PoolRecord[]
  readonly health: OverlayHealth
}

/** Handed to the worker when it starts. */
export interface Commission {
  readonly port: MessagePort
  readonly options: Omit<OverlayOptions, 'signal' | 'onWarning'>
}

/** Operations that are answered. */
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

/** Operations that are not. */
export type Order = 'elect' | 'withdraw' | 'maybeDead' | 'leave'

/** From the application's thread to the overlay's. */
export type Request =
  | { readonly type: 'call'; readonly id: number; readonly method: keyof Calls; readonly args: readonly unknown[] }
  /** The caller gave up; id 0 is the start. */
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'order'; readonly order: Order; readonly subject: string }
  /** So many pieces of news were taken in. */
  | { readonly type: 'taken'; readonly count: number }

/** From the overlay's thread to the application's. */
export type Report =
  /** Something went wrong before the node has entered. */
  | { readonly type: 'warning'; readonly warning: EarlyWarning }
  | { readonly type: 'entered'; readonly pool: string; readonly snapshot: Snapshot }
  | { readonly type: 'news'; readonly news: readonly OverlayNotification[]; readonly self?: PoolMember }
  | { readonly type: 'health'; readonly health: OverlayHealth }
  /** All that are known still: of the elections that were told, many were forgotten. */
  | { readonly type: 'reigns'; readonly reigns: readonly PoolReign[] }
  /** So many pieces of news were dropped, since too many waited; this is how things stand after them. */
  | { readonly type: 'gap'; readonly lost: number; readonly snapshot: Snapshot }
  | { readonly type: 'returned'; readonly id: number; readonly value: unknown }
  | { readonly type: 'threw'; readonly id: number; readonly fault: Fault }
  /** A member opened a stream. */
  | { readonly type: 'incoming'; readonly protocol: string; readonly from: string; readonly port: MessagePort }
  | { readonly type: 'closed'; readonly fault?: Fault }

/**
 * News that may wait for an application that blocks its thread: as many as a reader of `changes()` may leave unread. At half a kilobyte
 * each they are 32 MB. A guess.
 */
export const NEWS_LIMIT = 65_536

/** Results of elections told until the other side gets the list of all that are known still. A guess: twice as many as a node remembers. */
export const REIGNS_LIMIT = 512

/** How many bytes of a stream may be on the way to the other thread. As much as yamux lets a peer send ahead. */
export const STREAM_WINDOW = 262_144

/** One direction of a stream across the threads; both sides speak the same. */
export type Piece =
  | { readonly type: 'data'; readonly data: Uint8Array }
  /** So many bytes were taken on. */
  | { readonly type: 'taken'; readonly bytes: number }
  /** No more data follows; answered by `finished` once all has been handed on. */
  | { readonly type: 'end' }
  | { readonly type: 'finished' }
  /** The sender reads no more. */
  | { readonly type: 'closedRead' }
  | { readonly type: 'aborted'; readonly fault: Fault }
  | { readonly type: 'closed' }
