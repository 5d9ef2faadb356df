/**
 * Messages: what nodes say to each other, read and within bounds, as the parts of the protocol make and take them. How they look
 * on the wire only a codec knows.
 */
import type { NodeId } from '../base/io.ts'
import type { Told } from '../facts/fact.ts'
import type { Statement } from '../facts/statement.ts'
import type * as wire from '../wire/messages.js'

/** One of these a frame. None of them: something that a later version says. */
export interface Message extends Pick<
  wire.Frame,
  'hello' | 'reconcile' | 'offer' | 'want' | 'probe' | 'ack' | 'signal' | 'signalAck' | 'goodbye'
> {
  /** Enter through one of these instead: too many newcomers are here. */
  readonly redirect?: { readonly members: readonly Told[] }
  readonly facts?: Facts
  readonly alarm?: Alarm
  readonly pingReq?: { readonly subjects: readonly NodeId[] }
  readonly pingReqAck?: PingReqAck
}

/** Suspicions and refutations. */
export interface Alarm {
  readonly statements: readonly Statement[]
}

/** What came of indirect probes. */
export interface PingReqAck {
  /** Refutations of those that were reached. */
  readonly reached: readonly Statement[]
  /** The helper had a link with these, and can't reach them now. */
  readonly missed: readonly NodeId[]
  /** It never had one, so that it can't tell: they may stand behind a NAT. */
  readonly unknown: readonly NodeId[]
}

export interface Facts {
  readonly facts: readonly Told[]
  /** News that nobody else was told: pass it on. Otherwise part of a reconciliation. */
  readonly fresh: boolean
}

/** A batch for the pool's topic. */
export interface Batch {
  /** Two batches of equal facts are two messages. */
  readonly nonce: number
  readonly facts: readonly Told[]
  /** Some were left out, as they break a bound that earlier releases do not have: not to be passed on, and nobody's fault. */
  readonly isPartial?: boolean
}

/** Failure detection: must not wait behind bulk, and is never held back. Order relative to other frames does not matter. */
export function isUrgent({ probe, ack, alarm, pingReq, pingReqAck }: Message): boolean {
  return [probe, ack, alarm, pingReq, pingReqAck].some((content) => content !== undefined)
}
