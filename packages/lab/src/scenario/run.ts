/** Runs a scenario once, in the namespaces of this process. */
import { ScenarioRunner, type EndedLivesResult, type ExpectationType, type Scenario, type Verdict } from '@jel/simulator'
import { RealJobs } from './real-jobs.ts'
import { RealTestbed, unseen } from './real-testbed.ts'

export interface RunOptions {
  readonly bin: string
  readonly seed: number
  /** Folder for each node's output. */
  readonly out: string | undefined
  /** Folder for keys, caches and logs of jobs. */
  readonly folder: string
  /** True if tasks of jobs keep a processor busy; otherwise they wait. */
  readonly busy: boolean
}

export interface Result {
  readonly scenario: string
  readonly seed: number
  readonly started: string
  readonly verdicts: readonly Verdict[]
  /** Expectations that the laboratory can't judge from outside a node. */
  readonly unseen: readonly ExpectationType[]
  /** Number of reports of all nodes, by event. */
  readonly told: Readonly<Record<string, number>>
  /** Incarnations of running members that ended, in any state of the network. */
  readonly endedLives: Pick<EndedLivesResult, 'total' | 'false'>
  /**
   * Cost of a node over the whole run: bytes a second with headers, and processor time in % of a
   * core. `memory`: resident memory at the end, MB.
   */
  readonly cost: { readonly bytes: number; readonly processor: number; readonly memory: number }
  /** Sentences about the jobs. */
  readonly work?: readonly string[]
  /** Number of processes that ended by themselves. */
  readonly lost: number
  readonly complaints: readonly string[]
}

export async function runScenario(scenario: Scenario, { bin, seed, out, ...options }: RunOptions): Promise<Result> {
  const testbed = new RealTestbed(scenario, seed, { bin, out, folder: options.folder })
  const { swarm, network } = testbed
  try {
    await testbed.prepare()
    const start = Date.now()
    const runner = new ScenarioRunner(testbed, scenario)
    const { truth } = runner
    truth.listen({ started: () => {}, ended: () => {}, changed: (what) => console.error(`${(testbed.now / 1_000).toFixed(1)} s: ${what}`) })
    const jobs = scenario.jobs.length > 0 ? new RealJobs(testbed, truth, options) : undefined
    jobs?.start()
    runner.start({ samples: false, submit: jobs && ((by, job) => jobs.submit(by, job)) })
    await testbed.pass(scenario.duration)
    const work = await jobs?.finish()
    const verdicts = [...runner.verdicts(unseen, work?.computed), ...(work?.verdicts ?? [])]
    const seconds = (Date.now() - start) / 1_000
    const usage = swarm.usage()
    const nodes = testbed.nodes.length
    const lost = network.lost()
    return {
      scenario: scenario.name,
      seed,
      started: new Date(start).toISOString(),
      verdicts,
      unseen: scenario.expect.map(({ type }) => type).filter((type) => unseen.includes(type)),
      endedLives: { total: testbed.endedLives.total, false: testbed.endedLives.false },
      told: Object.fromEntries([...Map.groupBy(swarm.reports, ({ event }) => event)].map(([event, all]) => [event, all.length])),
      cost: {
        bytes: Math.round(network.hosts.reduce((sum, host) => sum + network.bytes(host), 0) / nodes / seconds),
        processor: Number((usage.processor / 10 / seconds / nodes).toFixed(2)),
        memory: Number((usage.memory / swarm.running.length / 2 ** 20).toFixed(1)),
      },
      ...(work && { work: work.notes }),
      lost: swarm.lost,
      complaints: [...new Set(swarm.complaints), ...(lost > 0 ? [`the laboratory was too slow and lost ${lost} packets`] : [])],
    }
  } finally {
    await testbed.close()
  }
}
