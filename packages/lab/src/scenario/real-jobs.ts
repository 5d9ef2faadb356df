/**
 * The jobs of a scenario on real processes. Each execution of a task writes to the log of its job.
 */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { RunResult, Scenario, ScenarioRunner, Verdict } from '@jel/simulator'
import { sum } from '../base/quantiles.ts'
import { inCheckout } from '../base/paths.ts'
import type { Line } from '../swarm/start-node.ts'
import { readExecutions, type Execution } from '../base/job-log.ts'
import type { RealNode } from './real-node.ts'
import type { Partition } from './real-paths.ts'
import type { RealTestbed } from './real-testbed.ts'

type JobsResult = NonNullable<RunResult['computed']>
type ScenarioJob = Scenario['jobs'][number]
type GroundTruth = ScenarioRunner['truth']
type Actor = GroundTruth['actors'][number]

const PROGRAM = inCheckout('packages/lab/src/scenario/job-program.ts')
/**
 * Time for which the laboratory asks one member for a result, ms. Then it asks the member that is
 * youngest at that time.
 */
const ASK = 15_000
/** Pause while no node runs that could be asked, ms. */
const LOOK_AGAIN = 100
/** Longest wait for a member's answer at the end, ms. A guess: a newcomer takes seconds. */
const READ = 60_000
/** Time within which a member has sent the outcome of a task to the replicas, ms. */
const TOLD = 2_000

interface JobState {
  readonly job: ScenarioJob
  readonly log: string
  submittedAt: number | undefined
  /** Time at which a member first reported the result, ms. */
  doneAt: number | undefined
  replicas: readonly string[]
}

export class RealJobs {
  readonly #testbed: RealTestbed
  readonly #truth: GroundTruth
  readonly #states: readonly JobState[]
  readonly #busy: boolean
  #isOver = false

  /** `busy`: tasks keep a processor busy; otherwise they wait. */
  constructor(testbed: RealTestbed, truth: GroundTruth, { folder, busy }: { readonly folder: string; readonly busy: boolean }) {
    this.#testbed = testbed
    this.#truth = truth
    this.#busy = busy
    this.#states = truth.scenario.jobs.map((job, index) => ({
      job,
      log: join(folder, `job-${index}.log`),
      submittedAt: undefined,
      doneAt: undefined,
      replicas: [],
    }))
  }

  /** Lets scenarios select the node that holds the root (the first task) of a job. */
  start(): void {
    const living = (id: string): boolean => this.#testbed.nodes.some((node) => node.id === id && node.state === 'running')
    this.#truth.listen({
      started: (actor) => {
        actor.rootHolder = (name) => this.#states.find(({ job }) => job.name === name)?.replicas.find(living)
      },
      ended: () => {},
      changed: () => {},
    })
  }

  submit(by: Actor, job: ScenarioJob): void {
    const state = this.#states.find((each) => each.job === job) as JobState
    state.submittedAt = this.#testbed.now
    void this.#follow(by.node as RealNode, state)
  }

  async #follow(by: RealNode, state: JobState): Promise<void> {
    const { job, log } = state
    const { fn, input } = callOf(job)
    const { seed } = this.#testbed
    const command = {
      command: 'submit',
      file: PROGRAM,
      function: fn,
      input: { ...input, seed, busy: this.#busy, log },
      name: job.name,
      votes: job.votes,
    }
    const told = await by.process?.ask(command, ASK)
    state.replicas = told?.replicas ?? []
    while (state.doneAt === undefined && !this.#isOver) {
      // The youngest member gets the result last. So the loop asks the youngest running member.
      const youngest = this.#testbed.nodes.findLast(({ state, honest, process }) => honest && state === 'running' && process !== undefined)
      // No node may run for a while: an action may continue one later.
      if (youngest === undefined) {
        await setTimeout(LOOK_AGAIN)
        continue
      }
      const answer = await resultAt(youngest, job.name, ASK)
      if (answer?.event === 'done') state.doneAt = this.#testbed.now
    }
  }

  /** Asks all running honest members for all results, and judges the jobs. Call it at the end. */
  async finish(): Promise<{ readonly computed: JobsResult; readonly verdicts: readonly Verdict[]; readonly notes: readonly string[] }> {
    this.#isOver = true
    const { now } = this.#testbed
    const running = this.#testbed.nodes.filter(({ state, honest }) => honest && state === 'running')
    const all = await Promise.all(
      this.#states.map(async (state) => {
        const answers = await Promise.all(running.map((node) => resultAt(node, state.job.name, READ)))
        return { state, answers, executions: readExecutions(state.log) }
      }),
    )
    const executions = all.flatMap((each) => each.executions)
    const begun = all.flatMap(({ state: { submittedAt, doneAt } }) =>
      submittedAt === undefined ? [] : [[submittedAt, doneAt ?? now] as const],
    )
    const span = [Math.min(...begun.map(([from]) => from)), Math.max(...begun.map(([, to]) => to))] as const
    const power = this.#truth.actors.map(({ node, startedAt, endedAt, place }) => {
      const present = Math.max(0, Math.min(endedAt ?? now, span[1]) - Math.max(startedAt, span[0]))
      const own = executions.filter((execution) => this.#nodeOf(execution) === node)
      return { site: place.site ?? '', available: present * this.#testbed.workersAt(place.site), worked: workOf(firstOnly(own)) }
    })
    const available = sum(power.map((each) => each.available))
    const sites = Map.groupBy(power, ({ site }) => site)
    const tasks = sum(all.map((each) => tasksOf(each.executions)))
    const computed: JobsResult = {
      jobs: Object.fromEntries(all.map(({ state, answers, executions: own }) => [state.job.name, resultOf(state, answers, own)])),
      efficiency: sum(all.map((each) => workOf(firstOnly(each.executions)))) / available,
      sites: Object.fromEntries(
        [...sites].map(([site, each]) => [site, sum(each.map(({ worked }) => worked)) / sum(each.map((one) => one.available))]),
      ),
      doneTwice: (executions.length - tasks) / Math.max(1, tasks),
      messages: 0,
      dials: 0,
    }
    const cuts = this.#testbed.paths.partitions.map((cut) => this.#judgeCut(cut, executions))
    return {
      computed,
      verdicts: cuts.flatMap(({ verdicts }) => verdicts),
      notes: [
        `${tasks} tasks, ${executions.length - tasks} repeated executions; ${(computed.efficiency * 100).toFixed(0)} % of the workers' time went into first executions`,
        ...cuts.map(({ note }) => note),
      ],
    }
  }

  /**
   * Judges a partition by two expectations. First, all sides go on. Second, after the healing, no
   * task begins again if the replicas of one side had its outcome. The second expectation concerns
   * members that see all others again.
   */
  #judgeCut(cut: Partition, executions: readonly Execution[]): { readonly verdicts: Verdict[]; readonly note: string } {
    const healedAt = cut.to ?? Infinity
    const during = executions.filter(({ begun, ended = Infinity }) => begun >= cut.from && ended <= healedAt)
    const sides = cut.groups.map(
      (group) => new Set(during.filter((execution) => group.includes(this.#nodeOf(execution) as RealNode)).map(({ task }) => task)),
    )
    const twice = during.length - new Set(during.map(({ task }) => task)).size
    const told = new Set(executions.filter(({ ended = Infinity }) => ended <= healedAt - TOLD).map(({ task }) => task))
    const again = executions.filter(({ task, begun }) => begun > healedAt && told.has(task))
    const late = again.filter((execution) => {
      const node = this.#nodeOf(execution)
      return execution.begun > (node === undefined ? Infinity : this.#lastSaw(node, healedAt))
    })
    return {
      verdicts: [
        {
          what: 'all sides of the cut go on',
          held: sides.every(({ size }) => size > 0),
          seen: sides.map(({ size }) => `${size} tasks`).join(', '),
        },
        {
          what: 'no member that sees all others again begins a task that a side had finished',
          held: late.length === 0,
          seen: `${late.length} of ${again.length} that were begun`,
        },
      ],
      note: `while cut: ${sides.map(({ size }) => size).join(' and ')} tasks, ${twice} of them twice`,
    }
  }

  /**
   * Returns the time of the last `joined` that the node reported after `after`; otherwise `after`.
   * Unix ms.
   */
  #lastSaw({ process }: RealNode, after: number): number {
    const { reports } = this.#testbed.swarm
    return reports.findLast(({ by, event, time }) => by === process && event === 'joined' && time > after)?.time ?? after
  }

  #nodeOf({ pids }: Execution): RealNode | undefined {
    return this.#testbed.nodes.find(({ process }) => process?.process.child.pid !== undefined && pids.includes(process.process.child.pid))
  }
}

/**
 * Returns the outcome of a job that a node reports; undefined if the node reports none within
 * `within` ms.
 */
async function resultAt({ process }: RealNode, job: string, within: number): Promise<Line | undefined> {
  return await process?.ask({ command: 'job', job, until: 'result' }, within)
}

/** Returns the function of the program, its input, and the number of its tasks. */
function callOf({ shape }: ScenarioJob): { readonly fn: string; readonly input: object; readonly tasks: number } {
  switch (shape.type) {
    case 'flat':
      return { fn: 'flat', input: { first: 0, count: shape.leaves, time: shape.leaf }, tasks: shape.leaves }
    case 'tree':
      return { fn: 'tree', input: { first: 0, count: shape.leaves, branching: shape.branching, time: shape.leaf }, tasks: shape.leaves }
    case 'driver':
      return { fn: 'driver', input: { width: shape.tasks, rounds: shape.rounds, time: shape.task }, tasks: shape.tasks * shape.rounds }
    case 'search':
    case 'space':
      throw new Error(`the laboratory can't run jobs of the shape ${shape.type}`)
  }
}

function resultOf(
  { job, submittedAt, doneAt }: JobState,
  answers: readonly (Line | undefined)[],
  executions: readonly Execution[],
): JobsResult['jobs'][string] {
  const { tasks } = callOf(job)
  const expected = (tasks * (tasks - 1)) / 2
  const known = tasksOf(executions)
  return {
    ...(submittedAt !== undefined && { submittedAt }),
    ...(doneAt !== undefined && { doneAt }),
    isDoneEverywhere: answers.every((answer) => answer?.event === 'done'),
    isRight: answers.every((answer) => answer?.result === expected),
    tasks: known,
    executions: executions.length,
    work: workOf(firstOnly(executions)),
    doneTwice: (executions.length - known) / Math.max(1, known),
  }
}

function tasksOf(executions: readonly Execution[]): number {
  return new Set(executions.map(({ task }) => task)).size
}

/** Returns the first ended execution of each task. */
function firstOnly(executions: readonly Execution[]): Execution[] {
  const first = new Map<number, Execution>()
  for (const execution of executions) if (execution.ended !== undefined && !first.has(execution.task)) first.set(execution.task, execution)
  return [...first.values()]
}

function workOf(executions: readonly Execution[]): number {
  return sum(executions.map(({ begun, ended = begun }) => ended - begun))
}
