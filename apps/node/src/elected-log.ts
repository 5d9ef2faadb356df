import type { Reign } from '@jel/jel'
import { electedEvent, type CommandId, type NodeEvent } from './events.ts'

/** Elections whose latest reign is remembered. A guess: four times as many as a node knows at a time. */
const LIMIT = 1_024

/** Tells each reign once, besides the answers to commands that bear an id. */
export class ElectedLog {
  readonly #report: (event: NodeEvent) => void
  /** The latest reign told, by election. */
  readonly #told = new Map<string, string>()

  constructor(report: (event: NodeEvent) => void) {
    this.#report = report
  }

  /** What was told last about an election, to be compared only. */
  latest(election: string): string | undefined {
    return this.#told.get(election)
  }

  tell(reign: Reign): void {
    const key = keyOf(reign)
    if (this.#told.get(reign.election) === key) return
    // The latest is the last; the first goes when there are too many, as members may make them up.
    this.#told.delete(reign.election)
    this.#told.set(reign.election, key)
    const [oldest] = this.#told.keys()
    if (this.#told.size > LIMIT && oldest !== undefined) this.#told.delete(oldest)
    this.#report(electedEvent(reign))
  }

  /** Answers a command. One without an id is answered by the news itself, if that came since it was asked. */
  answer(reign: Reign, id: CommandId | undefined, before: string | undefined): void {
    if (id === undefined && keyOf(reign) !== before) {
      this.tell(reign)
      return
    }
    this.tell(reign)
    this.#report(electedEvent(reign, id))
  }
}

function keyOf({ epoch, winner }: Reign): string {
  return `${epoch} ${winner.id} ${winner.incarnation}`
}
