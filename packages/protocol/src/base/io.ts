/**
 * The border between the protocol and the world around it.
 *
 * The protocol is a state machine: {@link Input}s go in together with the time, {@link Effect}s
 * come out, and nothing else happens. A runner (a libp2p host, the simulator, a test) carries the
 * effects out and reports their results as further inputs. The shape is that of iroh-gossip's
 * `InEvent`/`OutEvent` and foca's `Runtime`.
 */

/**
 * A point in time or a span, in milliseconds. The runner chooses the zero point. Time must never
 * run backwards.
 */
export type Milliseconds = number

/**
 * A node id: the text form of a libp2p Ed25519 PeerId (`12D3KooW…`). Its order as text is its order
 * as a number.
 */
export type NodeId = string

/**
 * A network address, opaque to the protocol: the binary form of a multiaddr without its `/p2p`
 * part.
 */
export type Address = Uint8Array

/** Static attributes of a member, by name. */
export type Constants = ReadonlyMap<string, Uint8Array>

/**
 * A node as others see it. `id` and `incarnation` together name one life. A life that ended never
 * comes back.
 */
export interface Member {
  readonly id: NodeId
  /** Grows each time this id enters the pool. Starts at 1. */
  readonly incarnation: number
  readonly addresses: readonly Address[]
  /** Levels from fine to coarse joined by `@`, as in `node7@rack2@delft@nl`. */
  readonly location: string
  /** Bytes of the application, at most `limits.tagBytes` long. */
  readonly tag: Uint8Array
  /** Static attributes: bytes by name, at most `limits.constantsBytes` with the names. */
  readonly constants: Constants
  /** The start of this life on its own calendar: milliseconds since 1970; 0 if unstated. */
  readonly joinedAt: Milliseconds
}

/**
 * One reign in one election. The fencing token is `(epoch, winner)`. It orders reigns, but can't
 * exclude two at once.
 */
export interface Reign {
  readonly election: string
  readonly epoch: number
  readonly winner: Member
}

/** Bytes that somebody published under a name. All members hold them until they expire. */
export interface PoolRecord {
  /** 1 to 128 bytes. Each owner has its own names. */
  readonly name: string
  /** The id of the key that signed it: a member's key or another one. */
  readonly owner: NodeId
  /** Of an owner's records of one name the highest version counts. */
  readonly version: number
  /** The time at which all members forget it, milliseconds since 1970 on their own calendars. */
  readonly expires: Milliseconds
  /** Undefined if it was withdrawn, or evicted for other records. */
  readonly value: Uint8Array | undefined
}

/** The fields that make an event a query. */
export interface QueryTerms {
  /** The asker's own number of the query, below 2^32. */
  readonly id: number
  /** The asker waits for answers for this time. */
  readonly timeout: Milliseconds
  /** The members that are asked; all if left out. */
  readonly to?: readonly NodeId[] | undefined
}

/** A key other than the node's own, and its id. */
export interface Owner extends Pick<Signing, 'sign'> {
  readonly id: NodeId
}

/** An entrance to a pool: an address, and the id behind it if known. */
export interface Introducer {
  readonly id?: NodeId
  readonly address: Address
  /**
   * True for a member of an earlier run that nobody chose as an introducer. The node gives it up
   * after some failures, and warns nobody about it.
   */
  readonly remembered?: boolean
}

/** The reason why a dial gave no connection. */
export type DialFailure =
  /** The host answered that nothing listens there: the process is gone. */
  | 'refused'
  /** Nothing answered at all: the host or the path to it is gone. */
  | 'silent'
  /** The kernel accepted, but the process sent nothing: stopped or busy. */
  | 'unresponsive'
  /** Another key answered: it lives at this address now. */
  | 'impostor'
  /** It is this node's own address. */
  | 'self'
  /** Anything else: wrong pool key, protocol not spoken, no usable address, aborted. */
  | 'failed'

/** The result of a host probe (a bare transport connect without a handshake). */
export type HostProbeOutcome = 'refused' | 'silent' | 'accepted'

/** A request of the application. */
export type Command =
  | { readonly type: 'elect'; readonly election: string }
  | { readonly type: 'withdraw'; readonly election: string }
  | { readonly type: 'maybeDead'; readonly id: NodeId }
  /** `ref` comes back in the `signalled` notification. */
  | { readonly type: 'signal'; readonly ref: number; readonly name: string; readonly to: readonly NodeId[] }
  /**
   * Publishes a record for `lifetime` ms, in place of an earlier one of this name. Without `owner`
   * the node's own key signs it.
   */
  | { readonly type: 'publish'; readonly name: string; readonly value: Uint8Array; readonly lifetime: Milliseconds; readonly owner?: Owner }
  /** Withdraws a record. The withdrawal lasts as long as the record would have lived. */
  | { readonly type: 'unpublish'; readonly name: string; readonly owner?: Owner }
  /** Changes the tag of this node within its life. */
  | { readonly type: 'retag'; readonly tag: Uint8Array }
  /**
   * Sets one of this node's constants for this life and later ones, or removes it without a value.
   */
  | { readonly type: 'setConstant'; readonly name: string; readonly value?: Uint8Array }
  /** Sends a message to all members once, or asks them. */
  | { readonly type: 'broadcast'; readonly name: string; readonly payload: Uint8Array; readonly query?: QueryTerms }
  | { readonly type: 'leave' }
  /**
   * Goes on alone although introducers were given, as none will answer. Until this command, or an
   * answer of an introducer, the node claims no election.
   */
  | { readonly type: 'found' }

/**
 * A frame or broadcast as a runner carries it. `length` is its number of bytes on the wire. Real
 * hosts carry the bytes themselves. A runner with its own codec may carry something else.
 */
export interface Encoded {
  readonly length: number
}

export type Input<Data extends Encoded = Uint8Array> =
  /**
   * Once, first: the host listens on `addresses` and wants to enter through one of `introducers`.
   * Without introducers it founds a pool.
   */
  | { readonly type: 'start'; readonly addresses: readonly Address[]; readonly introducers: readonly Introducer[] }
  | { readonly type: 'command'; readonly command: Command }
  /** A frame that arrived on a link. Links are authenticated: `from` is certain. */
  | { readonly type: 'frame'; readonly from: NodeId; readonly data: Data }
  /** A message of the pool's broadcast topic, from any forwarder. */
  | { readonly type: 'broadcast'; readonly data: Data }
  /**
   * A link to `peer` is up: frames can be sent. Each peer has at most one link. The runner hides
   * parallel connections. `dialable`: this node dialled the peer, or the peer announces the address
   * that it comes from (it is not behind a NAT).
   */
  | { readonly type: 'connected'; readonly peer: NodeId; readonly dialable: boolean }
  /**
   * The link to `peer` is gone: closed by the other side, broken, or closed by a `disconnect`
   * effect.
   */
  | { readonly type: 'disconnected'; readonly peer: NodeId }
  /**
   * The runner cut the link to `peer`, which broke a rule below the frames. Precedes
   * `disconnected`.
   */
  | { readonly type: 'misbehaved'; readonly peer: NodeId; readonly problem: string }
  /** A `connect` effect failed. `peer` and `addresses` are those of the effect. */
  | {
      readonly type: 'unreachable'
      readonly peer: NodeId | undefined
      readonly addresses: readonly Address[]
      readonly failure: DialFailure
      /** The transport's reason, for people. */
      readonly reason: string
    }
  | { readonly type: 'hostProbed'; readonly peer: NodeId; readonly outcome: HostProbeOutcome }
  /** The local network found another node of this pool (mDNS). */
  | { readonly type: 'discovered'; readonly introducer: Introducer }
  /** The host's own addresses changed. */
  | { readonly type: 'addresses'; readonly addresses: readonly Address[] }
  /**
   * The time of the latest `timer` effect has come. A late timer shows the protocol that its host
   * stalled.
   */
  | { readonly type: 'timer' }

/**
 * A notification to the application. Each life has at most one `joined`, then at most one of `left`
 * and `died`.
 */
export type Notification =
  | { readonly type: 'joined'; readonly member: Member }
  | { readonly type: 'left'; readonly member: Member }
  | { readonly type: 'died'; readonly member: Member }
  /** Addresses, tag or constants of a member changed. Its life goes on. */
  | { readonly type: 'updated'; readonly member: Member }
  | { readonly type: 'elected'; readonly reign: Reign }
  /**
   * Once, after the node's own `joined`: it has reconciled with a node in the pool, so its view is
   * that of the pool. `alone`: it has founded the pool, or goes on without introducers, as none let
   * it in (`health().introducers` has the reasons).
   */
  | { readonly type: 'entered'; readonly alone: boolean }
  | { readonly type: 'signal'; readonly name: string; readonly from: Member }
  /**
   * A member sent a message to all members, this node included. It comes once, and never from
   * before this node's entry.
   */
  | { readonly type: 'event'; readonly name: string; readonly payload: Uint8Array; readonly from: Member }
  /**
   * A member asks. Answers go to it directly. `asked`: the number of members asked, as far as this
   * node knows.
   */
  | {
      readonly type: 'query'
      readonly name: string
      readonly payload: Uint8Array
      readonly from: Member
      readonly id: number
      readonly timeout: Milliseconds
      readonly asked: number
    }
  /**
   * A record is new, has a new version, was withdrawn, or was evicted. The last two have no value.
   * No notification announces its expiry.
   */
  | { readonly type: 'record'; readonly record: PoolRecord }
  /**
   * The end of a `signal` command: the members that acknowledged it within the time allowed, and
   * the others.
   */
  | {
      readonly type: 'signalled'
      readonly ref: number
      readonly delivered: readonly NodeId[]
      readonly failed: readonly NodeId[]
    }
  /**
   * Something went wrong that may interest the application. The node goes on. `code` is stable,
   * `message` is for people.
   */
  | { readonly type: 'warning'; readonly code: WarningCode; readonly message: string }
  /** Links or neighbours changed, so that `health()` differs (alone, in a minority, well again). */
  | { readonly type: 'health'; readonly health: Health }

export type WarningCode =
  | 'INTRODUCER_UNREACHABLE'
  | 'PEER_MISBEHAVED'
  | 'INCARNATION_REPLACED'
  /**
   * Others believe in the end of a life of this identity with an incarnation that is too high to be
   * true. They don't see this node.
   */
  | 'INCARNATION_OUT_OF_REACH'
  /**
   * A peer's calendar differs by minutes: the two may lose each other's events, queries and
   * records.
   */
  | 'CALENDARS_DIFFER'
  | 'VIEW_FULL'
  | 'ELECTIONS_FULL'
  | 'RECORDS_FULL'
  /** The host refused a peer, or did not dial it. */
  | 'PEER_REFUSED'
  /** The file of remembered peers is unusable. */
  | 'PEERS_FILE'
  | 'EVENTS_FULL'

/** The connectedness of this node, as far as it can detect it. */
export interface Health {
  /** Links that are up. */
  readonly links: number
  /** Members of the view, self included. */
  readonly members: number
  /** Share of the other members that are suspected or were lost within the last minute: 0 to 1. */
  readonly suspectedShare: number
  /** Members that only others can reach. They stay members, but a stream to one may fail. */
  readonly relayed: number
  /**
   * True if this node can reach no other member, and its view has some, or it lost several at once
   * that are not back, or it was given an introducer and none has answered yet. A node that only
   * lost its one peer is not alone but a pool of one, in a minority.
   */
  readonly alone: boolean
  /**
   * True if at most half of the members of a minute before are reachable: another, larger side may
   * exist. It stays true until more than half are there again, or the lost ones are forgotten
   * (after a day).
   */
  readonly minority: boolean
  /** The end of the last reconciliation with a peer, in the runner's time; undefined: none yet. */
  readonly lastReconciliation: Milliseconds | undefined
  /** The introducers that do not answer, each with the reason. */
  readonly introducers: readonly { readonly introducer: Introducer; readonly reason: string }[]
}

/** A link as its node sees it. */
export interface LinkState {
  /** The node at the other end. */
  readonly id: NodeId
  /**
   * Duration of the other end's last answer to a probe, ms. Undefined if this node does not probe
   * it, or has no answer yet.
   */
  readonly roundTrip: Milliseconds | undefined
}

/** The duration of an action of this node. */
export type Measured =
  /**
   * From this node's first suspicion, or the first that it received, until it believed in the
   * death. A death without a suspicion has none.
   */
  | { readonly what: 'detection'; readonly member: NodeId; readonly took: Milliseconds }
  /** From the start of a reconciliation by this node until both sides had the same facts. */
  | { readonly what: 'reconciliation'; readonly took: Milliseconds }

export type Effect<Data extends Encoded = Uint8Array> =
  /**
   * Sends a frame on the link to `to`. Without a link it is dropped (the `disconnected` input is on
   * its way). `urgent`: failure detection, which must not wait behind bulk and has its own stream.
   */
  | { readonly type: 'send'; readonly to: NodeId; readonly data: Data; readonly urgent?: boolean }
  /**
   * Hands in no frames of this peer before `until`, except urgent ones. Nothing is lost: the runner
   * stops reading, so the peer's frames wait in the peer's buffers (back-pressure).
   */
  | { readonly type: 'pause'; readonly peer: NodeId; readonly until: Milliseconds }
  /** Publishes on the pool's topic, unreliably. The sender itself does not receive it. */
  | { readonly type: 'broadcast'; readonly data: Data }
  /**
   * Opens a link. The answer is `connected` or `unreachable`, and none if a link to `peer` is
   * already up. Without a `peer` any node at the address is welcome.
   */
  | { readonly type: 'connect'; readonly peer: NodeId | undefined; readonly addresses: readonly Address[] }
  /** Closes the link to `peer` after it has flushed the frames sent so far. */
  | { readonly type: 'disconnect'; readonly peer: NodeId; readonly reason: string }
  /** Probes these addresses without a handshake. The answer is `hostProbed`. */
  | { readonly type: 'probeHost'; readonly peer: NodeId; readonly addresses: readonly Address[] }
  /** Wakes the protocol at this time. Replaces the earlier timer. */
  | { readonly type: 'timer'; readonly at: Milliseconds }
  /** Stores this incarnation before any later effect of the same list. */
  | { readonly type: 'persist'; readonly incarnation: number }
  | { readonly type: 'notify'; readonly notification: Notification }
  /**
   * The node can't go on: stop the host. `IDENTITY_IN_USE`: another process runs under this key.
   */
  | { readonly type: 'fail'; readonly code: 'IDENTITY_IN_USE'; readonly message: string }

/**
 * Signs with a node's own key and verifies with any key. Both functions are synchronous and pure.
 */
export interface Signing {
  /** Signs with this node's private key. Returns 64 bytes (Ed25519). */
  sign(message: Uint8Array): Uint8Array
  /** Returns true if `signature` is `signer`'s over `message`. Never throws. */
  verify(signer: NodeId, message: Uint8Array, signature: Uint8Array): boolean
}

/**
 * The verdict on a broadcast message, from its bytes alone. Only a provably wrong message is a
 * `reject`.
 */
export type BroadcastVerdict = 'accept' | 'ignore' | 'reject'
