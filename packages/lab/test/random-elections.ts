/**
 * Histories of a real election: clients call at random, each operation takes effect at one moment
 * between its call and its return, and a life may end at any time. They are right by construction.
 */
import { createRandom } from '@jel/protocol'
import type { ElectionInput, ElectionOperation, Reign } from '../src/linearizability/elections.ts'

const ELECTION = 'master'
/** Longest time between two steps of a client, in steps of the clock. */
const PAUSE = 20

/** The object itself: the earliest candidate reigns, and an index counts all entries. */
class Seat {
  reign: Reign | undefined
  readonly #candidates: string[] = []
  #index = 0

  apply({ type, by }: ElectionInput): { readonly reign: Reign | undefined } {
    this.#index++
    if (type === 'elect' && !this.#candidates.includes(by)) this.#candidates.push(by)
    if (type === 'withdraw') this.end(by)
    const [winner] = this.#candidates
    if (this.reign === undefined && winner !== undefined) this.reign = { epoch: this.#index, winner }
    return { reign: type === 'withdraw' ? undefined : this.reign }
  }

  /** A life ends, with its candidacy. */
  end(by: string): void {
    this.#index++
    const at = this.#candidates.indexOf(by)
    if (at >= 0) this.#candidates.splice(at, 1)
    if (this.reign?.winner !== by) return
    const [winner] = this.#candidates
    this.reign = winner === undefined ? undefined : { epoch: this.#index, winner }
  }
}

interface Options {
  readonly seed: number
  readonly clients: number
  readonly operations: number
  /** Share of operations whose clients are never told. Half of these take effect. */
  readonly lost?: number
}

export function randomElections({ seed, clients, operations, lost = 0.1 }: Options): ElectionOperation[] {
  const random = createRandom(seed)
  const some = (most: number): number => 1 + Math.floor(random() * most)
  const seat = new Seat()
  // An effect has its moment, and the moments are carried out in their order.
  const planned: { readonly at: number; readonly act: () => void }[] = []
  const history: ElectionOperation[] = []
  for (let client = 0; client < clients; client++) {
    const by = `m${client}`
    let now = some(PAUSE)
    for (let count = 0; count < operations; count++) {
      const type = (['elect', 'confirm', 'confirm', 'withdraw'] as const)[Math.floor(random() * 4)] ?? 'confirm'
      const input = { type, election: ELECTION, by }
      const [called, at, returned] = [now, now + random() * 10, now + 10 + random() * 10]
      const isLost = random() < lost
      if (isLost) {
        history.push({ input, called })
        // It may take effect long after.
        const late = called + random() * 100
        if (random() < 0.5) planned.push({ at: late, act: () => void seat.apply(input) })
      } else {
        planned.push({ at, act: () => void history.push({ input, called, returned, output: seat.apply(input) }) })
      }
      if (random() < 0.05) planned.push({ at: returned, act: () => seat.end(by) })
      now = returned + some(PAUSE)
    }
  }
  for (const { act } of planned.toSorted((a, b) => a.at - b.at)) act()
  return history
}
