/** One run of a scenario, in the namespaces of this process. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Arrivals, Scenario } from '@jel/simulator'
import { usageOfAll } from '../driver/usage.ts'
import { Stage } from './stage.ts'
import { timelineOf } from './timeline.ts'
import { judge, type Marks, type Verdict } from './verdicts.ts'

export interface RunOptions {
  readonly bin: string
  readonly seed: number
  /** Folder for what each node says. */
  readonly out: string | undefined
  readonly say: (text: string) => void
}

export interface Result {
  readonly scenario: string
  readonly seed: number
  readonly started: string
  readonly verdicts: readonly Verdict[]
  /** What nodes told in all. */
  readonly told: Readonly<Record<string, number>>
  /** Lives of running members that ended, whatever was done to the network. */
  readonly endedLives: number
  /** Over the whole run, a node: bytes a second with headers, share of a core in %, resident MB at the end. */
  readonly cost: { readonly bytes: number; readonly processor: number; readonly memory: number }
  /** Processes that ended by themselves. */
  readonly lost: number
  readonly complaints: readonly string[]
}

export async function runScenario(scenario: Scenario, { bin, seed, out, say }: RunOptions): Promise<Result> {
  const stage = new Stage(scenario, seed, { bin, out })
  const { pool, network } = stage
  const timeline = timelineOf(scenario)
  await network.ready
  const start = Date.now()
  const { promise: arrived, resolve } = Promise.withResolvers<number>()
  const marks = async (): Promise<Marks> => {
    const lastArrival = await arrived
    const lastChange = Math.max(lastArrival, ...timeline.map(({ at }) => start + at))
    return { start, lastArrival, lastChange }
  }
  try {
    const end = sleep(scenario.duration)
    const verdicts = scenario.expect.map((expectation) => judge(expectation, stage, marks, end))
    const arriving = arrive(stage, scenario).then((time) => {
      say(`${scenario.nodes} nodes have started in ${((time - start) / 1000).toFixed(1)} s`)
      resolve(time)
    })
    const acting = act(stage, timeline, start, say)
    await Promise.all([arriving, acting, end])
    const results = await Promise.all(verdicts)
    const seconds = (Date.now() - start) / 1000
    const usage = usageOfAll(pool.running.flatMap(({ process }) => process.child.pid ?? []))
    const nodes = pool.nodes.length
    const lost = network.lost()
    return {
      scenario: scenario.name,
      seed,
      started: new Date(start).toISOString(),
      verdicts: results,
      endedLives: stage.endedLives().length,
      told: count(pool.reports.map(({ event }) => event)),
      cost: {
        bytes: Math.round(network.hosts.reduce((sum, host) => sum + network.bytes(host), 0) / nodes / seconds),
        processor: Number((usage.processor / 10 / seconds / nodes).toFixed(2)),
        memory: Number((usage.memory / pool.running.length / 2 ** 20).toFixed(1)),
      },
      lost: pool.lost,
      complaints: [...new Set(pool.complaints), ...(lost > 0 ? [`the laboratory was too slow and lost ${lost} packets`] : [])],
    }
  } finally {
    await pool.stop()
  }
}

/** Starts the nodes of the start; the time at which the last one had entered. */
async function arrive(stage: Stage, scenario: Scenario): Promise<number> {
  const start = Date.now()
  const times = arrivalTimes(scenario.arrivals, scenario.nodes, stage.random)
  await stage.start()
  await Promise.all(
    times.slice(1).map(async (at) => {
      await sleep(Math.max(0, start + at - Date.now()))
      await stage.start()
    }),
  )
  return Date.now()
}

function arrivalTimes(arrivals: Arrivals, nodes: number, random: () => number): number[] {
  switch (arrivals.type) {
    case 'atOnce':
      return Array.from({ length: nodes }, () => 0)
    case 'every':
      return Array.from({ length: nodes }, (_, index) => index * arrivals.interval)
    case 'poisson': {
      let at = 0
      return Array.from({ length: nodes }, (_, index) => (index === 0 ? 0 : (at += (-Math.log(1 - random()) / arrivals.rate) * 1000)))
    }
    case 'trace':
      return arrivals.events.filter(({ event }) => event === 'join').map(({ at }) => at)
  }
}

async function act(stage: Stage, timeline: ReturnType<typeof timelineOf>, start: number, say: (text: string) => void): Promise<void> {
  for (const step of timeline) {
    await sleep(Math.max(0, start + step.at - Date.now()))
    if (step.action.type !== 'flap') say(`${(step.at / 1000).toFixed(1)} s: ${step.action.type}${step.phase === 'end' ? ' ends' : ''}`)
    await stage.perform(step)
  }
}

function count(events: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const event of events) counts[event] = (counts[event] ?? 0) + 1
  return counts
}
