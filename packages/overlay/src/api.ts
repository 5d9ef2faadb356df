/**
 * The interface of the overlay, which runs the protocol of `@jel/protocol` on a libp2p host.
 */
import type { ConfigOverrides, Health, LinkState, Measured, Member, Notification, PoolRecord, Reign } from '@jel/protocol'
import type { Libp2p, Stream } from '@libp2p/interface'
import type { Traffic } from './host/traffic.ts'
import type { RecordOwner } from './identity/identity.ts'

/** A problem before a node has entered. `code` is stable, `message` is for people. */
export interface EarlyWarning {
  readonly code: string
  readonly message: string
}

export interface OverlayOptions {
  /** Name of the pool: 1 to 128 bytes of UTF-8 without control characters. */
  readonly pool: string
  /**
   * Where to listen: multiaddrs or `ip:port`. Default: all interfaces, IPv4 and, where there is
   * one, IPv6, on one free port.
   */
  readonly listen?: readonly string[] | undefined
  /**
   * Where others reach this node, if not where it listens: behind a port mapping, in a container.
   * Multiaddrs or `host:port`, at most 8.
   */
  readonly announce?: readonly string[] | undefined
  /**
   * Makes the router map a port to this node (UPnP). Default: false; in that case nothing is sent
   * to find a router. RangeError together with `announce`.
   */
  readonly portMapping?: boolean | undefined
  /**
   * Ids of the only peers that may connect to this node, and that it connects to. Default:
   * everybody.
   */
  readonly allow?: readonly string[] | undefined
  /**
   * Members to enter through (introducers): `host:port`, or multiaddrs with or without `/p2p/<id>`.
   * Without any the pool is found by mDNS, or founded.
   */
  readonly bootstrap?: readonly string[] | undefined
  /**
   * Whether this node founds the pool, and stands in its elections, if no introducer lets it in.
   * Default: false; it waits for an introducer before it stands.
   */
  readonly found?: boolean | undefined
  /** Levels from fine to coarse joined by `@`. Default: the host name. */
  readonly location?: string | undefined
  /** The application's own bytes that every member receives, at most 1 KiB. Default: none. */
  readonly tag?: Uint8Array | undefined
  /**
   * The text of a `swarm.key`, which makes the pool private. See {@link generatePoolKey}. The first
   * of several keys is the primary one, which protects the connections that this node opens.
   * Inbound connections under any of them are accepted. See {@link Overlay.keys}.
   */
  readonly key?: Uint8Array | readonly Uint8Array[] | undefined
  /**
   * A file that keeps key and incarnation across restarts; created if there is none. Beside it,
   * `<file>.peers` keeps members, as ways into the pool for the next start, and the latest epochs
   * of elections. Default: a new key at each start.
   */
  readonly identityFile?: string | undefined
  /**
   * Whether to find members on the local network, and be found. Default: true. Without effect for a
   * node that listens on loopback only.
   */
  readonly mdns?: boolean | undefined
  /** Tunables of the protocol. */
  readonly config?: ConfigOverrides | undefined
  /**
   * Called with each problem before this node has entered. From then on notifications report
   * problems.
   */
  readonly onWarning?: ((warning: EarlyWarning) => void) | undefined
  /**
   * Aborts the start: everything opened is closed, and the start fails with the signal's reason.
   */
  readonly signal?: AbortSignal | undefined
}

/** A member of the view. */
export interface PoolMember {
  /**
   * The libp2p PeerId as text, `12D3KooW…`. It stays the same across starts only with an identity
   * file.
   */
  readonly id: string
  /**
   * The number of this life of the id, from 1. It grows each time the id enters the pool, also
   * after it was pronounced dead and is back.
   */
  readonly incarnation: number
  /**
   * The multiaddrs at which it listens, each ending in `/p2p/<id>`. They may change within a life;
   * `updated` reports that.
   */
  readonly addresses: readonly string[]
  /**
   * Its location as it states it: levels from fine to coarse joined by `@`, as in
   * `node7@rack2@delft@nl`. At most 256 bytes. Nobody verifies it.
   */
  readonly location: string
  /**
   * The application's own bytes, at most 1,024; empty if there are none. Nobody verifies them. Text
   * is UTF-8: `new TextDecoder().decode(member.tag)`.
   */
  readonly tag: Uint8Array
  /**
   * Its static attributes, by name: at most 512 bytes, names included. Nobody verifies them.
   * Programs that run on the pool state here what the member offers.
   */
  readonly constants: ReadonlyMap<string, Uint8Array>
  /**
   * When this life entered the pool, by the member's own calendar: Unix ms; 0 where it does not
   * state it. Nobody verifies it. It stays the same for as long as the life lasts.
   */
  readonly joinedAt: number
}

/** A reign. Its fencing token is `(epoch, winner)`. */
export interface PoolReign {
  /** The name of the election. */
  readonly election: string
  /** Grows from reign to reign; the first is 1. */
  readonly epoch: number
  /** The holder of the role. */
  readonly winner: PoolMember
}

export interface OverlayHealth extends Omit<Health, 'lastReconciliation' | 'introducers'> {
  /** When a reconciliation with a peer last ended, Unix ms. Undefined: never. */
  readonly lastReconciliation: number | undefined
  /** The introducers that do not answer: the multiaddr of each, and why. */
  readonly introducers: readonly { readonly address: string; readonly reason: string }[]
}

/**
 * A link of a node: the peer at the other end, and its round trip at the last probe, ms, if this
 * end probes it.
 */
export type PoolLink = LinkState

/** Replaces the protocol's types in a type by those of the overlay. */
type Shown<Type> = Type extends Member ? PoolMember : Type extends Reign ? PoolReign : Type extends Health ? OverlayHealth : Type

/**
 * {@link Notification} with members, reigns and health as the overlay shows them, and the
 * measurements of this node.
 */
export type OverlayNotification = Notification | ({ readonly type: 'measured' } & Measured) extends infer Each
  ? Each extends { readonly type: string }
    ? { readonly [Key in keyof Each]: Shown<Each[Key]> }
    : never
  : never

/** Why an overlay ended. */
export type Closed = { readonly reason: 'left' } | { readonly reason: 'failed'; readonly error: Error }

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
  linksOf(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly PoolLink[]>
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
  signal(name: string, ids: readonly string[], options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
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
  open(id: string, protocol: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<Stream>
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
