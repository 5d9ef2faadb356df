/**
 * Probe turns: the times at which the observers probe this node next.
 *
 * A member has six to eight observers and wants one probe in two seconds, not one from each. So it
 * deals out the turns in its answers, and nobody has to agree on a schedule. If an observer is
 * gone, the one with the last turn gets its turn. Other peers that probe get an answer, but no
 * turn.
 */
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'

/**
 * In place of a probe's number: an answer to no probe, which moves the observer's next turn to an
 * earlier time.
 */
export const turnMoved = 0

export class ObserverTurns {
  readonly #context: Context
  readonly #heartbeat: () => number
  readonly #isObserver: (id: NodeId) => boolean
  readonly #turns = new Map<NodeId, Milliseconds>()

  /** `heartbeat`: the age of this life, for the answers. */
  constructor(context: Context, heartbeat: () => number, isObserver: (id: NodeId) => boolean) {
    this.#context = context
    this.#heartbeat = heartbeat
    this.#isObserver = isObserver
  }

  /** Answers a probe with the time of this observer's next turn. */
  answer(sequence: number, from: NodeId): void {
    const { now, config } = this.#context
    const { period } = config.detection
    this.#turns.delete(from)
    for (const [observer, at] of this.#turns) if (at < now) this.#turns.delete(observer)
    // The first gap between the turns of the others, so that answers to a heap of late probes don't
    // push turns ever further away.
    let turn = now + period
    while (this.#isDealt(turn)) turn += period / 4
    this.#deal(from, sequence, turn)
  }

  /**
   * Gives the turn of a lost observer to the one with the last turn. Otherwise a silence in that
   * time would go unnoticed.
   */
  linkLost(gone: NodeId): void {
    const free = this.#turns.get(gone)
    this.#turns.delete(gone)
    if (free === undefined || free <= this.#context.now) return
    let last: NodeId | undefined
    for (const [observer, turn] of this.#turns) if (turn > ((last === undefined ? free : this.#turns.get(last)) ?? free)) last = observer
    if (last !== undefined) this.#deal(last, turnMoved, free)
  }

  /** True if another observer has its turn about then. */
  #isDealt(turn: Milliseconds): boolean {
    const near = this.#context.config.detection.period * 0.75
    for (const at of this.#turns.values()) if (Math.abs(at - turn) < near) return true
    return false
  }

  #deal(observer: NodeId, sequence: number, turn: Milliseconds): void {
    if (this.#isObserver(observer)) this.#turns.set(observer, turn)
    const nextInMs = Math.round(turn - this.#context.now)
    this.#context.send(observer, { ack: { sequence, nextInMs, heartbeat: this.#heartbeat() } })
  }
}
