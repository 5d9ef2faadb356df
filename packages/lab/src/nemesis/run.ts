/** A run: faults one after the other, while the clients call. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '@jel/protocol'
import { sum } from '../base/quantiles.ts'
import { until } from '../base/wait.ts'
import { faketime } from '../network/tools.ts'
import { ELECTIONS, type Client } from './client.ts'
import { FAULTS, Skipped } from './faults.ts'
import { History } from '../linearizability/history.ts'
import { judge } from '../linearizability/judge.ts'
import type { Member } from './member.ts'
import { schedule, shuffled, type Kind, type Planned } from './schedule.ts'
import { Stage } from './stage.ts'
import { Stalls } from './stalls.ts'

/** Longest time from a heal until a first member is served, ms (docs/lab.md). */
const FIRST_WITHIN = 10_000
/**
 * Longest time from a heal until all members are served, ms. A guess: an expelled one enters again.
 */
const ALL_WITHIN = 30_000
/** Longest wait for a whole ledger before a fault, ms. A guess: voters are replaced in seconds. */
const SETTLED = 20_000
/** Time without a fault, ms. */
const QUIET = 1_000
/** The least and the most time of a fault, ms. A leader without a quorum steps down after 5 s. */
const LASTS = [4_000, 10_000] as const
/**
 * Maximum number of entries of the ledger for one operation or start. A guess: five runs had at
 * most one.
 */
const ENTRIES = 5
/**
 * After this time, ms, a leader ends a life whose end nobody noticed (leader-duties.ts of the
 * ledger). Its reigns end then.
 */
const UNNOTICED = 30_000
/** Timeout of one attempt after a heal, ms. */
const ATTEMPT = 3_000

/** A fault that happened. Times in ms. */
export interface Happened {
  readonly kind: Kind
  /** Longest time without an acknowledgement, from the fault until all members were served. */
  readonly pause: number
  /** From the heal until the first member, and until all members were served. */
  readonly first: number
  readonly all: number
}

export interface Result {
  readonly title: string
  readonly faults: readonly Happened[]
  /** Kinds that could not happen, and why. */
  readonly skipped: readonly (readonly [Kind, string])[]
  readonly history: History
  readonly problems: readonly string[]
  /** Number of faults before which the ledger was not whole in time. */
  readonly unsettled: number
  /** Number of times that a member fell so far behind that it lost events, and said so. */
  readonly gaps: number
  /** Entries of the ledger at the end. */
  readonly entries: number
  /** Longest time without an acknowledgement. */
  readonly longest: number
  /**
   * Longest time for which this process itself got no processor. It makes all other times longer.
   */
  readonly stalled: number
}

export interface RunOptions {
  readonly minutes: number
  readonly seed: number
  readonly members: number
  readonly kinds: readonly Kind[]
  /** Factor for the time bounds after a heal. */
  readonly scale: number
  readonly folder: string
  readonly out: string | undefined
}

export class Run {
  readonly #options: RunOptions
  readonly #history = new History(() => performance.now())
  readonly #stage: Stage
  readonly #problems: string[] = []
  readonly #faults: Happened[] = []
  readonly #skipped: (readonly [Kind, string])[] = []
  #unsettled = 0
  #entries = 0
  readonly #stalls = new Stalls()
  #began = 0

  constructor(options: RunOptions) {
    this.#options = options
    const { members, seed, folder, out } = options
    this.#stage = new Stage({ folder, members, random: createRandom(seed + 1), history: this.#history, out })
  }

  async run(): Promise<Result> {
    const { minutes, seed, members, kinds } = this.#options
    try {
      await this.#stage.begin()
      this.#began = performance.now()
      await this.#served('the start')
      const end = performance.now() + minutes * 60_000
      for (const planned of schedule(seed, kinds, LASTS)) {
        if (performance.now() > end || this.#problems.length > 0) break
        await this.#strike(planned)
      }
      await this.#finish()
    } catch (error) {
      this.#problem(`the run ended early: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    } finally {
      await this.#stage.close()
      this.#stalls.stop()
    }
    const longest = this.#history.pause(this.#began, this.#history.acknowledgements.at(-1) ?? this.#began)
    return {
      title: `${minutes} minutes, ${members} members, seed ${seed}`,
      faults: this.#faults,
      skipped: this.#skipped,
      history: this.#history,
      problems: [...this.#problems, ...this.#stage.losses, ...judge(this.#history, this.#stage.lives).map(({ text }) => text)],
      unsettled: this.#unsettled,
      gaps: sum(this.#stage.lives.map(({ told }) => told.gaps)),
      entries: this.#entries,
      longest,
      stalled: this.#stalls.longest,
    }
  }

  async #strike(planned: Planned): Promise<void> {
    const { kind } = planned
    if (!(await this.#stage.settle(SETTLED))) {
      this.#unsettled++
      this.#tell(`the ledger is not whole after ${SETTLED / 1_000} s: ${JSON.stringify(await this.#stage.status())}`)
    }
    await sleep(QUIET)
    const status = await this.#stage.status()
    const members = shuffled(this.#stage.members, planned.random)
    const leader = members.find(({ id }) => id !== undefined && id === status?.leader)
    const from = performance.now()
    try {
      if (kind === 'clock' && faketime() === undefined) throw new Skipped('libfaketime is not installed')
      const victims = await FAULTS[kind]({ stage: this.#stage, planned, members, leader, voters: status?.voters ?? [] })
      this.#tell(`${kind}: ${victims.map((member) => `${member.name}${member === leader ? ' (leader)' : ''}`).join(' ')}`)
    } catch (error) {
      if (!(error instanceof Skipped)) throw error
      this.#skipped.push([kind, error.message])
      this.#tell(`${kind} was skipped: ${error.message}`)
      return
    }
    const { first, all } = await this.#served(kind)
    this.#faults.push({ kind, pause: this.#history.pause(from, performance.now()), first, all })
  }

  /**
   * Requires answers after a heal. Returns the times until the first and the last member had some.
   */
  async #served(after: string): Promise<{ readonly first: number; readonly all: number }> {
    const from = performance.now()
    const times = await Promise.all(this.#stage.running.map(async (member) => await this.#servedAt(member, from)))
    const [first, all] = [Math.min(...times), Math.max(...times)]
    if (first > this.#firstWithin) this.#problem(`nobody was served within ${this.#firstWithin / 1_000} s of the end of ${after}`)
    if (all > this.#allWithin) {
      const names = this.#stage.running.filter((_, at) => (times[at] ?? 0) > this.#allWithin).map(({ name }) => name)
      this.#problem(`${names.join(', ')}: not served within ${this.#allWithin / 1_000} s of the end of ${after}`)
    }
    return { first, all }
  }

  /** The time until a member answers, without the time for which this process stood still. */
  async #servedAt({ now }: Member, from: number): Promise<number> {
    const stalled = this.#stalls.total
    const waited = (): number => Math.max(0, performance.now() - from - (this.#stalls.total - stalled))
    if (now === undefined) return Infinity
    while (waited() <= this.#allWithin) {
      if (await answers(now.client)) return waited()
      await sleep(50)
    }
    return Infinity
  }

  /** Waits until all members were told of a last message. */
  async #finish(): Promise<void> {
    this.#stage.stopClients()
    await this.#served('the last fault')
    await this.#checkReigns()
    const [member] = this.#stage.running
    const index = await member?.now?.client.order()
    await this.#checkSize()
    if (index === undefined) {
      this.#problem('the last message was not placed')
      return
    }
    for (const { name, starts } of this.#stage.running) {
      const told = this.#stage.lives.find((life) => life.name === `${name}.${starts}`)?.told
      const isTold = await until(() => (told?.end ?? 0) >= index, this.#allWithin)
      if (!isTold) this.#problem(`${name} was not told of the last message, at ${index}`)
      else if (told !== undefined) told.until = index
    }
  }

  /** A withdrawal has no moment at which it must have its effect. At the end it must have it. */
  async #checkReigns(): Promise<void> {
    for (const election of ELECTIONS) {
      let winner: string | undefined
      const isRight = async (): Promise<boolean> => {
        const { running } = this.#stage
        winner = (await running[0]?.now?.client.confirm(election, ATTEMPT))?.reign?.winner
        return (
          winner === undefined ||
          running.some(({ now }) => now !== undefined && now.client.by === winner && now.client.standing.has(election))
        )
      }
      if (!(await until(isRight, UNNOTICED + this.#firstWithin, 250)))
        this.#problem(`${winner} reigns in ${election} at the end, and has ended or withdrawn`)
    }
  }

  /** A member that proposes again and again fills all disks. */
  async #checkSize(): Promise<void> {
    this.#entries = (await this.#stage.status())?.index ?? 0
    const { acknowledged, unknown } = this.#history.counts
    const most = ENTRIES * (acknowledged + unknown + this.#stage.lives.length)
    if (this.#entries > most) this.#problem(`the ledger has ${this.#entries} entries, and ${most} would be many`)
  }

  get #firstWithin(): number {
    return FIRST_WITHIN * this.#options.scale
  }

  get #allWithin(): number {
    return ALL_WITHIN * this.#options.scale
  }

  #problem(text: string): void {
    this.#problems.push(text)
    this.#tell(`PROBLEM: ${text}`)
  }

  #tell(text: string): void {
    console.error(`${((performance.now() - this.#began) / 1_000).toFixed(1)} s: ${text}`)
  }
}

async function answers(client: Client): Promise<boolean> {
  return (await client.confirm('a', ATTEMPT)) !== undefined && (await client.order(ATTEMPT)) !== undefined
}
