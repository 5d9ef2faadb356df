import { setTimeout as sleep } from 'node:timers/promises'
import { compute, type Grid } from '@jel/compute'
import { joinPool, type Pool } from '@jel/jel'
import { poolOptions, type PoolFlags } from '../pool-options.ts'
import { Stop, stopOnSignals } from '../stop.ts'
import { ownerOf } from './owner.ts'

/** Flags of all commands that only ask or submit. */
export interface MemberFlags extends PoolFlags {
  readonly owner?: string
  readonly json?: boolean
}

/** How long a command waits to meet others of its pool, and then for what they have to tell, ms. Guesses. */
const MEET = 10_000
const HEAR = 1000

/** Exit status of a command that was stopped before it had done what it was to do. */
const STOPPED = 1

/**
 * Enters a pool for the time of a command, and leaves it at its end: as `jel join` does also at SIGINT and SIGTERM, so that nobody takes it for dead. `errand` returns the exit
 * status, and has nothing more to say once it is told to stop.
 */
export async function visit(
  name: string,
  flags: MemberFlags,
  errand: (visitor: Visitor, stopped: AbortSignal) => Promise<number>,
): Promise<number> {
  const stop = new Stop()
  stopOnSignals(stop)
  const stopped = stop.reason.then(() => STOPPED)
  try {
    await using visitor = await Visitor.enter(name, flags, stop.signal)
    const errands = errand(visitor, stop.signal)
    return await Promise.race([errands, stopped])
  } catch (error) {
    if (stop.signal.aborted) return STOPPED
    throw error
  }
}

/** A member without workers, for the time of a command. */
class Visitor implements AsyncDisposable {
  readonly pool: Pool
  readonly grid: Grid

  private constructor(pool: Pool, grid: Grid) {
    this.pool = pool
    this.grid = grid
  }

  static async enter(name: string, flags: MemberFlags, signal: AbortSignal): Promise<Visitor> {
    const owner = await ownerOf(flags.owner)
    const pool = await joinPool(name, { ...poolOptions(flags), signal })
    try {
      return new Visitor(pool, await compute(pool, { owner }))
    } catch (error) {
      await pool.leave()
      throw error
    }
  }

  /** Until somebody else is here. False: nobody came. */
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

  /** That nobody came, and what is known of why. */
  get aloneWords(): string {
    const { introducers } = this.pool.health()
    const why = introducers.map(({ address, reason }) => (reason.includes(address) ? reason : `${address}: ${reason}`)).join('; ')
    const advice = 'on loopback give --bootstrap with an address that jel work prints'
    return `nobody else of the pool ${this.pool.name} was found${why === '' ? `; ${advice}` : ` (${why})`}`
  }

  /** Until this holds, or others had time to tell. */
  async hear(done: () => boolean): Promise<void> {
    for (const end = performance.now() + HEAR; performance.now() < end && !done();) await sleep(50)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.grid.close()
    await this.pool.leave()
  }
}
