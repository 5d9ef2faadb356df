/**
 * Everything that crosses the border between the protocol and the world around it.
 *
 * The protocol is a state machine: {@link Input}s go in together with the time, {@link Effect}s come out, and nothing else
 * happens. Whoever runs it (a libp2p host, the simulator, a test) carries the effects out and reports what came of them
 * as further inputs. The shape is that of iroh-gossip's `InEvent`/`OutEvent` and foca's `Runtime`.
 */

/** A point in time or a span, in milliseconds. The zero point is the runner's choice; it must never run backwards. */
export type Milliseconds = number

/** A node id: the text form of a libp2p Ed25519 PeerId (`12D3KooW…`). Its order as text is its order as a number. */
export type NodeId = string

/** A network address, opaque to the protocol: the binary form of a multiaddr without its `/p2p` part. */
export type Address = Uint8Array

/** Static attributes of a member, by name. */
export type Constants = ReadonlyMap<string, Uint8Array>

/** What others know of a node. `id` and `incarnation` together name one life; a life that ended never comes back. */
export interface Member {
  readonly id: NodeId
  /** Grows each time this id enters the pool. Starts at 1. */
  readonly incarnation: number
  readonly addresses: readonly Address[]
  /** Levels from fine to coarse joined by `@`, as in `node7@rack2@delft@nl`. */
  readonly location: string
  /** Bytes of the application's own, at most `limits.tagBytes` long. */
  readonly tag: Uint8Array
  /** Static attributes: bytes by name, at most `limits.constantsBytes` of both. */
  readonly constants: Constants
  /** When this life began, by its own calendar: milliseconds since 1970; 0 where it does not say. */
  readonly joinedAt: Milliseconds
}

/** One reign in one election. The fencing token is `(epoch, winner)`: it orders reigns, it can't exclude two at once. */
export interface Reign {
  readonly election: string
  readonly epoch: number
  readonly winner: Member
}

/** Bytes that somebody published under a name, known to all members until they expire. */
export interface PoolRecord {
  /** 1 to 128 bytes; each owner has names of its own. */
  readonly name: string
  /** Whose key signed it: the id of a member, or of a key that is no member's. */
  readonly owner: NodeId
  /** Of one owner's records of a name the highest counts. */
  readonly version: number
  /** When all forget it, milliseconds since 1970 on their own calendars. */
  readonly expires: Milliseconds
  /** Undefined: it was withdrawn, or made way for others. */
  readonly value: Uint8Array | undefined
}

/** What makes an event a query. */
export interface QueryTerms {
  /** The asker's own number of it, below 2^32. */
  readonly id: number
  /** So long the asker waits for answers. */
  readonly timeout: Milliseconds
  /** Who is asked; left out: all are. */
  readonly to?: readonly NodeId[] | undefined
}

/** A key that is not the node's own, and its id. */
export interface Owner extends Pick<Signing, 'sign'> {
  readonly id: NodeId
}

/** Where a pool may be entered: an address, and the id behind it where that is known. */
export interface Introducer {
  readonly id?: NodeId
  readonly address: Address
  /** It was a member when this node ran before, and nobody chose it as the way in: it is given up in the end, and nobody is warned of it. */
  readonly remembered?: boolean
}

/** Why a dial did not give a connection. */
export type DialFailure =
  /** The host answered that nothing listens there: the process is gone. */
  | 'refused'
  /** Nothing answered at all: the host or the path to it is gone. */
  | 'silent'
  /** The kernel accepted, the process said nothing: stopped or busy. */
  | 'unresponsive'
  /** Somebody else answered: another key lives at this address now. */
  | 'impostor'
  /** It is this node's own address. */
  | 'self'
  /** Anything else: wrong pool key, protocol not spoken, no usable address, aborted. */
  | 'failed'

/** What a host probe (a bare transport connect without a handshake) found. */
export type HostProbeOutcome = 'refused' | 'silent' | 'accepted'

/** What the application asks for. */
export type Command =
  | { readonly type: 'elect'; readonly election: string }
  | { readonly type: 'withdraw'; readonly election: string }
  | { readonly type: 'maybeDead'; readonly id: NodeId }
  /** `ref` comes back in the `signalled` notification. */
  | { readonly type: 'signal'; readonly ref: number; readonly name: string; readonly to: readonly NodeId[] }
  /** Publishes a record for so long, ms, in place of an earlier one of this name. Left out: with this node's key. */
  | { readonly type: 'publish'; readonly name: string; readonly value: Uint8Array; readonly lifetime: Milliseconds; readonly owner?: Owner }
  /** Withdraws a record. It is told for as long as the record would have lived. */
  | { readonly type: 'unpublish'; readonly name: string; readonly owner?: Owner }
  /** This node says something else of itself, within its life. */
  | { readonly type: 'retag'; readonly tag: Uint8Array }
  /** One of its static attributes, for this life and later ones; without a value: it has none of this name. */
  | { readonly type: 'setConstant'; readonly name: string; readonly value?: Uint8Array }
  /** Tells all members something once, or asks them. */
  | { readonly type: 'broadcast'; readonly name: string; readonly payload: Uint8Array; readonly query?: QueryTerms }
  | { readonly type: 'leave' }
  /** Go on alone: introducers were given, but none will answer. Until one does, or this is said, the node claims in no election. */
  | { readonly type: 'found' }

/**
 * A frame or broadcast as a runner carries it; `length` is the bytes that it takes on the wire. On real hosts it is those bytes; who
 * brings a codec of its own may let it be something else.
 */
export interface Encoded {
  readonly length: number
}

export type Input<Data extends Encoded = Uint8Array> =
  /** Once, first: the host listens on `addresses` and wants to enter through one of `introducers` (none: found a pool). */
  | { readonly type: 'start'; readonly addresses: readonly Address[]; readonly introducers: readonly Introducer[] }
  | { readonly type: 'command'; readonly command: Command }
  /** A frame that arrived on a link. Links are authenticated: `from` is certain. */
  | { readonly type: 'frame'; readonly from: NodeId; readonly data: Data }
  /** A message of the pool's broadcast topic, whoever forwarded it. */
  | { readonly type: 'broadcast'; readonly data: Data }
  /**
   * A link to `peer` is up: frames can be sent. At most one link a peer; the runner hides parallel connections.
   * `dialable`: this peer was reached by dialling it, or announces the address it comes from (it is not behind a NAT).
   */
  | { readonly type: 'connected'; readonly peer: NodeId; readonly dialable: boolean }
  /** The link to `peer` is gone: closed by the other side, broken, or closed by a `disconnect` effect. */
  | { readonly type: 'disconnected'; readonly peer: NodeId }
  /** The link to `peer` was cut off, because it broke a rule that is checked below the frames. Comes before `disconnected`. */
  | { readonly type: 'misbehaved'; readonly peer: NodeId; readonly problem: string }
  /** A `connect` effect came to nothing. `peer` and `addresses` are those of the effect. */
  | {
      readonly type: 'unreachable'
      readonly peer: NodeId | undefined
      readonly addresses: readonly Address[]
      readonly failure: DialFailure
      /** For people: what the transport said. */
      readonly reason: string
    }
  | { readonly type: 'hostProbed'; readonly peer: NodeId; readonly outcome: HostProbeOutcome }
  /** The local network found another node of this pool (mDNS). */
  | { readonly type: 'discovered'; readonly introducer: Introducer }
  /** The host's own addresses changed. */
  | { readonly type: 'addresses'; readonly addresses: readonly Address[] }
  /** The time asked for by the latest `timer` effect has come. Late ones tell the protocol that its host stalled. */
  | { readonly type: 'timer' }

/** What the application gets to hear. For each life: at most one `joined`, then at most one of `left` and `died`. */
export type Notification =
  | { readonly type: 'joined'; readonly member: Member }
  | { readonly type: 'left'; readonly member: Member }
  | { readonly type: 'died'; readonly member: Member }
  /** Addresses, tag or constants of a member changed; its life goes on. */
  | { readonly type: 'updated'; readonly member: Member }
  | { readonly type: 'elected'; readonly reign: Reign }
  /**
   * Once, after the node's own `joined`: it has reconciled with somebody who is in, so its view is that of the pool. `alone`: it has founded the
   * pool, or goes on without introducers, as none let it in (why: `health().introducers`).
   */
  | { readonly type: 'entered'; readonly alone: boolean }
  | { readonly type: 'signal'; readonly name: string; readonly from: Member }
  /** A member told all members something, this node included. Once each; nothing of before this node had entered. */
  | { readonly type: 'event'; readonly name: string; readonly payload: Uint8Array; readonly from: Member }
  /** A member asks; answers go to it directly. `asked`: how many members are, as far as this node knows. */
  | {
      readonly type: 'query'
      readonly name: string
      readonly payload: Uint8Array
      readonly from: Member
      readonly id: number
      readonly timeout: Milliseconds
      readonly asked: number
    }
  /** A record is new, has a new version, was withdrawn, or made way for others: then it has no value. That it expired is not told. */
  | { readonly type: 'record'; readonly record: PoolRecord }
  /** The end of a `signal` command: who acknowledged, and who did not within the time allowed. */
  | {
      readonly type: 'signalled'
      readonly ref: number
      readonly delivered: readonly NodeId[]
      readonly failed: readonly NodeId[]
    }
  /** Something went wrong that the application may want to know; the node goes on. `code` is stable, `message` is for people. */
  | { readonly type: 'warning'; readonly code: WarningCode; readonly message: string }
  /** Links or neighbours changed so that `health()` reads differently (alone, in a minority, well again). */
  | { readonly type: 'health'; readonly health: Health }

export type WarningCode =
  | 'INTRODUCER_UNREACHABLE'
  | 'PEER_MISBEHAVED'
  | 'INCARNATION_REPLACED'
  /** Others believe that a life of this identity ended that is too far ahead to be true: they don't see this node. */
  | 'INCARNATION_OUT_OF_REACH'
  /** A peer's calendar is minutes apart: events, queries and records get lost between the two. */
  | 'CALENDARS_DIFFER'
  | 'VIEW_FULL'
  | 'ELECTIONS_FULL'
  | 'RECORDS_FULL'
  /** The host let a peer not in, or did not dial it. */
  | 'PEER_REFUSED'
  /** The file of remembered peers can't be used. */
  | 'PEERS_FILE'
  | 'EVENTS_FULL'

/** How well this node is connected, as far as it can tell. */
export interface Health {
  /** Links that are up now. */
  readonly links: number
  /** Members of the view, self included. */
  readonly members: number
  /** Share of the other members that are suspected, lost within the last minute, or unreachable now: 0 to 1. */
  readonly suspectedShare: number
  /** Members that this node can't reach itself, but others can: they stay members, and a stream to one may fail. */
  readonly relayed: number
  /**
   * No other member can be reached, although the view has some, several were lost at once and are not back, or an introducer was given and none
   * has answered yet. A node that only lost its one peer is not alone but a pool of one, in a minority.
   */
  readonly alone: boolean
  /**
   * At most half of the members that this node knew of a minute before are reachable: there may be another, larger side. It stays so until more
   * than half are there again, or those that were lost are forgotten (after a day).
   */
  readonly minority: boolean
  /** When a reconciliation with a peer last ended, in the runner's time; undefined: never. */
  readonly lastReconciliation: Milliseconds | undefined
  /** Per introducer that does not answer: why. */
  readonly introducers: readonly { readonly introducer: Introducer; readonly reason: string }[]
}

/** A link as its node sees it. */
export interface LinkState {
  /** Who is at the other end. */
  readonly id: NodeId
  /** How long the other end took to answer the last probe, ms; undefined: it is not this node that probes it, or no answer came yet. */
  readonly roundTrip: Milliseconds | undefined
}

/** How long something took that this node did. */
export type Measured =
  /** From the first suspicion that this node had, or was told of, until it took the member for dead. A death that came as a surprise has none. */
  | { readonly what: 'detection'; readonly member: NodeId; readonly took: Milliseconds }
  /** A reconciliation that this node began, until both sides knew the same. */
  | { readonly what: 'reconciliation'; readonly took: Milliseconds }

export type Effect<Data extends Encoded = Uint8Array> =
  /**
   * Send a frame on the link to `to`. Without a link it is dropped (the `disconnected` input is on its way). `urgent`: failure detection, which
   * must not wait behind bulk and travels on a stream of its own.
   */
  | { readonly type: 'send'; readonly to: NodeId; readonly data: Data; readonly urgent?: boolean }
  /**
   * Hand in no more frames of this peer before `until`, but for urgent ones. Nothing is lost: the runner stops reading, so what the peer sends waits
   * in its own buffers (back-pressure).
   */
  | { readonly type: 'pause'; readonly peer: NodeId; readonly until: Milliseconds }
  /** Publish on the pool's topic, unreliably. Never delivered to the sender itself. */
  | { readonly type: 'broadcast'; readonly data: Data }
  /**
   * Open a link. Answered by `connected` or `unreachable`; by neither if a link to `peer` is already up. Without a `peer`
   * whoever answers at the address is welcome.
   */
  | { readonly type: 'connect'; readonly peer: NodeId | undefined; readonly addresses: readonly Address[] }
  /** Close the link to `peer`, after what was sent so far is flushed. */
  | { readonly type: 'disconnect'; readonly peer: NodeId; readonly reason: string }
  /** Find out whether anything answers at these addresses, without a handshake. Answered by `hostProbed`. */
  | { readonly type: 'probeHost'; readonly peer: NodeId; readonly addresses: readonly Address[] }
  /** Wake me at this time. Replaces the timer asked for before. */
  | { readonly type: 'timer'; readonly at: Milliseconds }
  /** Write this incarnation down before carrying out any later effect of the same list. */
  | { readonly type: 'persist'; readonly incarnation: number }
  | { readonly type: 'notify'; readonly notification: Notification }
  /** The node can't go on: stop the host. `IDENTITY_IN_USE`: somebody else runs under this key. */
  | { readonly type: 'fail'; readonly code: 'IDENTITY_IN_USE'; readonly message: string }

/** A node's key, and everybody's: both functions are synchronous and pure. */
export interface Signing {
  /** Signs with this node's private key. 64 bytes (Ed25519) come back. */
  sign(message: Uint8Array): Uint8Array
  /** True if `signature` is `signer`'s over `message`. Never throws. */
  verify(signer: NodeId, message: Uint8Array, signature: Uint8Array): boolean
}

/** Verdict over a broadcast message, from its bytes alone: `reject` only what is provably wrong. */
export type BroadcastVerdict = 'accept' | 'ignore' | 'reject'
