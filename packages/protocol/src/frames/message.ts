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
  /** Enter through one of these instead: too many knock here. */
  readonly redirect?: { readonly members: readonly Told[] }
  readonly facts?: Facts
  readonly alarm?: Alarm
}

/** Suspicions and refutations; `doubted` did not answer a first probe. */
export interface Alarm {
  readonly statements: readonly Statement[]
  readonly doubted: readonly NodeId[]
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
}
