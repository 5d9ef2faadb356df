/**
 * The port between a facade and a node on a libp2p host.
 */
import type { PoolRecord } from '@jel/protocol'
import type { Libp2p, Stream } from '@libp2p/interface'
import type { Traffic } from '../host/traffic.ts'
import type { RecordOwner } from '../identity/identity.ts'
import type { OverlayHealth, OverlayNotification, PoolLink, PoolMember, PoolReign } from './view.ts'

/** The reason why an overlay ended. */
export type Closed = { readonly reason: 'left' } | { readonly reason: 'failed'; readonly error: Error }

/**
 * The options of a call that can be aborted. An aborted call rejects with the reason of the signal.
 */
export interface Abortable {
  readonly signal?: AbortSignal | undefined
}

/** The options of a record that is published. */
export interface PublishOptions {
  /** The lifetime, ms; at most 31 days (`limits.recordLifetime`). */
  readonly ttl: number
  /** The owner of the record. Default: this node. */
  readonly owner?: RecordOwner | undefined
}

/** An installed pool key. */
export interface PoolKeyInfo {
  /** The fingerprint of the key: 16 hexadecimal digits of a hash. It does not disclose the key. */
  readonly id: string
  /** Whether the key protects the connections that this node opens. */
  readonly primary: boolean
}

/**
 * The keys of a private pool. An application can change them while the pool runs: install the new
 * key on all nodes, then use it on all, then remove the old key on all. A change lasts only as long
 * as the node runs. The methods take a key as the text of its file. They also take an installed key
 * by its fingerprint. All methods except `list` throw {@link PoolKeysError}, also in an open pool,
 * and {@link PoolKeyError} for a text that is not a key.
 */
export interface OverlayKeys {
  /** Admits peers that have this key. If the key is installed already, it keeps its role. */
  install(key: Uint8Array | string): Promise<PoolKeyInfo>
  /**
   * Makes a key the primary one: the connections that this node opens from now on use it. Open
   * connections stay.
   */
  use(key: Uint8Array | string): Promise<PoolKeyInfo>
  /**
   * Admits no more peers by this key and ends the connections under it. The nodes open these
   * connections again under the primary key. The primary key can't be removed.
   */
  remove(key: Uint8Array | string): Promise<void>
  /** Returns the keys, the primary one first. */
  list(): Promise<readonly PoolKeyInfo[]>
}

export interface QueryOptions {
  /** The asker's own number of the query, below 2^32. */
  readonly id: number
  /** The asker waits for answers for this time, ms; at most ten minutes. */
  readonly timeout: number
  /** Ids of the members to ask, at most 256 (`targetsLimit`). Default: all. */
  readonly to?: readonly string[] | undefined
}

/**
 * Takes a stream that a member opened with `open()`. `from` is the id of that member. An error of
 * the handler aborts the stream.
 */
export type StreamHandler = (stream: Stream, from: string) => void | Promise<void>

/**
 * A node in a pool, as the facade uses it: in the same thread or across threads. The facade checks
 * names, values and options. The overlay does not.
 */
export interface Overlay {
  readonly pool: string
  readonly keys: OverlayKeys
  /**
   * The host itself. If you stop the host, the overlay ends without an announcement. Call
   * {@link leave} instead.
   */
  readonly libp2p: Libp2p
  readonly self: PoolMember
  /** Returns the view, self included, sorted by id. */
  members(): readonly PoolMember[]
  /** Returns the reign that this node knows of. */
  reign(election: string): PoolReign | undefined
  /** Returns all reigns that this node knows of. */
  reigns(): readonly PoolReign[]
  health(): OverlayHealth
  /** Returns the links that are up, sorted by id. */
  links(): Promise<readonly PoolLink[]>
  /**
   * Asks a member for its links, and dials it if needed. Members limit the rate of their answers.
   * Throws {@link UnknownMemberError} or {@link OpenError}.
   */
  linksOf(id: string, options?: Abortable): Promise<readonly PoolLink[]>
  traffic(): Promise<Traffic>
  /**
   * Calls `listener` with each later notification, in order, synchronously. Returns a function that
   * ends the subscription.
   */
  subscribe(listener: (notification: OverlayNotification) => void): () => void
  /**
   * Makes this node a candidate, until {@link withdraw} or {@link leave}. An `elected` notification
   * brings the result. Rejects with {@link ElectionsFullError}.
   */
  elect(election: string): Promise<void>
  withdraw(election: string): void
  /**
   * Gives a hint that a member may be dead. This node probes the member now. If the member does not
   * answer, others probe it, too.
   */
  maybeDead(id: string): void
  /**
   * Ends the life of this incarnation, and begins another one, at most every five seconds. Call it
   * if parts of the pool believe that this life has ended.
   */
  rejoin(incarnation: number): void
  /**
   * Sends a named signal. Resolves when all these members have acknowledged it. Throws
   * {@link SignalError} with the members that did not acknowledge within 10 s
   * (`limits.signalTimeout`), or the reason of `options.signal`.
   */
  signal(name: string, ids: readonly string[], options?: Abortable): Promise<void>
  /**
   * Publishes a record under a name of its owner and returns the record. The record replaces an
   * earlier one of that name. Throws {@link RecordsFullError} if the pool has no room for the
   * record.
   */
  publish(name: string, value: Uint8Array, options: PublishOptions): Promise<PoolRecord>
  /** Withdraws a record. An unknown or expired record is no error. */
  unpublish(name: string, options?: Pick<PublishOptions, 'owner'>): Promise<void>
  /**
   * Returns the ids of the peers that may connect to this node, sorted. Undefined: every peer may.
   */
  allowList(): Promise<readonly string[] | undefined>
  /**
   * Lets a peer connect from now on. A change lasts only as long as the node runs. Throws
   * {@link InvalidPeerIdError}, or {@link NoAllowListError} if the node was started without a list.
   */
  allow(id: string): Promise<void>
  /** Refuses a peer from now on, and ends its connections. Throws as {@link allow}. */
  disallow(id: string): Promise<void>
  /** Replaces the tag of this node. All members get `updated`. Later lives keep the tag. */
  setTag(tag: Uint8Array): Promise<void>
  /**
   * Sets a static attribute of this node, or removes it if the value is undefined. All members get
   * `updated`. Later lives keep the attribute. Throws RangeError for an invalid name, or if all
   * attributes together would have more than 512 bytes.
   */
  setConstant(name: string, value: Uint8Array | undefined): Promise<void>
  /** Signs with this node's key (Ed25519). Returns 64 bytes. `isSignedInPool` checks them. */
  sign(message: Uint8Array): Promise<Uint8Array>
  /**
   * Sends a user event to all members once, this node included. They get an `event` notification.
   * With `query` they get a `query` notification instead.
   */
  broadcast(name: string, payload: Uint8Array, query?: QueryOptions): Promise<void>
  /**
   * Returns all records that this node knows, sorted by name, then owner. With `prefix`, returns
   * only records whose names begin with it.
   */
  records(prefix?: string): readonly PoolRecord[]
  /**
   * Opens a stream of the application's own protocol to a member, and dials it if needed. Throws
   * {@link UnknownMemberError} or {@link OpenError}.
   */
  open(id: string, protocol: string, options?: Abortable): Promise<Stream>
  /**
   * Accepts streams of a protocol from members of the view. Throws {@link InvalidProtocolError} if
   * the protocol has a handler already.
   */
  handle(protocol: string, handler: StreamHandler): Promise<void>
  unhandle(protocol: string): Promise<void>
  /** Announces the leave, stops the host and releases the identity file. Idempotent. */
  leave(): Promise<void>
  /** Resolves when the overlay has ended. Never rejects. */
  readonly closed: Promise<Closed>
}
