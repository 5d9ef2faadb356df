import { Scheduler, type Effect, type Entry, type Input, type JobId, type Path } from '@jel/compute/internals'
import { createRandom, type Milliseconds } from '@jel/protocol'
import { deriveSeed } from '../engine/digest.ts'
import type { SimulatedNode } from '../protocol/node.ts'
import type { Protocol } from '../protocol/protocol.ts'
import type { JobResult, JobsResult } from '../report/result.ts'
import type { BySite, ScenarioJob } from '../scenario/jobs.ts'
import type { Simulation } from '../simulation.ts'
import { lives, type Actor } from '../truth/actor.ts'
import { locationOf, type GroundTruth } from '../truth/ground-truth.ts'
import { ComputeNode, type CreateScheduler, type JobObserver } from './compute-node.ts'
import { describeInput, inputCodes } from './input-trace.ts'
import { encodeJob, JOB_LIFETIME, recordName } from './job-record.ts'
import { programOf, virtualJobs, type VirtualJob } from './programs/virtual-job.ts'
import { availableTime, WorkAccount, type Attendance } from './work-account.ts'

/** The state of one job. */
interface JobState {
  readonly job: ScenarioJob
  readonly program: VirtualJob
  readonly account: WorkAccount
  submittedAt: Milliseconds | undefined
  /** The time when the first member knew the job's result. */
  doneAt: Milliseconds | undefined
}

const createScheduler: CreateScheduler = (options) => new Scheduler(options)

/** The jobs of a scenario. Each node of the pool computes. */
export class Jobs implements JobObserver {
  readonly members: ComputeNode[] = []
  readonly programs: ReadonlyMap<JobId, VirtualJob>
  readonly truth: GroundTruth
  readonly #simulation: Simulation<Protocol>
  readonly #create: CreateScheduler
  readonly #byIndex = new Map<number, ComputeNode>()
  readonly #actors = new Map<ComputeNode, Actor>()
  readonly #states: ReadonlyMap<JobId, JobState>
  readonly #observers: JobObserver[] = []
  readonly #draw: () => number
  #messages = 0

  constructor(simulation: Simulation<Protocol>, truth: GroundTruth, create: CreateScheduler = createScheduler) {
    const { jobs } = truth.scenario
    this.truth = truth
    this.#simulation = simulation
    this.#create = create
    this.programs = virtualJobs(jobs, simulation.seed)
    this.#draw = createRandom(deriveSeed(simulation.seed, 'compute'))
    this.#states = new Map(
      jobs.map((job) => [
        job.name,
        {
          job,
          program: this.programs.get(job.name) as VirtualJob,
          account: new WorkAccount(),
          submittedAt: undefined,
          doneAt: undefined,
        },
      ]),
    )
  }

  /** Lets each node compute. Call it before the first node starts. */
  start(): void {
    const program = programOf(this.programs)
    this.truth.listen({
      started: (actor) => this.#join(actor, program),
      ended: (actor) => {
        if (actor.end === 'leave') this.#byIndex.get(actor.number)?.feed({ type: 'leave' })
      },
      changed: () => {},
    })
  }

  observe(observer: JobObserver): void {
    this.#observers.push(observer)
  }

  took(member: ComputeNode, input: Input): void {
    member.node.trace(inputCodes[input.type], describeInput(input))
    for (const observer of this.#observers) observer.took(member, input)
  }

  did(member: ComputeNode, effect: Effect): void {
    if (effect.type === 'send') this.#messages++
    if (effect.type === 'ended' && effect.entry !== undefined) {
      const state = this.#states.get(effect.job)
      if (state !== undefined) state.doneAt ??= this.#simulation.now
    }
    for (const observer of this.#observers) observer.did(member, effect)
  }

  ran(member: ComputeNode, job: JobId, path: Path, cost: Milliseconds): void {
    this.#states.get(job)?.account.ran(path, cost)
    for (const observer of this.#observers) observer.ran(member, job, path, cost)
  }

  actorOf(member: ComputeNode): Actor {
    return this.#actors.get(member) as Actor
  }

  memberOf(actor: Actor): ComputeNode | undefined {
    return this.#byIndex.get(actor.number)
  }

  /** The living members with workers. */
  get workers(): ComputeNode[] {
    return this.members.filter((member) => member.workers > 0 && lives(this.actorOf(member)))
  }

  isDoneEverywhere(job: JobId): boolean {
    return this.workers.every((member) => member.ended.has(job))
  }

  submit(by: Actor, job: ScenarioJob): void {
    const state = this.#states.get(job.name) as JobState
    const { program } = state
    const submitted = Math.floor(this.#simulation.today)
    state.submittedAt = this.#simulation.now
    const value = encodeJob({ fn: job.name, input: program.input, submitted, votes: job.votes })
    by.node.command({ type: 'publish', name: recordName(job.name), value, lifetime: JOB_LIFETIME })
    // `job.result` does the same at a real submitter.
    this.#byIndex.get(by.number)?.feed({ type: 'watch', job: job.name })
  }

  result(): JobsResult {
    const { now } = this.#simulation
    const jobs = [...this.#states.values()]
    const busy = jobs.flatMap(({ job, submittedAt, doneAt }) =>
      submittedAt === undefined ? [] : [{ job: job.name, from: submittedAt, to: doneAt ?? now }],
    )
    const attendances = this.members.map((member) => this.#attendance(member))
    const once = jobs.reduce((sum, { account }) => sum + account.once, 0)
    const again = jobs.reduce((sum, { account }) => sum + account.again, 0)
    const sites = Map.groupBy(attendances, ({ site }) => site ?? '')
    return {
      jobs: Object.fromEntries(jobs.map((state) => [state.job.name, this.#resultOf(state)])),
      efficiency: shareOf(once, availableTime(attendances, busy)),
      sites: Object.fromEntries(
        [...sites]
          .filter(([site]) => site !== '')
          .map(([site, all]) => [
            site,
            shareOf(
              all.reduce((sum, { worked }) => sum + worked, 0),
              availableTime(all, busy),
            ),
          ]),
      ),
      doneTwice: shareOf(again, once),
      messages: this.#messages,
      dials: this.members.reduce((sum, { node }) => sum + node.traffic.applicationDials, 0),
    }
  }

  #resultOf({ job, program, account, submittedAt, doneAt }: JobState): JobResult {
    const held = this.workers.map(({ ended }) => {
      const entry: Entry | undefined = ended.get(job.name)
      return entry && program.resultOf(entry)
    })
    return {
      ...(submittedAt !== undefined && { submittedAt }),
      ...(doneAt !== undefined && { doneAt }),
      isDoneEverywhere: this.isDoneEverywhere(job.name),
      isRight: held.every((each) => each === program.result),
      tasks: account.tasks,
      executions: account.executions,
      work: account.once,
      doneTwice: account.twice,
    }
  }

  #attendance(member: ComputeNode): Attendance {
    const { endedAt } = this.actorOf(member)
    const { site, joinedAt, workers, speed, worked } = member
    return { site, from: joinedAt, to: endedAt ?? this.#simulation.now, power: workers * speed, worked }
  }

  #join(actor: Actor, program: ReturnType<typeof programOf>): void {
    const { compute } = this.truth.scenario
    const { site } = actor.place
    const isStraggler = this.#draw() < compute.stragglers.share
    const lies = this.#draw() < compute.liars
    const member = new ComputeNode(actor.node as SimulatedNode, {
      location: locationOf(actor.number, actor.place),
      site,
      workers: at(compute.workers, site),
      speed: at(compute.speed, site) / (isStraggler ? compute.stragglers.slower : 1),
      lies,
      random: createRandom(deriveSeed(this.#simulation.seed, `scheduler ${actor.number}`)),
      program,
      createScheduler: this.#create,
      observer: this,
      today: () => this.#simulation.today,
    })
    actor.rootHolder = (job) => member.scheduler.replicas(job)[0]
    this.members.push(member)
    this.#byIndex.set(actor.number, member)
    this.#actors.set(member, actor)
  }
}

function at(by: BySite, site: string | undefined): number {
  return typeof by === 'number' ? by : ((site === undefined ? undefined : by[site]) ?? 1)
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}
