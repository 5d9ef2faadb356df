import { createRandom, hash52 } from '@jel/protocol'

/**
 * The number of draws of one generator. After that many draws another generator follows. A guess:
 * to go on anywhere in the sequence takes some ms at most, even after a count that another member
 * made up.
 */
const BLOCK = 2 ** 20

/** The random numbers of a task. A run that begins with a saved state goes on in the sequence. */
export class TaskRandom {
  /** Number of draws over all runs. */
  draws: number
  readonly #seed: string
  #draw: (() => number) | undefined

  /** @param draws the number of draws of earlier runs */
  constructor(seed: string, draws: number) {
    this.#seed = seed
    this.draws = draws
  }

  next(): number {
    const at = this.draws % BLOCK
    if (this.#draw === undefined || at === 0) {
      const block = Math.floor(this.draws / BLOCK)
      this.#draw = createRandom(hash52(block === 0 ? this.#seed : `${this.#seed} ${block}`) % 2 ** 32)
      for (let skipped = 0; skipped < at; skipped++) this.#draw()
    }
    this.draws++
    return this.#draw()
  }
}
