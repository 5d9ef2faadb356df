/** All houses: built, listened to, and some of them killed and built anew. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { end, keep } from '../driver/child.ts'
import { FLAGS, HOUSES, KILL_EVERY, MORTALS, PLAIN_FLAGS, type House, type Sample, type Word } from './plan.ts'

const HOUSE = fileURLToPath(new URL('house.ts', import.meta.url))
/** Longest that a house may take to be built on a busy machine, in milliseconds. */
const BUILD_TIMEOUT = 300_000
/** How long one may take to end before it is killed, in milliseconds. */
const PATIENCE = 10_000

export interface StreetListener {
  readonly sample: (house: House, sample: Sample) => void
  /** A house that is measured ended by itself. */
  readonly lost: (house: House) => void
  readonly trouble: (house: House, text: string) => void
}

export class Street {
  readonly #pool = `soak-${process.pid}-${Date.now()}`
  readonly #listener: StreetListener
  readonly #flags: readonly string[]
  readonly #children = new Map<House, ChildProcess>()
  #bootstrap: readonly string[] = []
  #over = false
  /** Houses killed so far. */
  killed = 0

  /** `flags`: Node's own, for all houses. */
  constructor(listener: StreetListener, flags: readonly string[]) {
    this.#listener = listener
    this.#flags = flags
  }

  async build(): Promise<void> {
    const [first, ...others] = [...HOUSES, ...MORTALS]
    if (first !== undefined) await this.#build(first)
    await Promise.all(others.map((house) => this.#build(house)))
  }

  /** Kills one house after the other until the soak ends. */
  async churn(signal: AbortSignal): Promise<void> {
    for (let turn = 0; ; turn++) {
      try {
        await delay(KILL_EVERY * 1000, undefined, { signal })
      } catch {
        return
      }
      const house = MORTALS[turn % MORTALS.length] as House
      const child = this.#children.get(house)
      this.#children.delete(house)
      child?.kill('SIGKILL')
      this.killed++
      try {
        await this.#build(house)
      } catch (error) {
        // Its turn comes again.
        this.#listener.trouble(house, error instanceof Error ? error.message : String(error))
      }
    }
  }

  async close(): Promise<void> {
    this.#over = true
    await Promise.all([...this.#children.values()].map((child) => end(child, PATIENCE)))
  }

  async #build(house: House): Promise<void> {
    const lease = JSON.stringify({ house, pool: this.#pool, bootstrap: this.#bootstrap })
    const child = keep(fork(HOUSE, [lease], { execArgv: [...FLAGS, ...(house.plain === true ? PLAIN_FLAGS : []), ...this.#flags] }))
    this.#children.set(house, child)
    const ready = Promise.withResolvers<void>()
    child.on('message', (word: Word) => {
      if ('sample' in word) this.#listener.sample(house, word.sample)
      else if ('trouble' in word) this.#listener.trouble(house, word.trouble)
      else {
        if (this.#bootstrap.length === 0) this.#bootstrap = word.ready.slice(0, 1)
        ready.resolve()
      }
    })
    child.once('exit', (code, signal) => {
      const error = new Error(`the house of ${house.name} ended by itself: ${code ?? signal}`)
      ready.reject(error)
      if (this.#over || this.#children.get(house) !== child) return
      this.#listener.trouble(house, error.message)
      if (!MORTALS.includes(house)) this.#listener.lost(house)
    })
    const timer = setTimeout(() => ready.reject(new Error(`the house of ${house.name} was not ready in time`)), BUILD_TIMEOUT)
    try {
      await ready.promise
    } catch (error) {
      child.kill('SIGKILL')
      throw error
    } finally {
      clearTimeout(timer)
    }
    if (!child.connected) await once(child, 'exit')
  }
}
