/** Runs one contender in one experiment. */
import type { Milliseconds, Notification } from '@jel/protocol'
import { measuredCosts, noCosts, type SimulatedNode } from '@jel/simulator'
import { assumeMemberBytes } from '../baselines/index.ts'
import { factoryOf, type Contender } from './contender.ts'
import { experiments, scenarioOf, type ExperimentName } from './experiment.ts'
import { runPool, type PoolRun } from '../baselines/pool-run.ts'
import { variationOf } from './variation.ts'

export interface TrialPlan {
  readonly experiment: ExperimentName
  readonly contender: Contender
  readonly seed: number
  /** Share of the paper's nodes. */
  readonly scale: number
  /** Name of the variation; undefined: the scenario's own settings. */
  readonly variation?: string
}

/** MB (10^6 bytes) over the whole experiment. */
export interface Megabytes {
  /** The mean over the members. */
  readonly mean: number
  /** The service's bytes; undefined if there is no service. */
  readonly service?: number
}

/**
 * The result of one trial. Times are seconds. As the end of an interval, null is the end of the
 * run.
 */
export interface TrialResult extends TrialPlan {
  readonly nodes: number
  /**
   * Time at which the average perceived pool size (§6.1) reached half, and 99 %, of the nodes of
   * the first wave; undefined: it never did.
   */
  readonly half?: number
  readonly nearly?: number
  /** Intervals of at least a second in which all members saw all. */
  readonly agreed: readonly (readonly [from: number, to: number | null])[]
  /**
   * Reports of crashes, over all pairs of a crashed member and a survivor. `half` and `last`: time
   * from the crash to the reports of half of the pairs, and of all pairs; undefined: never.
   * `missed`: number of pairs without a report.
   */
  readonly crash?: { readonly half?: number; readonly last?: number; readonly missed: number }
  /**
   * Bytes as the original counts them: messages sent and received, without the overhead of TCP/IP
   * and others.
   */
  readonly payload: Megabytes
  /** Bytes on the wire, sent and received, with all overhead. */
  readonly wire: Megabytes
  /** Received bytes on the wire. */
  readonly received: Megabytes
  readonly events: number
  /** Processor time of the thread that ran the trial. */
  readonly cpuSeconds: number
  /**
   * The average perceived pool size and the true size over time. Kept only for the first seed
   * without a variation.
   */
  readonly curve?: readonly (readonly [time: number, perceived: number, present: number])[]
}

const second = 1_000
const points = 200
/**
 * Shortest agreement that counts, ms. While nodes come one by one, all members often see all
 * members for a moment.
 */
const lasting = 1_000
/** Number of cores of a machine of DAS-3. */
const cores = 4

export function runTrial(plan: TrialPlan): TrialResult {
  const start = cpuSeconds()
  const experiment = experiments[plan.experiment]
  const variation = plan.variation === undefined ? undefined : variationOf(plan.variation)
  const { connection, memberBytes, distributed, set = [] } = variation ?? {}
  if (memberBytes !== undefined) assumeMemberBytes(memberBytes)
  const processor = connection === undefined ? [] : [`network.processor=${cores}`]
  const scenario = scenarioOf(experiment, plan.scale, [...set, ...processor])
  const views = new Views(scenario.nodes)
  const run = runPool(scenario, {
    contender: plan.contender,
    create: factoryOf(plan.contender, distributed),
    seed: plan.seed,
    costs:
      connection === undefined
        ? undefined
        : plan.contender === 'jel'
          ? measuredCosts
          : { ...noCosts, dial: connection, accept: connection },
    onTold: (notification, now) => views.told(notification, now),
  })
  return {
    ...plan,
    ...views.reached(),
    ...figuresOf(run, plan),
    ...trafficOf(run),
    events: run.simulation.events,
    cpuSeconds: round(cpuSeconds() - start),
  }
}

/** The sum of the sizes of all members' views. */
class Views {
  readonly #nodes: number
  #sum = 0
  #half: number | undefined
  #nearly: number | undefined

  constructor(nodes: number) {
    this.#nodes = nodes
  }

  told({ type }: Notification, now: Milliseconds): void {
    if (type === 'joined') this.#sum += 1
    else if (type === 'left' || type === 'died') this.#sum -= 1
    const share = this.#sum / this.#nodes ** 2
    if (share >= 0.5) this.#half ??= now / second
    if (share >= 0.99) this.#nearly ??= now / second
  }

  reached(): Pick<TrialResult, 'half' | 'nearly'> {
    return {
      ...(this.#half !== undefined && { half: round(this.#half) }),
      ...(this.#nearly !== undefined && { nearly: round(this.#nearly) }),
    }
  }
}

function figuresOf(
  { simulation, runner, members }: PoolRun,
  { experiment, seed, variation }: TrialPlan,
): Omit<TrialResult, keyof TrialPlan | keyof ReturnType<typeof trafficOf> | 'events' | 'cpuSeconds'> {
  const { metrics } = runner
  const { time, perceived, nodes } = metrics.columns
  const { crashes } = metrics
  const every = Math.max(1, Math.ceil(time.length / points))
  const missed = crashes.missed(simulation.now, 0)
  const { count } = crashes.times
  // The share of the received reports that is half of all reports. All reports include those that
  // never came.
  const halfOfAll = (0.5 * (count + missed)) / Math.max(1, count)
  const told = {
    half: halfOfAll > 1 ? undefined : crashes.times.quantile(halfOfAll),
    last: missed > 0 ? undefined : crashes.times.quantile(1),
  }
  return {
    nodes: members.length,
    agreed: metrics.allKnowAll.list
      .filter(([from, to]) => Math.min(to, simulation.now) - from >= lasting)
      .map(([from, to]) => [round(from / second), to === Infinity ? null : round(to / second)]),
    ...(experiments[experiment].end?.how === 'crash' && {
      crash: {
        ...(told.half !== undefined && { half: round(told.half / second) }),
        ...(told.last !== undefined && { last: round(told.last / second) }),
        missed,
      },
    }),
    ...(seed === 1 &&
      variation === undefined && {
        curve: time.flatMap((at, i) =>
          i % every === 0 ? [[at / second, round(perceived[i] as number), nodes[i] as number] as const] : [],
        ),
      }),
  }
}

function trafficOf({ members, service }: PoolRun): Pick<TrialResult, 'payload' | 'wire' | 'received'> {
  const measure = (bytes: (node: SimulatedNode) => number): Megabytes => {
    const mean = round(members.reduce((sum, node) => sum + bytes(node), 0) / members.length / 1e6)
    return service === undefined ? { mean } : { mean, service: round(bytes(service) / 1e6) }
  }
  return {
    payload: measure(({ traffic }) => traffic.bytesSent + traffic.bytesReceived),
    wire: measure(({ traffic }) => traffic.sent.bytes + traffic.received.bytes),
    received: measure(({ traffic }) => traffic.received.bytes),
  }
}

function cpuSeconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1e6
}

function round(value: number): number {
  return Math.round(value * second) / second
}
