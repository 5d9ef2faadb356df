/**
 * The port between a facade and a node on a libp2p host.
 */
import type { PoolRecord } from '@jel/protocol'
import type { Libp2p, Stream } from '@libp2p/interface'
import type { Traffic } from '../host/traffic.ts'
import type { RecordOwner } from '../identity/identity.ts'
import type { OverlayHealth, OverlayNotification, PoolLink, PoolMember, PoolReign } from './view.ts'

/** Why an overlay ended. */
export type Closed = { readonly reason: 'left' } | { readonly reason: 'failed'; readonly error: Error }

/** A call that can be given up. It then rejects with the reason of the signal. */
export interface Abortable {
  readonly signal?: AbortSignal | undefined
}

export interface PublishOptions {
  /** The lifetime, ms; at most 31 days (`limits.recordLifetime`). */
  readonly ttl: number
  /** The owner of the record. Default: this node. */
  readonly owner?: RecordOwner | undefined
}

/** An installed pool key. */
export interface PoolKeyInfo {
  /**
   * Its fingerprint, 16 hexadecimal digits of a hash. It identifies the key and does not disclose
   * it.
   */
  readonly id: string
  /** Whether it protects the connections that this node opens. */
  readonly primary: boolean
}

/**
 * The keys of a private pool, which can be changed while it runs: install the new one everywhere,
 * then use it everywhere, then remove the old one everywhere. A change lasts as long as the node. A
 * key is given as the text of its file. An installed key can also be given by its fingerprint. All
 * methods throw {@link PoolKeysError}, also in an open pool, and {@link PoolKeyError} for a text
 * that is not a key.
 */
export interface OverlayKeys {
  /** Admits peers that have this key. An installed key keeps its role. */
  install(key: Uint8Array | string): Promise<PoolKeyInfo>
  /**
   * Protects the connections that this node opens from now on by this key. Open connections stay.
   */
  use(key: Uint8Array | string): Promise<PoolKeyInfo>
  /**
   * Admits no more peers by this key, and ends the connections under it: they are opened again
   * under the primary key. The primary key can't be removed.
   */
  remove(key: Uint8Array | string): Promise<void>
  /** Returns the keys, the primary one first. */
  list(): Promise<readonly PoolKeyInfo[]>
}

export interface QueryOptions {
  /** The asker's own number of the query, below 2^32. */
  readonly id: number
  /** How long the asker waits for answers, ms; at most ten minutes. */
  readonly timeout: number
  /** Ids of the members to ask, at most 256 (`targetsLimit`). Default: all. */
  readonly to?: readonly string[] | undefined
}

/**
 * Takes a stream that a member opened with `open()`. `from` is that member's id. A stream is
 * aborted if its handler throws.
 */
export type StreamHandler = (stream: Stream, from: string) => void | Promise<void>

/**
 * A node in a pool, for the facade, in the thread of the host or across threads. The facade checks
 * names, values and options. An overlay does not.
 */
export interface Overlay {
  readonly pool: string
  readonly keys: OverlayKeys
  /**
   * The host itself. Stopping it ends the overlay without a leave announcement; use {@link leave}.
   */
  readonly libp2p: Libp2p
  readonly self: PoolMember
  /** Returns the view, self included, sorted by id. */
  members(): readonly PoolMember[]
  /** Returns the reign that this node knows of. */
  reign(election: string): PoolReign | undefined
  /** Returns all reigns that this node knows of, by the names of the elections. */
  reigns(): readonly PoolReign[]
  health(): OverlayHealth
  /** Returns the links that are up, by id. */
  links(): Promise<readonly PoolLink[]>
  /**
   * Asks a member for its links, dialling it where needed. Members limit the rate of their answers.
   * Throws {@link UnknownMemberError} or {@link OpenError}.
   */
  linksOf(id: string, options?: Abortable): Promise<readonly PoolLink[]>
  traffic(): Promise<Traffic>
  /**
   * Calls `listener` with each later notification, in order, synchronously. Returns the function
   * that ends it.
   */
  subscribe(listener: (notification: OverlayNotification) => void): () => void
  /**
   * Makes this node a candidate, until {@link withdraw} or {@link leave}. The result comes as an
   * `elected` notification. Throws {@link ElectionsFullError}.
   */
  elect(election: string): void
  withdraw(election: string): void
  /** Gives a hint: this node probes the member now, and others probe it if it does not answer. */
  maybeDead(id: string): void
  /**
   * Sends a named signal. Resolves when all have acknowledged it. Throws {@link SignalError} with
   * the members that did not within 10 s (`limits.signalTimeout`), or the signal's reason.
   */
  signal(name: string, ids: readonly string[], options?: Abortable): Promise<void>
  /**
   * Publishes a record under a name of its owner, in place of an earlier one, and returns it.
   * Throws {@link RecordsFullError} where the pool has no room for it.
   */
  publish(name: string, value: Uint8Array, options: PublishOptions): Promise<PoolRecord>
  /** Withdraws a record. An unknown or expired record is no error. */
  unpublish(name: string, options?: Pick<PublishOptions, 'owner'>): Promise<void>
  /** Replaces the tag of this node. All get `updated`. Later lives keep the tag. */
  setTag(tag: Uint8Array): Promise<void>
  /**
   * Sets one static attribute of this node. All get `updated`. Later lives keep it. Undefined
   * removes the attribute. RangeError for an invalid name, and where all together would have more
   * than 512 bytes.
   */
  setConstant(name: string, value: Uint8Array | undefined): Promise<void>
  /** Signs with this node's key (Ed25519). Returns 64 bytes, which `isSignedInPool` checks. */
  sign(message: Uint8Array): Promise<Uint8Array>
  /**
   * Sends a user event to all members once, this node included, as an `event` notification; with
   * `query`, as a `query`.
   */
  broadcast(name: string, payload: Uint8Array, query?: QueryOptions): Promise<void>
  /**
   * Returns all records that this node knows, by name, then owner. `prefix`: only names that begin
   * with it.
   */
  records(prefix?: string): readonly PoolRecord[]
  /**
   * Opens a stream of the application's own protocol to a member, dialling it where needed.
   * Throws {@link UnknownMemberError} or {@link OpenError}.
   */
  open(id: string, protocol: string, options?: Abortable): Promise<Stream>
  /**
   * Accepts such streams, from members of the view only. Throws {@link InvalidProtocolError} if the
   * protocol has a handler already.
   */
  handle(protocol: string, handler: StreamHandler): Promise<void>
  unhandle(protocol: string): Promise<void>
  /** Announces the leave, stops the host and releases the identity file. Idempotent. */
  leave(): Promise<void>
  /** Never rejects. */
  readonly closed: Promise<Closed>
}
