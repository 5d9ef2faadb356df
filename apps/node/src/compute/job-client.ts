import { setTimeout as sleep } from 'node:timers/promises'
import { compute, type Grid } from '@jel/compute'
import type { Pool } from '@jel/jel'
import type { JobCommand } from '../events/job-messages.ts'
import { reasonAt } from '../model/reason-at.ts'
import type { NodeFlags } from '../control/client.ts'
import { enterPool, poolOptions, type PoolFlags } from '../pool-options.ts'
import { runJobCommand } from './job-commands.ts'
import type { Report } from './job-reports.ts'
import { ownerOf } from './owner.ts'

/** The flags of all commands about jobs. */
export interface JobClientFlags extends PoolFlags, NodeFlags {
  readonly owner?: string
  readonly json?: boolean
  /** The command ends after this time, ms. Default: as long as it takes. */
  readonly timeout?: number
}

/**
 * A command waits at most `MEET` ms until it meets another member. Then it waits at most `HEAR` ms
 * for records. Guesses.
 */
const MEET = 10_000
const HEAR = 1000

/**
 * A member without workers. It lives as long as a command and publishes nothing about itself. It
 * leaves at the end, so that nobody takes it for dead.
 */
export class JobClient implements AsyncDisposable {
  readonly pool: Pool
  readonly grid: Grid

  private constructor(pool: Pool, grid: Grid) {
    this.pool = pool
    this.grid = grid
  }

  static async enter(name: string, flags: JobClientFlags, signal: AbortSignal): Promise<JobClient> {
    const owner = await ownerOf(flags.owner)
    const pool = await enterPool(name, { ...poolOptions(flags), signal })
    try {
      return new JobClient(pool, await compute(pool, { owner, visits: true }))
    } catch (error) {
      await pool.leave()
      throw error
    }
  }

  /** Waits for another member. Returns false if nobody came. */
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
  get aloneMessage(): string {
    const { introducers } = this.pool.health()
    const why = introducers.map(({ address, reason }) => reasonAt(address, reason)).join('; ')
    const advice = 'on loopback give --bootstrap with an address that jel work prints'
    return `nobody else of the pool ${this.pool.name} was found${why === '' ? `; ${advice}` : ` (${why})`}`
  }

  /** Waits until `done` holds, or other members had time to send their records. */
  async hear(done: () => boolean): Promise<void> {
    for (const end = performance.now() + HEAR; performance.now() < end && !done();) await sleep(50)
  }

  async run(command: JobCommand, report: Report, signal: AbortSignal): Promise<void> {
    await runJobCommand(this.grid, command, report, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.grid.close()
    await this.pool.leave()
  }
}
