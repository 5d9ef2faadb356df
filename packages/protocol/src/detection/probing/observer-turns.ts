/**
 * Observer turns: the times at which this node's observers probe it next.
 *
 * A member has six to eight observers and wants one probe in two seconds from all of them together.
 * So the member deals out the turns in its answers, and the observers need not agree on a schedule.
 * If an observer is gone, the observer with the last turn gets the free turn. Other peers that
 * probe get an answer, but no turn.
 */
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'

/**
 * The number of an answer that belongs to no probe. Such an answer moves the observer's next turn
 * to an earlier time.
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
    // Takes the first gap between the other observers' turns. So answers to many late probes don't
    // push turns ever further away.
    let turn = now + period
    while (this.#isDealt(turn)) turn += period / 4
    this.#deal(from, sequence, turn)
  }

  /**
   * Gives the turn of a lost observer to the observer with the last turn. Otherwise nobody would
   * probe this node at that time.
   */
  linkLost(gone: NodeId): void {
    const free = this.#turns.get(gone)
    this.#turns.delete(gone)
    if (free === undefined || free <= this.#context.now) return
    let last: NodeId | undefined
    for (const [observer, turn] of this.#turns) if (turn > ((last === undefined ? free : this.#turns.get(last)) ?? free)) last = observer
    if (last !== undefined) this.#deal(last, turnMoved, free)
  }

  /** True if another observer has its turn at about that time. */
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
