/**
 * Messages between nodes, decoded and within bounds, as the protocol's parts create and receive
 * them. Only a codec knows their wire format.
 */
import type { NodeId } from '../base/values.ts'
import type { AgedFact } from '../facts/fact.ts'
import type { Statement } from '../facts/statement.ts'
import type * as wire from '../wire/messages.js'

/** Each frame has one of these. A frame with none is of a later version. */
export interface Message extends Pick<
  wire.Frame,
  'hello' | 'reconcile' | 'offer' | 'want' | 'probe' | 'ack' | 'signal' | 'signalAck' | 'goodbye'
> {
  /** Enter through one of these instead, since too many newcomers are here. */
  readonly redirect?: { readonly members: readonly AgedFact[] }
  readonly facts?: Facts
  readonly alarm?: Alarm
  readonly pingReq?: { readonly subjects: readonly NodeId[] }
  readonly pingReqAck?: PingReqAck
}

/** Suspicions and refutations. */
export interface Alarm {
  readonly statements: readonly Statement[]
}

/** Results of indirect probes. */
export interface PingReqAck {
  /** Refutations of the reached members. */
  readonly reached: readonly Statement[]
  /** The helper had a link with these, and can't reach them at present. */
  readonly missed: readonly NodeId[]
  /** The helper never had a link with these, so it can't judge. They may stand behind a NAT. */
  readonly unknown: readonly NodeId[]
}

export interface Facts {
  readonly facts: readonly AgedFact[]
  /** News that no other node received: pass it on. Otherwise part of a reconciliation. */
  readonly fresh: boolean
}

/** A batch for the pool's topic. */
export interface Batch {
  /** Makes two batches of equal facts different messages. */
  readonly nonce: number
  readonly facts: readonly AgedFact[]
  /**
   * Some facts were left out, as they break a bound that earlier releases lack. Don't pass the
   * batch on, and blame nobody.
   */
  readonly isPartial?: boolean
}

/**
 * Failure detection: must not wait behind bulk, and is never held back. Its order relative to other
 * frames does not matter.
 */
export function isUrgent({ probe, ack, alarm, pingReq, pingReqAck }: Message): boolean {
  return [probe, ack, alarm, pingReq, pingReqAck].some((content) => content !== undefined)
}
