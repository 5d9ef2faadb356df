/**
 * What the overlay offers: the protocol of `@jel/protocol` at work on a libp2p host.
 */
import type { ConfigOverrides, Health, LinkState, Measured, Member, Notification, PoolRecord, Reign } from '@jel/protocol'
import type { Libp2p, Stream } from '@libp2p/interface'
import type { Traffic } from './host/traffic.ts'
import type { RecordOwner } from './identity/identity.ts'

/** What goes wrong before a node has entered; `code` is stable, `message` for people. */
export interface EarlyWarning {
  readonly code: string
  readonly message: string
}

export interface OverlayOptions {
  /** Name of the pool: 1 to 128 bytes of UTF-8 without control characters. */
  readonly pool: string
  /** Where to listen, multiaddrs or `ip:port`. Default: all interfaces, IPv4 and, where there is one, IPv6, on one free port. */
  readonly listen?: readonly string[] | undefined
  /** Where others reach this node, multiaddrs or `host:port`, instead of where it listens: behind a port mapping, in a container. At most 8. */
  readonly announce?: readonly string[] | undefined
  /** Have the router map a port to this node (UPnP). Default: false; nothing is sent then. RangeError together with `announce`. */
  readonly portMapping?: boolean | undefined
  /** Ids of the only peers that may connect to this node, and that it connects to. Default: everybody. */
  readonly allow?: readonly string[] | undefined
  /** Members to enter through: `host:port`, or multiaddrs with or without `/p2p/<id>`. None: the pool is found by mDNS, or founded. */
  readonly bootstrap?: readonly string[] | undefined
  /** Where no introducer lets this node in: it is the pool, and stands in its elections. Default: false; it waits for an introducer with that. */
  readonly found?: boolean | undefined
  /** Levels from fine to coarse joined by `@`. Default: the host name. */
  readonly location?: string | undefined
  /** Bytes of the application's own that every member gets to see, at most 1 KiB. Default: none. */
  readonly tag?: Uint8Array | undefined
  /**
   * The text of a `swarm.key`: makes the pool private. See {@link generatePoolKey}. Of several the first is the primary one, which protects connections that
   * this node opens; connections under any of them are let in. See {@link Overlay.keys}.
   */
  readonly key?: Uint8Array | readonly Uint8Array[] | undefined
  /**
   * Keeps key and incarnation across restarts; created if there is none. Beside it, in `<file>.peers`, members are remembered, ways into the pool for the
   * next start, and the latest epochs of elections. Default: a new key at each start.
   */
  readonly identityFile?: string | undefined
  /** Find members on the local network, and be found. Default: true. A node that listens on loopback only never does. */
  readonly mdns?: boolean | undefined
  /** Tunables of the protocol. */
  readonly config?: ConfigOverrides | undefined
  /** Called with what goes wrong before this node has entered. From then on notifications tell it. */
  readonly onWarning?: ((warning: EarlyWarning) => void) | undefined
  /** Ends the start: what was opened is closed, and the start fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** A member of the view. */
export interface PoolMember {
  /** The libp2p PeerId as text, `12D3KooW…`. It stays the same across starts with an identity file only. */
  readonly id: string
  /** Which life of this id it is, from 1. It grows each time the id enters the pool, also when it was pronounced dead and is back. */
  readonly incarnation: number
  /** Multiaddrs at which it listens, each ending in `/p2p/<id>`. They may change within a life, told as `updated`. */
  readonly addresses: readonly string[]
  /** Where it says it is: levels from fine to coarse joined by `@`, as in `node7@rack2@delft@nl`; at most 256 bytes, and its own word. */
  readonly location: string
  /** Bytes of the application's own, at most 1,024, and its own word; empty if it has none. Text is UTF-8: `new TextDecoder().decode(member.tag)`. */
  readonly tag: Uint8Array
  /** Its static attributes, by name, and its own word: at most 512 bytes, names included. Programs that run on the pool say here what the member offers. */
  readonly constants: ReadonlyMap<string, Uint8Array>
  /** When this life entered the pool, by its own calendar: Unix ms, and its own word; 0 where it does not say. It stays the same for as long as the life lasts. */
  readonly joinedAt: number
}

/** A reign; `(epoch, winner)` is its fencing token. */
export interface PoolReign {
  /** The name of the election. */
  readonly election: string
  /** Grows from reign to reign; the first is 1. */
  readonly epoch: number
  /** Who has the role. */
  readonly winner: PoolMember
}

export interface OverlayHealth extends Omit<Health, 'lastReconciliation' | 'introducers'> {
  /** When a reconciliation with a peer last ended, Unix ms; undefined: never. */
  readonly lastReconciliation: number | undefined
  /** Per introducer that does not answer: its multiaddr, and why. */
  readonly introducers: readonly { readonly address: string; readonly reason: string }[]
}

/** A link of a node: who is at the other end, and how long that took to answer the last probe, ms, where this end probes it. */
export type PoolLink = LinkState

/** In a type, everything of the protocol's in the form the overlay gives it. */
type Shown<Type> = Type extends Member ? PoolMember : Type extends Reign ? PoolReign : Type extends Health ? OverlayHealth : Type

/** {@link Notification} with members, reigns and health as the overlay shows them, and what this node measured. */
export type OverlayNotification = Notification | ({ readonly type: 'measured' } & Measured) extends infer Each
  ? Each extends { readonly type: string }
    ? { readonly [Key in keyof Each]: Shown<Each[Key]> }
    : never
  : never

/** Why an overlay ended. */
export type Closed = { readonly reason: 'left' } | { readonly reason: 'failed'; readonly error: Error }

export interface PublishOptions {
  /** How long it lives, ms; at most 31 days (`limits.recordLifetime`). */
  readonly ttl: number
  /** Whose record it is. Default: this node's. */
  readonly owner?: RecordOwner | undefined
}

/** An installed pool key. */
export interface PoolKeyInfo {
  /** Its fingerprint, 16 hexadecimal digits of a hash: it says which key it is and does not give it away. */
  readonly id: string
  /** Whether connections that this node opens are protected by it. */
  readonly primary: boolean
}

/**
 * The keys of a private pool, changed while it runs: install the new one everywhere, then use it everywhere, then remove the old one everywhere. What is
 * changed here lasts as long as the node. A key is given as the text of its file, an installed one also by its fingerprint. All throw {@link PoolKeysError},
 * also in an open pool, and {@link PoolKeyError} for what is no key.
 */
export interface OverlayKeys {
  /** Lets peers in that have this key. One that is installed already stays what it is. */
  install(key: Uint8Array | string): Promise<PoolKeyInfo>
  /** Protects by it what this node opens from now on; connections that are open stay. */
  use(key: Uint8Array | string): Promise<PoolKeyInfo>
  /** Lets nobody in by it any more, and ends connections under it: they are opened anew under the primary. The primary can't be removed. */
  remove(key: Uint8Array | string): Promise<void>
  /** The primary first. */
  list(): Promise<readonly PoolKeyInfo[]>
}

export interface QueryOptions {
  /** The asker's own number of it, below 2^32. */
  readonly id: number
  /** So long the asker waits for answers, ms; at most ten minutes. */
  readonly timeout: number
  /** Ids of those who are asked, at most 256 (`targetsLimit`). Default: all. */
  readonly to?: readonly string[] | undefined
}

export interface Overlay {
  readonly pool: string
  readonly keys: OverlayKeys
  /** The host itself. Stopping it ends the overlay without a goodbye; use {@link leave}. */
  readonly libp2p: Libp2p
  readonly self: PoolMember
  /** The view, self included, sorted by id. */
  members(): readonly PoolMember[]
  /** The reign that this node knows of. */
  reign(election: string): PoolReign | undefined
  /** All that it knows of, by the names of the elections. */
  reigns(): readonly PoolReign[]
  health(): OverlayHealth
  /** The links that are up now, by id. */
  links(): Promise<readonly PoolLink[]>
  /**
   * Asks a member for its links, dialling it where needed. Members answer some times a second only.
   * Throws {@link UnknownMemberError} or {@link OpenError}.
   */
  linksOf(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly PoolLink[]>
  traffic(): Promise<Traffic>
  /** Calls `listener` with everything that happens from now on, in order, synchronously. Returns the function that ends it. */
  subscribe(listener: (notification: OverlayNotification) => void): () => void
  /** Stands as a candidate, until {@link withdraw} or {@link leave}. The result comes as an `elected` notification. RangeError for an impossible name. */
  elect(election: string): void
  withdraw(election: string): void
  /** A hint: this node probes the member now, and others where it gets no answer. */
  maybeDead(id: string): void
  /**
   * Sends a named signal. Resolves when all acknowledged; throws {@link SignalError} that says who did not within 10 s
   * (`limits.signalTimeout`), the signal's reason, or RangeError for an impossible name.
   */
  signal(name: string, ids: readonly string[], options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
  /**
   * Publishes a record under its owner's name of it, in place of an earlier one, and returns it. RangeError for an impossible name, value or lifetime;
   * {@link RecordsFullError} where the pool has no room for it.
   */
  publish(name: string, value: Uint8Array, options: PublishOptions): Promise<PoolRecord>
  /** Withdraws a record. One that is not known, or over, need not be. */
  unpublish(name: string, options?: Pick<PublishOptions, 'owner'>): Promise<void>
  /** Says something else of this node, told to all as `updated`; later lives say it, too. RangeError for a tag of more than 1 KiB. */
  setTag(tag: Uint8Array): Promise<void>
  /**
   * Sets one static attribute of this node, told to all as `updated`; later lives say it, too. Undefined: it has none of this name. RangeError for an impossible name, and
   * where all would have more than 512 bytes.
   */
  setConstant(name: string, value: Uint8Array | undefined): Promise<void>
  /** Signs with this node's key (Ed25519): 64 bytes, which `isSignedInPool` checks. */
  sign(message: Uint8Array): Promise<Uint8Array>
  /** Tells all members something once, this node included, as an `event` notification; with `query`, as a `query`. RangeError for an impossible name or payload. */
  broadcast(name: string, payload: Uint8Array, query?: QueryOptions): Promise<void>
  /** All records that this node knows, by name, then owner; `prefix`: of names that begin so. */
  records(prefix?: string): readonly PoolRecord[]
  /**
   * Opens a stream of the application's own protocol to a member, dialling it where needed.
   * Throws {@link UnknownMemberError}, {@link InvalidProtocolError} or {@link OpenError}.
   */
  open(id: string, protocol: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<Stream>
  /** Accepts such streams, from members of the view only. An error of the handler aborts its stream. */
  handle(protocol: string, handler: (stream: Stream, from: string) => void | Promise<void>): Promise<void>
  unhandle(protocol: string): Promise<void>
  /** Says goodbye, stops the host and releases the identity file. Idempotent. */
  leave(): Promise<void>
  /** Never rejects. */
  readonly closed: Promise<Closed>
}
