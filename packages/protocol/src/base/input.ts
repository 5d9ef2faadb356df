/** Inputs of the protocol: events around it, and the application's commands. */
import type { Address, Encoded, Milliseconds, NodeId, Reach, Signing } from './values.ts'

/** The fields that make an event a query. */
export interface QueryTerms {
  /** The asker's own number of the query, below 2^32. */
  readonly id: number
  /** The asker waits for answers for this time. */
  readonly timeout: Milliseconds
  /** The members that the query asks. Default: all. */
  readonly to?: readonly NodeId[] | undefined
}

/** A key other than the node's own, and its id. */
export interface Owner extends Pick<Signing, 'sign'> {
  readonly id: NodeId
}

/** An entry point to a pool: an address, and the id of the node there if known. */
export interface Introducer {
  readonly id?: NodeId
  readonly address: Address
  /**
   * True for a member that this node met in an earlier run, if nobody chose it as an introducer.
   * The node gives such a member up after some failures, without a warning.
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
  /** Another key answered: another node uses this address now. */
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
  /** Ends the life of this incarnation, and begins another one. */
  | { readonly type: 'rejoin'; readonly incarnation: number }
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
   * Sets one of this node's constants for this life and later ones. Without a value it removes the
   * constant.
   */
  | { readonly type: 'setConstant'; readonly name: string; readonly value?: Uint8Array }
  /** Sends an event to all members, or a query if `query` is given. */
  | { readonly type: 'broadcast'; readonly name: string; readonly payload: Uint8Array; readonly query?: QueryTerms }
  | { readonly type: 'leave' }
  /**
   * Goes on alone although the node has introducers, since none of them will answer. A node with
   * introducers claims no election before this command or a reconciliation with a member.
   */
  | { readonly type: 'found' }

export type Input<Data extends Encoded = Uint8Array> =
  /**
   * The first input, which comes once. The host listens on `addresses` and wants to enter through
   * one of `introducers`. Without introducers it founds a pool. `saved`: the result of
   * `recordFrames` in an earlier run, and its time, ms since 1970. The node checks these frames
   * like those of a peer.
   */
  | {
      readonly type: 'start'
      readonly addresses: readonly Address[]
      readonly introducers: readonly Introducer[]
      readonly saved?: { readonly records: readonly Data[]; readonly at: Milliseconds }
    }
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
   * The link to `peer` is gone: it broke, the other side closed it, or a `disconnect` effect closed
   * it.
   */
  | { readonly type: 'disconnected'; readonly peer: NodeId }
  /**
   * The runner cut the link because `peer` broke a rule below the frames. `disconnected` follows.
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
  /** mDNS found another node of this pool on the local network. */
  | { readonly type: 'discovered'; readonly introducer: Introducer }
  /** The host found out how others reach this node. */
  | { readonly type: 'reach'; readonly reach: Reach }
  /** The host's own addresses changed. */
  | { readonly type: 'addresses'; readonly addresses: readonly Address[] }
  /**
   * The time of the latest `timer` effect has come. A late timer shows the protocol that its host
   * stalled.
   */
  | { readonly type: 'timer' }
