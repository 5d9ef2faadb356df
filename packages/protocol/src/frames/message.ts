/**
 * Messages between nodes, decoded and within bounds, as the protocol's parts create and receive
 * them. Only a codec knows their wire format.
 */
import type { NodeId } from '../base/values.ts'
import type { AgedFact } from '../facts/fact.ts'
import type { Statement } from '../facts/statement.ts'
import type * as wire from '../wire/messages.js'

/** Each frame has one of these contents. A frame without any comes from a later version. */
export interface Message extends Pick<
  wire.Frame,
  'hello' | 'reconcile' | 'offer' | 'want' | 'probe' | 'ack' | 'signal' | 'signalAck' | 'goodbye'
> {
  /** Too many newcomers are here: enter through one of these members instead. */
  readonly redirect?: { readonly members: readonly AgedFact[] }
  readonly facts?: Facts
  readonly alarm?: Alarm
  readonly pingReq?: { readonly subjects: readonly NodeId[] }
  readonly pingReqAck?: PingReqAck
}

/** Accusations and refutations. */
export interface Alarm {
  readonly statements: readonly Statement[]
}

/** Results of indirect probes. */
export interface PingReqAck {
  /** Refutations of the reached members. */
  readonly reached: readonly Statement[]
  /** The helper can't reach these members, and can tell by itself that they are gone. */
  readonly missed: readonly NodeId[]
  /**
   * The helper can't reach these members, but they may live: a NAT or a cut may separate them from
   * it.
   */
  readonly unknown: readonly NodeId[]
}

export interface Facts {
  readonly facts: readonly AgedFact[]
  /** True for news, which the receiver passes on. False for facts of a reconciliation. */
  readonly fresh: boolean
}

/** A batch for the pool's topic. */
export interface Batch {
  /** Makes two batches of equal facts different messages. */
  readonly nonce: number
  readonly facts: readonly AgedFact[]
  /**
   * True if the decoder left out facts beyond a bound that earlier releases lack. The receiver does
   * not pass the batch on, and blames nobody.
   */
  readonly isPartial?: boolean
}

/**
 * True for a message of failure detection. It must not wait behind other frames, and the host never
 * holds it back. Its order among other frames does not matter.
 */
export function isUrgent({ probe, ack, alarm, pingReq, pingReqAck }: Message): boolean {
  return [probe, ack, alarm, pingReq, pingReqAck].some((content) => content !== undefined)
}
