/** The members, the faults, and the jobs of a soak. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { inCheckout, jelBin } from '../base/paths.ts'
import { repeat, until } from '../base/wait.ts'
import type { LabHost } from '../network/host.ts'
import { LabNetwork } from '../network/network.ts'
import { runId } from '../network/namespaces.ts'
import type { Line } from '../swarm/start-node.ts'
import type { ProcessNode } from '../swarm/process-node.ts'
import { ProcessSwarm } from '../swarm/process-swarm.ts'
import { bytesOf } from './disk.ts'
import { KINDS, type Kind, type Outcome } from './kinds.ts'
import { liveMemoryOf, measuredEnv } from './live-memory.ts'
import type { JobRun, MemorySample, SoakOfJobs } from './verdict.ts'

/** Number of members that stay. The soak samples their live memory. */
const STAYING = 2
/** Time between two jobs, ms, and most jobs at once. Two cores keep up with this load. */
const SUBMIT_EVERY = 2_000
const OPEN_LIMIT = 6
/**
 * Longest time that a member may take to confirm a submission, ms. Then the soak asks another
 * member.
 */
const SUBMIT = 20_000
/** Longest time that a job may take in all, ms: ten times its time with all faults. A guess. */
const JOB = 180_000
/**
 * Time for which the soak asks one member for a result, ms. Then it asks the member that is newest
 * at that time.
 */
const ASK = 15_000
/** Time between two attempts, ms. */
const AGAIN = 500
/**
 * Maximum number of characters of a member's report about a job that hangs: enough for some tasks.
 * A guess.
 */
const REPORT_LENGTH = 2000
/**
 * Maximum number of results about which members print reports, of those that the last member lacks.
 * A guess.
 */
const REPORTED = 5
/** Time for which a cut parts the hosts, ms. */
const CUT = 8_000
const SAMPLE_EVERY = 10_000
/** Time within which the last member must have all results, ms. */
const LAST = 60_000

interface Setting {
  readonly folder: string
  readonly members: number
  readonly every: number
  readonly diskMiB: number
}

export class JobSoak {
  readonly #setting: Setting
  readonly #network = new LabNetwork(2)
  readonly #swarm: ProcessSwarm
  /** The running members, the newest last. */
  readonly #members: ProcessNode[] = []
  readonly #jobs: (JobRun & { readonly expires: () => number })[] = []
  readonly #open = new Set<Promise<void>>()
  readonly #lost: string[] = []
  readonly #memory: MemorySample[][] = Array.from({ length: STAYING }, () => [])
  readonly #began = Date.now()
  #disk = 0
  #started = 0
  killed = 0
  left = 0
  cuts = 0

  constructor(setting: Setting) {
    this.#setting = setting
    this.#swarm = new ProcessSwarm({
      bin: jelBin,
      command: 'work',
      name: `soak-${runId()}`,
      network: this.#network,
      lost: ({ index }) => this.#lost.push(`member ${index}`),
    })
  }

  async start(): Promise<void> {
    mkdirSync(this.#liveMemory, { recursive: true })
    await this.#network.ready
    await this.#startOne()
    await Promise.all(Array.from({ length: this.#setting.members - 1 }, () => this.#startOne()))
    await delay(3_000)
  }

  /**
   * Submits jobs and makes faults until the signal. Resolves when the last submitted job has ended.
   */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([
      repeat(SUBMIT_EVERY, signal, () => {
        if (this.#open.size < OPEN_LIMIT) this.#begin()
      }),
      repeat(this.#setting.every, signal, async () => await this.#disturb()),
      repeat(SAMPLE_EVERY, signal, () => this.#sample()),
    ])
    await Promise.all(this.#open)
  }

  /** Starts a last member. Asks it for all results that the pool still keeps. */
  async finish(): Promise<Pick<SoakOfJobs, 'jobs' | 'lost' | 'disk' | 'memory'>> {
    const last = await this.#startOne()
    await delay(3_000)
    const deadline = Date.now() + LAST
    await Promise.all(
      this.#jobs.map(async (job) => {
        if (job.expires() < deadline) return
        job.last = 'nothing'
        // At first a newcomer may not have the record of the job.
        const hasResult = async (): Promise<boolean> => {
          const told = await last.ask({ command: 'job', job: job.name, until: 'result' }, deadline - Date.now())
          job.last = outcomeOf(told) ?? 'nothing'
          return job.last !== 'nothing'
        }
        await until(hasResult, LAST, AGAIN)
      }),
    )
    this.#sample()
    const unanswered = this.#jobs.filter((job) => job.last === 'nothing').slice(0, REPORTED)
    for (const { name } of unanswered) await this.#report(name, [last, ...this.#members.slice(0, STAYING)])
    await this.#swarm.stop()
    return { jobs: this.#jobs, lost: this.#lost, disk: this.#disk, memory: this.#memory }
  }

  #begin(): void {
    const number = this.#jobs.length
    const kind = KINDS[number % KINDS.length] as Kind
    const input = kind.input(Math.random)
    const job = {
      name: `${kind.name}-${number}`,
      kind: kind.name,
      isRight: (outcome: Outcome) => kind.isRight(outcome, input),
      expires: () => (job.submitted ?? 0) + kind.keep,
    } as JobRun & { readonly expires: () => number }
    this.#jobs.push(job)
    const under = this.#follow(job, kind, input).finally(() => this.#open.delete(under))
    this.#open.add(under)
  }

  async #follow(job: JobRun, kind: Kind, input: object): Promise<void> {
    const deadline = Date.now() + JOB
    const file = inCheckout('packages/lab/src/job-soak/program.ts')
    const { fn, keep, votes } = kind
    const submit = { command: 'submit', file, function: fn, input, name: job.name, keep, ...(votes !== undefined && { votes }) }
    const succeeds = async (attempt: () => Promise<boolean>): Promise<boolean> =>
      Date.now() < deadline && (await until(attempt, deadline - Date.now(), AGAIN))
    const isSubmitted = await succeeds(async () => {
      const told = await this.#any().ask(submit, SUBMIT)
      if (told?.event === 'submitted') job.submitted = Date.now()
      else if (told !== undefined) console.error(`${job.name}: ${told.code ?? told.event}: ${told.message ?? ''}`)
      return job.submitted !== undefined
    })
    if (!isSubmitted) return
    if (kind.cancelAfter !== undefined) {
      await delay(kind.cancelAfter)
      await succeeds(async () => (await this.#any().ask({ command: 'job', job: job.name, do: 'cancel' }, ASK))?.event === 'cancelled')
    }
    await succeeds(async () => {
      const outcome = outcomeOf(await this.#newest().ask({ command: 'job', job: job.name, until: 'result' }, ASK))
      if (outcome !== undefined) [job.outcome, job.ended] = [outcome, Date.now()]
      return outcome !== undefined
    })
    if (job.outcome === undefined) {
      console.error(`${job.name}: no end within ${JOB / 1000} s`)
      await this.#report(job.name, this.#members.slice(0, STAYING))
    } else if (!job.isRight(job.outcome)) console.error(`${job.name}: ${JSON.stringify(job.outcome).slice(0, 300)}`)
  }

  /** Prints the reports of members on why a job has no result there. */
  async #report(job: string, members: readonly ProcessNode[]): Promise<void> {
    for (const member of members) {
      const told = await member.ask({ command: 'job', job, waits: true }, ASK)
      console.error(`${job}, by ${member.process.id}: ${JSON.stringify(told ?? 'no answer').slice(0, REPORT_LENGTH)}`)
    }
  }

  /** Makes one fault. The first members stay. All others come and go. */
  async #disturb(): Promise<void> {
    const chance = Math.random()
    if (chance < 0.3) {
      this.cuts++
      const [one, other] = this.#network.hosts as [LabHost, LabHost]
      const mend = this.#network.part([one], [other])
      await delay(CUT)
      mend()
      return
    }
    const place = STAYING + Math.floor(Math.random() * (this.#members.length - STAYING))
    const [victim] = this.#members.splice(place, 1)
    if (victim !== undefined) victim.send(chance < 0.65 ? 'SIGKILL' : 'SIGTERM')
    if (chance < 0.65) this.killed++
    else this.left++
    await this.#startOne()
  }

  #sample(): void {
    const minute = (Date.now() - this.#began) / 60_000
    for (const [index, samples] of this.#memory.entries()) {
      const bytes = liveMemoryOf(this.#liveMemory, this.#members[index]?.process.child.pid ?? 0)
      if (bytes !== undefined) samples.push({ minute, bytes })
    }
    for (const { index } of this.#members) this.#disk = Math.max(this.#disk, bytesOf(this.#cacheOf(index)))
  }

  async #startOne(): Promise<ProcessNode> {
    const number = this.#started++
    const { folder, diskMiB } = this.#setting
    const own = this.#cacheOf(number)
    mkdirSync(own, { recursive: true })
    const bootstrap = this.#members.slice(0, STAYING).flatMap(({ process }) => ['--bootstrap', process.address])
    const limits = ['--workers', '1', '--owner', join(folder, 'owner'), '--limit', `disk=${diskMiB}`, '--no-control']
    const host = this.#network.hosts[number % 2] as LabHost
    const env = { XDG_CACHE_HOME: own, ...measuredEnv(this.#liveMemory) }
    const member = await this.#swarm.startOne({ host, env, args: [...limits, ...bootstrap] })
    this.#members.push(member)
    return member
  }

  /** The folder in which the members write the size of their live memory. */
  get #liveMemory(): string {
    return join(this.#setting.folder, 'live-memory')
  }

  /** The cache folder of the member with this number. */
  #cacheOf(number: number): string {
    return join(this.#setting.folder, 'caches', String(number))
  }

  #any(): ProcessNode {
    return this.#members[Math.floor(Math.random() * this.#members.length)] as ProcessNode
  }

  #newest(): ProcessNode {
    return this.#members.at(-1) as ProcessNode
  }
}

/** Returns undefined if the line does not report the end of a job. */
function outcomeOf(line: (Line & { readonly result?: unknown }) | undefined): Outcome | undefined {
  if (line?.event === 'done' && 'job' in line) return { event: 'done', result: line.result }
  if (line?.event === 'failed') return { event: 'failed', message: line.message ?? '' }
  return line?.event === 'cancelled' ? { event: 'cancelled' } : undefined
}
