/**
 * A node: takes inputs with the time, and returns effects.
 *
 * An input goes to the part that it concerns (`inputs.ts`). That part puts its findings for other
 * parts into a queue of outcomes. `settlement.ts` settles them in order. Then the timers that are
 * due fire. This class decides nothing about membership or elections: the parts do.
 */
import { hashSpace } from './base/hash.ts'
import type { BroadcastVerdict, Effect } from './base/effect.ts'
import type { Input } from './base/input.ts'
import type { Health, LinkState } from './base/notification.ts'
import type { Encoded, Member, Milliseconds, NodeId, PoolRecord, Reign } from './base/values.ts'
import { nameProblem } from './base/name.ts'
import type { Context } from './context/context.ts'
import { stall } from './detection/probing/health-multiplier.ts'
import { Inputs } from './inputs.ts'
import { Parts, type NodeOptions } from './parts.ts'
import { Settlement } from './settlement.ts'

export type { NodeOptions } from './parts.ts'

/** `Data` is the encoded form of messages, which the codec in `NodeOptions` produces. */
export class ProtocolNode<Data extends Encoded = Uint8Array> {
  readonly #parts: Parts<Data>
  readonly #context: Context<Data>
  readonly #settlement: Settlement
  readonly #inputs: Inputs<Data>
  #armedAt: Milliseconds = Infinity

  /** Throws RangeError on an invalid pool name. */
  constructor(options: NodeOptions<Data>) {
    const problem = nameProblem(options.pool)
    if (problem !== undefined) throw new RangeError(`the pool's name ${problem}`)
    this.#parts = new Parts(options)
    this.#context = this.#parts.context
    this.#settlement = new Settlement(this.#parts)
    this.#inputs = new Inputs(this.#parts, this.#settlement)
  }

  /** This node as others know it; undefined before it entered and after it left. */
  get self(): Member | undefined {
    return this.#parts.life.self
  }

  /** Returns the view, self included, ordered by id. */
  members(): Member[] {
    return [...this.#context.view.members()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  member(id: NodeId): Member | undefined {
    return this.#context.view.get(id)
  }

  /** True if this node stands in this election. */
  stands(election: string): boolean {
    return this.#parts.elections.stands(election)
  }

  /** The reign of this election as this node sees it; undefined while there is no live winner. */
  reign(election: string): Reign | undefined {
    return this.#parts.elections.reign(election)
  }

  /** The latest epoch of each known election, also of one whose winner is gone. */
  epochs(): ReadonlyMap<string, number> {
    return this.#parts.elections.epochs()
  }

  /**
   * Returns the published records whose names begin with `prefix`, sorted by name, each with its
   * owner.
   */
  records(prefix?: string): PoolRecord[] {
    return this.#parts.records.list(prefix)
  }

  /**
   * Returns all records, withdrawn ones included, each as a frame. The input `start` of a later run
   * takes them, so records survive a time in which all nodes of the pool are off.
   */
  recordFrames(): Data[] {
    const { wire } = this.#context
    return this.#parts.records.held().map((fact) => wire.encodeFrame({ facts: { facts: [fact], fresh: false } }))
  }

  /**
   * True once this node has taken in or dropped the records of an earlier run. Until then the
   * runner must not overwrite them.
   */
  get hasRestoredRecords(): boolean {
    return this.#inputs.hasRestored
  }

  /**
   * True while this node leaves, and a member that it dialled has not answered yet. The runner
   * should let the node run while this is true, but for at most `longestDeparture`.
   */
  get isDeparting(): boolean {
    return this.#inputs.departure.isWaiting
  }

  get links(): ReadonlySet<NodeId> {
    return new Set(this.#context.links.keys())
  }

  /** Returns the links, ordered by peer. */
  linkStates(): LinkState[] {
    return [...this.#context.links.keys()].sort().map((id) => ({ id, roundTrip: this.#parts.detector.roundTrip(id) }))
  }

  health(now: Milliseconds = this.#context.now): Health {
    this.#context.now = Math.max(this.#context.now, Math.floor(now))
    return this.#parts.health.current
  }

  /**
   * Fingerprint of all facts that this node exchanges. Two nodes that agree on everything have the
   * same fingerprint.
   */
  get fingerprint(): { readonly count: number; readonly high: number; readonly low: number } {
    return this.#context.facts.ranges.fingerprint(0, hashSpace)
  }

  /** Takes one input and returns the effects to carry out, in order. */
  handle(input: Input<Data>, now: Milliseconds): Effect<Data>[] {
    if (this.#context.phase === 'stopped') return []
    this.#begin(now)
    const wasLeft = this.#context.phase === 'left'
    if (input.type === 'timer') this.#armedAt = Infinity
    else this.#inputs.dispatch(input)
    return this.#finish(wasLeft)
  }

  /** Takes a `broadcast` input, and also returns a verdict on forwarding it. */
  handleBroadcast(data: Data, now: Milliseconds): { verdict: BroadcastVerdict; effects: Effect<Data>[] } {
    if (this.#context.phase === 'stopped') return { verdict: 'ignore', effects: [] }
    this.#begin(now)
    const verdict = this.#inputs.broadcast(data)
    return { verdict, effects: this.#finish(this.#context.phase === 'left') }
  }

  #begin(now: Milliseconds): void {
    const context = this.#context
    // Whole milliseconds keep sums and differences of times exact, so all comparisons agree about a
    // due time.
    context.now = Math.max(context.now, Math.floor(now))
    context.effects = []
    const lateness = context.now - this.#armedAt
    if (lateness <= stall || context.phase === 'left') return
    this.#armedAt = context.now
    this.#parts.detector.stalled(lateness)
    this.#parts.elections.stalled()
    if (lateness >= context.config.healing.memory) this.#settlement.startOver()
  }

  /**
   * `left`: the application has received the end of this life. Now only frames, broadcasts and the
   * timer go out.
   */
  #finish(left: boolean): Effect<Data>[] {
    const context = this.#context
    this.#settlement.settle()
    this.#inputs.restoreRecords()
    this.#fireTimers()
    this.#arm()
    const { effects } = context
    context.effects = []
    return left ? effects.filter(({ type }) => type === 'send' || type === 'broadcast' || type === 'timer') : effects
  }

  /** Calls each part whose timer is due, and settles its outcomes before the next part. */
  #fireTimers(): void {
    const { timers, now } = this.#context
    const { timed, health } = this.#parts
    const { membership } = this.#settlement
    if (this.#context.phase === 'running') membership.updateRings()
    timers.fire(now, (name) => {
      if (this.#context.phase === 'stopped') return
      timed[name].due()
      this.#settlement.settle()
    })
    if (this.#context.phase !== 'running') return
    membership.updateRings()
    health.report()
  }

  /** Asks the runner to wake this node when the next timer fires. */
  #arm(): void {
    if (this.#context.phase === 'stopped') return
    const next = Math.max(Math.ceil(this.#context.timers.next), this.#context.now)
    if (next === this.#armedAt || next === Infinity) return
    this.#armedAt = next
    this.#context.effects.push({ type: 'timer', at: next })
  }
}
