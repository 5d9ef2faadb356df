/** What is known of a node besides what it says itself. Times are Unix milliseconds. */

/** News of a death may be on its way for so long after its reason is over: as the simulator has it, a guess. */
const AFTERMATH = 30_000

/** What may make others right to take a node for dead. */
export type Disturbance = 'stop' | 'stall' | 'silence' | 'flap' | 'partition' | 'cut' | 'loss'

interface Period {
  readonly cause: Disturbance
  readonly from: number
  to: number
}

export class Fate {
  /** Undefined: it was not killed. */
  killed: number | undefined
  /** When something was first done to its process: it was stopped, killed or asked to leave. Infinity: never. */
  halted = Infinity
  readonly #periods: Period[] = []

  halt(now: number): void {
    this.halted = Math.min(this.halted, now)
  }

  /** It is stopped, cut off, or made to lose packets from now on; returns what says that this is over. */
  disturb(cause: Disturbance, now: number): (now: number) => void {
    const period: Period = { cause, from: now, to: Infinity }
    this.#periods.push(period)
    return (end) => {
      period.to = Math.min(period.to, end)
    }
  }

  /** All that was done to it for these reasons is over. */
  settle(causes: readonly Disturbance[], now: number): void {
    for (const period of this.#periods) if (causes.includes(period.cause)) period.to = Math.min(period.to, now)
  }

  /** News of its death at this time would be no mistake. */
  wasDisturbed(time: number): boolean {
    return this.#periods.some(({ from, to }) => time >= from && time <= to + AFTERMATH)
  }
}
