import { stringify } from 'yaml'
import type { Action } from './actions.ts'
import type { Expectation } from './expectation.ts'
import type { BySite, Computing, ScenarioJob } from './jobs.ts'
import type { ScenarioNetwork, SiteFields } from './network.ts'
import type { Arrivals, Sessions } from './population.ts'
import { writeDuration, type DurationRange, type IntegerRange } from './quantity.ts'
import type { Scenario } from './scenario.ts'
import type { Targets } from './targets.ts'
import type { TaskTime } from './task-time.ts'

type Fields = Record<string, unknown>

/**
 * Writes a scenario as a file from which {@link parseScenario} makes the same scenario. The YAML
 * library leaves out keys without a value.
 */
export function writeScenario(scenario: Scenario): string {
  const { name, description, config, nodes, nodesBySite, introducers, network, arrivals, sessions, elections, jobs } = scenario
  return stringify(
    {
      name,
      description: description === '' ? undefined : description,
      config: unlessEmpty(config),
      nodes: nodesBySite ?? nodes,
      introducers: introducers === 'oldest' ? undefined : introducers,
      network: writeNetwork(network),
      arrivals: writeArrivals(arrivals),
      sessions: sessions && writeSessions(sessions),
      elections: unlessEmpty(mapValues(elections, percent)),
      compute: jobs.length === 0 ? undefined : writeComputing(scenario.compute),
      jobs: unlessEmpty(jobs.map(writeJob)),
      actions: unlessEmpty(scenario.actions.map(writeAction)),
      duration: time(scenario.duration),
      seeds: writeSeeds(scenario.seeds),
      sample: time(scenario.sample),
      expect: unlessEmpty(scenario.expect.map(writeExpectation)),
    },
    { lineWidth: 120 },
  )
}

function writeNetwork({ delay, sites, jitter, bandwidth, nodesPerMachine, machinesPerRack, loss, nat, ...rest }: ScenarioNetwork): Fields {
  return {
    delay: writeDurations(delay),
    sites: typeof sites === 'object' ? mapValues(sites, writeSite) : sites,
    jitter: percent(jitter),
    bandwidth: unlessEmpty(mapValues(bandwidth, bits)),
    nodesPerMachine,
    machinesPerRack,
    loss: percent(loss),
    nat: percent(nat),
    ...rest,
  }
}

function writeSite({ within, to, weight, bandwidth, dialable }: SiteFields): Fields {
  return {
    within: time(within),
    to: mapValues(to, time),
    weight,
    bandwidth: bandwidth && mapValues(bandwidth, bits),
    dialable: dialable === 'site' ? 'from the site' : dialable ? 'by all' : 'by nobody',
  }
}

function writeArrivals(arrivals: Arrivals): Fields | undefined {
  switch (arrivals.type) {
    case 'atOnce':
      return undefined
    case 'every':
      return { every: time(arrivals.interval) }
    case 'within':
      return { within: time(arrivals.span) }
    case 'poisson':
      return { poisson: `${arrivals.rate}/s` }
    case 'trace':
      return { trace: arrivals.file }
  }
}

function writeSessions({ length, crash, replaced, from, until, keepFirst }: Sessions): Fields {
  const ends = { crash: percent(crash) }
  return { ...writeLength(length), ends, replaced: time(replaced), from: time(from), until: time(until), keepFirst }
}

function writeComputing({ workers, speed, stragglers: { share, slower }, liars }: Computing): Fields {
  const unlessOne = (by: BySite): BySite | undefined => (by === 1 ? undefined : by)
  return {
    workers: unlessOne(workers),
    speed: unlessOne(speed),
    stragglers: share === 0 ? undefined : { share: percent(share), slower },
    liars: liars === 0 ? undefined : percent(liars),
  }
}

function writeJob({ name, at, by, votes, shape: { type, ...shape } }: ScenarioJob): Fields {
  const field = (value: unknown, key: string): unknown =>
    key === 'piece' ? time(value as number) : typeof value === 'object' ? writeTaskTime(value as TaskTime) : value
  return { name, at: time(at), by: writeTargets(by), votes, [type]: mapValues<unknown>(shape, field) }
}

function writeTaskTime(taskTime: TaskTime): unknown {
  return taskTime.type === 'range' ? writeDurations(taskTime) : writeLength(taskTime)
}

function writeLength(length: Sessions['length']): Fields {
  switch (length.type) {
    case 'exponential':
      return { exponential: time(length.mean) }
    case 'pareto':
      return { pareto: { min: time(length.min), shape: length.shape } }
    case 'constant':
      return { constant: time(length.length) }
  }
}

function writeAction(action: Action): Fields {
  const { at, every, until } = action
  const timed = { at: time(at), every: time(every), until: time(until) }
  const lasting = { for: 'for' in action ? time(action.for) : undefined }
  switch (action.type) {
    case 'heal':
      return { ...timed, heal: 'all' }
    case 'partition':
      return { ...timed, partition: action.sides.map(writeTargets), ...lasting }
    case 'cut': {
      const { from, to, ways, how } = action
      return { ...timed, cut: { from: writeTargets(from), to: writeTargets(to), ways, how }, ...lasting }
    }
    case 'loss':
      return { ...timed, loss: percent(action.loss), on: writeTargets(action.targets), ...lasting }
    case 'elect':
    case 'withdraw':
      return { ...timed, [action.type]: action.election, by: writeTargets(action.targets) }
    case 'hostile': {
      const { attack, count, from, to, against } = action
      return { ...timed, hostile: attack, count, from: time(from), to: time(to), against: writeTargets(against) }
    }
    case 'join':
      return { ...timed, join: action.count, site: action.site, over: time(action.over) }
    default: {
      const period = 'period' in action ? time(action.period) : undefined
      const by = 'by' in action ? writeTargets(action.by) : undefined
      const change = 'change' in action ? action.change : undefined
      return { ...timed, [action.type]: writeTargets(action.targets), period, by, change, ...lasting }
    }
  }
}

function writeTargets({ nodes, site, rack, machine, winner, root, nat, share, count }: Targets): unknown {
  const conditions = { nodes: writeRanges(nodes), rack: writeRanges(rack), machine: writeRanges(machine), site, winner, root, nat, count }
  const fields = { ...conditions, share: share === undefined ? undefined : percent(share) }
  return Object.values(fields).every((value) => value === undefined) ? 'all' : fields
}

function writeExpectation({ type, ...rest }: Expectation): unknown {
  if (type === 'noFalseDeaths' || type === 'noLifeEnds' || type === 'sameResult') return type
  const { within, after, from, until, nodes, site, quantile, atMost, ...others } = rest as {
    readonly [key in 'within' | 'from' | 'until' | 'quantile' | 'atMost']?: number
  } & { readonly after?: number | string; readonly nodes?: Targets; readonly site?: readonly string[] }
  return {
    [type]: {
      within: time(within),
      after: typeof after === 'number' ? time(after) : after,
      from: time(from),
      until: time(until),
      nodes: nodes && writeTargets(nodes),
      site: site && unlessEmpty(site),
      quantile: quantile === undefined ? undefined : percent(quantile),
      atMost: type === 'bytesPerNode' || type === 'bytesPerSecond' ? `${String(atMost)}B` : atMost,
      ...others,
    },
  }
}

function writeRanges(ranges: readonly IntegerRange[] | undefined): unknown {
  const list = ranges?.map(({ first, last }) => (first === last ? first : `${first}..${last}`))
  return list?.length === 1 ? list[0] : list
}

/** Writes consecutive seeds as a range. */
function writeSeeds(seeds: readonly number[]): unknown {
  const ranges: { first: number; last: number }[] = []
  for (const seed of seeds) {
    const range = ranges.at(-1)
    if (range !== undefined && seed === range.last + 1) range.last = seed
    else ranges.push({ first: seed, last: seed })
  }
  return writeRanges(ranges)
}

function writeDurations({ min, max }: DurationRange): string {
  return min === max ? writeDuration(min) : `${writeDuration(min)}..${writeDuration(max)}`
}

/** Returns undefined for no time and for an infinite time. Both are defaults. */
function time(ms: number | undefined): string | undefined {
  return ms === undefined || ms === Infinity ? undefined : writeDuration(ms)
}

function percent(share: number): string | number {
  const text = `${Number((share * 100).toFixed(6))}%`
  return Number(text.slice(0, -1)) / 100 === share ? text : share
}

function bits(perSecond: number): string {
  return perSecond % 1_000_000 === 0 ? `${perSecond / 1_000_000}Mbit` : `${perSecond}bit`
}

function unlessEmpty<T extends object>(fields: T): T | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields
}

function mapValues<T>(fields: Readonly<Record<string, T>> | object, write: (value: T, key: string) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields as Record<string, T>).map(([key, value]) => [key, write(value, key)]))
}
