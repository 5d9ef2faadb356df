import type { JobId } from '@jel/compute/internals'
import { createRandom, type Milliseconds } from '@jel/protocol'
import type { GridMember } from '../src/grid/grid-member.ts'
import { VirtualGrid } from '../src/grid/grid.ts'
import type { VirtualProgram } from '../src/jobs/programs/program.ts'
import { rounds, roundsInput } from './rounds.ts'
import { flatJob, rootInput } from '../src/jobs/programs/trees.ts'
import { Records } from '../../compute/test/records.ts'

export interface ManyClientsOptions {
  readonly seed: number
  readonly submissions: number
  /** The time in which the clients come. */
  readonly time: Milliseconds
  /** Number of tasks of each long job, one after the other, 50 s each. */
  readonly longTasks: number
  /** Time for which the record of a small job is kept. */
  readonly keep: Milliseconds
  /** Maximum number of records that the pool holds. Default: as in a real pool. */
  readonly room?: number
  /** Longest backoff of members without work. Default: as of real members. */
  readonly backoffMost?: Milliseconds
}

/** There are two more workers than long jobs. */
const WORKERS = [2, 2, 2, 2, 1, 1, 1, 1]
/** Number of owners of small jobs. Some have many more jobs than others. */
const OWNERS = 30
const LEAVES = 3
/**
 * A client submits after the first time, ms. A client that does not wait for the result leaves
 * after the second time from then.
 */
const [ENTERS, LEAVES_AFTER] = [500, 1500]

/**
 * A pool in which ten long jobs run while clients submit small jobs. Records are evicted as in a
 * real pool.
 */
export class ManyClients {
  readonly grid: VirtualGrid
  readonly records: Records
  readonly long = Array.from({ length: 10 }, (_, number) => `long ${number}`)
  /** Small jobs whose records were accepted. */
  readonly submitted: JobId[] = []
  /** Jobs whose records were evicted or withdrawn before the jobs were done. */
  readonly lost: JobId[] = []
  /** Number of evicted records, including new records of the owners with the most records. */
  evicted = 0
  /** The most jobs that a member knew at once. */
  mostKnown = 0
  readonly #options: ManyClientsOptions
  readonly #random: () => number
  readonly #kept: Set<JobId>

  constructor(options: ManyClientsOptions) {
    const { seed, longTasks, room, backoffMost } = options
    this.#options = options
    this.#random = createRandom(seed + 13)
    const long = rounds({ tasks: 1, rounds: longTasks, taskTime: () => 50_000, seed })
    const small = flatJob({ leaves: LEAVES, leafTime: (random) => 1000 + 3000 * random(), seed })
    const program: VirtualProgram = (fn, input, context) => (fn === 'long' ? long : small)(fn, input, context)
    this.grid = new VirtualGrid({ seed, program, latency: () => 0.2, ...(backoffMost && { config: { backoffMost } }) })
    this.records = new Records(room)
    this.#kept = new Set(this.long)
  }

  /** Runs until a minute after the last client. */
  run(): void {
    const { grid } = this
    const { submissions, time } = this.#options
    for (const workers of WORKERS) grid.join({ site: 's', workers })
    grid.settle()
    for (const id of this.long) {
      this.records.publish(`owner of ${id}`, id)
      grid.submit({ id, owner: `owner of ${id}`, fn: 'long', input: roundsInput })
    }
    for (let number = 0; number < submissions; number++) grid.after(this.#random() * time, () => this.#enter(`small ${number}`))
    for (let at = 0; at < time; at += time / 50) grid.after(at, () => this.#count())
    grid.run(time + 60_000)
  }

  #enter(id: JobId): void {
    const { grid } = this
    const client = grid.enterClient('s')
    const waits = this.#random() < 0.5
    const leave = (): void => {
      if (!waits || client.ended.has(id) || !this.#kept.has(id)) grid.leave(client)
      else grid.after(1000, leave)
    }
    grid.after(ENTERS, () => this.#submit(id, client))
    grid.after(ENTERS + LEAVES_AFTER, leave)
  }

  #submit(id: JobId, client: GridMember): void {
    const { grid, records } = this
    const owner = `owner ${Math.floor(this.#random() ** 2 * OWNERS)}`
    const left = records.publish(owner, id)
    if (left !== undefined) this.evicted++
    if (left === id) return
    if (left !== undefined) this.#forget(left)
    this.#kept.add(id)
    this.submitted.push(id)
    grid.submit({ id, owner, fn: 'small', input: rootInput(LEAVES) }, client)
    // By then the client has its own job.
    grid.after(1, () => grid.watch(client, id))
    grid.after(this.#options.keep, () => {
      records.withdraw(owner, id)
      this.#forget(id)
    })
  }

  #forget(id: JobId): void {
    if (!this.#kept.delete(id)) return
    if (!this.grid.doneAt.has(id)) this.lost.push(id)
    this.grid.expire(id)
  }

  #count(): void {
    for (const { scheduler } of this.grid.members) {
      const known = [...this.submitted, ...this.long].filter((id) => scheduler.job(id) !== undefined)
      this.mostKnown = Math.max(this.mostKnown, known.length)
    }
  }
}

/** Returns a job's result as this member has it. */
export function resultAt({ scheduler }: GridMember, job: JobId): string | undefined {
  const outcome = scheduler.job(job)?.entry?.outcome
  return outcome !== undefined && 'value' in outcome ? new TextDecoder().decode(outcome.value) : undefined
}
