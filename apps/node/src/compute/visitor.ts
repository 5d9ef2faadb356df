import { setTimeout as sleep } from 'node:timers/promises'
import { compute, type Grid } from '@jel/compute'
import { joinPool, type Pool } from '@jel/jel'
import { poolOptions, type PoolFlags } from '../pool-options.ts'
import { ownerOf } from './owner.ts'

export interface VisitorFlags extends PoolFlags {
  readonly owner?: string
}

/**
 * The time that a command waits for the first other member, and then for its records, ms. Guesses.
 */
const MEET = 10_000
const HEAR = 1000

/**
 * A member without workers that lives as long as a command and publishes nothing about itself. It
 * leaves at the end, so that nobody takes it for dead.
 */
export class Visitor implements AsyncDisposable {
  readonly pool: Pool
  readonly grid: Grid

  private constructor(pool: Pool, grid: Grid) {
    this.pool = pool
    this.grid = grid
  }

  static async enter(name: string, flags: VisitorFlags, signal: AbortSignal): Promise<Visitor> {
    const owner = await ownerOf(flags.owner)
    const pool = await joinPool(name, { ...poolOptions(flags), signal })
    try {
      return new Visitor(pool, await compute(pool, { owner, visits: true }))
    } catch (error) {
      await pool.leave()
      throw error
    }
  }

  /** Waits until somebody else is here. False: nobody came. */
  async meet(): Promise<boolean> {
    for (const end = performance.now() + MEET; performance.now() < end;) {
      if (this.pool.members().length > 1) {
        await sleep(HEAR / 5)
        return true
      }
      await sleep(50)
    }
    return false
  }

  /** The message that nobody came, with the known reasons. */
  get aloneWords(): string {
    const { introducers } = this.pool.health()
    const why = introducers.map(({ address, reason }) => (reason.includes(address) ? reason : `${address}: ${reason}`)).join('; ')
    const advice = 'on loopback give --bootstrap with an address that jel work prints'
    return `nobody else of the pool ${this.pool.name} was found${why === '' ? `; ${advice}` : ` (${why})`}`
  }

  /** Waits until `done` holds, or others had time to send their state. */
  async hear(done: () => boolean): Promise<void> {
    for (const end = performance.now() + HEAR; performance.now() < end && !done();) await sleep(50)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.grid.close()
    await this.pool.leave()
  }
}
