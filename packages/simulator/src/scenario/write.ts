import { stringify } from 'yaml'
import type { Action } from './actions.ts'
import type { Expectation, Mark } from './expectation.ts'
import type { BySite, Computing, ScenarioJob } from './jobs.ts'
import type { NodeBandwidth, ScenarioNetwork, SiteFields } from './network.ts'
import type { Arrivals, Sessions } from './population.ts'
import { writeDuration, type DurationRange, type IntegerRange } from './quantity.ts'
import type { Scenario } from './scenario.ts'
import type { Targets } from './targets.ts'
import type { TaskTime } from './task-time.ts'

type Fields = Record<string, unknown>

/** Writes a scenario as a file from which {@link parseScenario} makes the same scenario. */
export function writeScenario(scenario: Scenario): string {
  const { name, description, config, nodes, nodesBySite, introducers, network, arrivals, sessions, elections, actions } = scenario
  return stringify(
    without({
      name,
      description: description === '' ? undefined : description,
      config: emptyAway(config),
      nodes: nodesBySite ?? nodes,
      introducers: introducers === 'oldest' ? undefined : introducers,
      network: writeNetwork(network),
      arrivals: writeArrivals(arrivals),
      sessions: sessions && writeSessions(sessions),
      elections: emptyAway(Object.fromEntries(Object.entries(elections).map(([election, share]) => [election, percent(share)]))),
      compute: scenario.jobs.length === 0 ? undefined : writeComputing(scenario.compute),
      jobs: scenario.jobs.length === 0 ? undefined : scenario.jobs.map(writeJob),
      actions: actions.length === 0 ? undefined : actions.map(writeAction),
      duration: writeDuration(scenario.duration),
      seeds: writeSeeds(scenario.seeds),
      sample: writeDuration(scenario.sample),
      expect: scenario.expect.length === 0 ? undefined : scenario.expect.map(writeExpectation),
    }),
    { lineWidth: 120 },
  )
}

function writeNetwork({ delay, sites, jitter, bandwidth, nodesPerMachine, machinesPerRack, loss, nat, ...rest }: ScenarioNetwork): Fields {
  return without({
    delay: writeDurations(delay),
    sites: typeof sites === 'object' ? Object.fromEntries(Object.entries(sites).map(([name, site]) => [name, writeSite(site)])) : sites,
    jitter: percent(jitter),
    bandwidth: emptyAway(writeBandwidth(bandwidth)),
    nodesPerMachine,
    machinesPerRack,
    loss: percent(loss),
    nat: percent(nat),
    ...rest,
  })
}

function writeSite({ within, to, weight, bandwidth, dialable }: SiteFields): Fields {
  return without({
    within: writeDuration(within),
    to: Object.fromEntries(Object.entries(to).map(([name, delay]) => [name, writeDuration(delay)])),
    weight,
    bandwidth: bandwidth && writeBandwidth(bandwidth),
    dialable: dialable === 'site' ? 'from the site' : dialable ? 'by all' : 'by nobody',
  })
}

function writeBandwidth(bandwidth: NodeBandwidth): Fields {
  return Object.fromEntries(Object.entries(bandwidth).map(([which, rate]) => [which, bits(rate as number)]))
}

function writeArrivals(arrivals: Arrivals): unknown {
  switch (arrivals.type) {
    case 'atOnce':
      return undefined
    case 'every':
      return { every: writeDuration(arrivals.interval) }
    case 'within':
      return { within: writeDuration(arrivals.span) }
    case 'poisson':
      return { poisson: `${arrivals.rate}/s` }
    case 'trace':
      return { trace: arrivals.file }
  }
}

function writeSessions({ length, crash, replaced, from, until, keepFirst }: Sessions): Fields {
  const how =
    length.type === 'exponential'
      ? { exponential: writeDuration(length.mean) }
      : length.type === 'constant'
        ? { constant: writeDuration(length.length) }
        : { pareto: { min: writeDuration(length.min), shape: length.shape } }
  return without({
    ...how,
    ends: { crash: percent(crash) },
    replaced: replaced === undefined ? undefined : writeDuration(replaced),
    from: writeDuration(from),
    until: until === undefined ? undefined : writeDuration(until),
    keepFirst,
  })
}

function writeComputing({ workers, speed, stragglers, liars }: Computing): Fields {
  return without({
    workers: unlessOne(workers),
    speed: unlessOne(speed),
    stragglers: stragglers.share === 0 ? undefined : { share: percent(stragglers.share), slower: stragglers.slower },
    liars: liars === 0 ? undefined : percent(liars),
  })
}

function unlessOne(by: BySite): BySite | undefined {
  return by === 1 ? undefined : by
}

function writeJob({ name, at, by, votes, shape: { type, ...shape } }: ScenarioJob): Fields {
  const fields = Object.entries(shape).map(([key, value]: [string, unknown]) => [
    key,
    key === 'piece' ? writeDuration(value as number) : typeof value === 'object' ? writeTaskTime(value as TaskTime) : value,
  ])
  return without({ name, at: writeDuration(at), by: writeTargets(by), votes, [type]: Object.fromEntries(fields) as Fields })
}

function writeTaskTime(time: TaskTime): unknown {
  switch (time.type) {
    case 'range':
      return writeDurations(time)
    case 'exponential':
      return { exponential: writeDuration(time.mean) }
    case 'pareto':
      return { pareto: { min: writeDuration(time.min), shape: time.shape } }
    case 'constant':
      return { constant: writeDuration(time.length) }
  }
}

function writeAction(action: Action): Fields {
  const { at, every, until, type } = action
  const timed = { at: writeDuration(at), every: every && writeDuration(every), until: until && writeDuration(until) }
  const lasting = { for: 'for' in action && action.for !== undefined ? writeDuration(action.for) : undefined }
  switch (type) {
    case 'heal':
      return without({ ...timed, heal: 'all' })
    case 'partition':
      return without({ ...timed, partition: action.sides.map(writeTargets), ...lasting })
    case 'cut':
      return without({
        ...timed,
        cut: { from: writeTargets(action.from), to: writeTargets(action.to), ways: action.ways, how: action.how },
        ...lasting,
      })
    case 'flap':
      return without({ ...timed, flap: writeTargets(action.targets), period: writeDuration(action.period), ...lasting })
    case 'loss':
      return without({ ...timed, loss: percent(action.loss), on: writeTargets(action.targets), ...lasting })
    case 'elect':
    case 'withdraw':
      return without({ ...timed, [type]: action.election, by: writeTargets(action.targets) })
    case 'hostile':
      return without({
        ...timed,
        hostile: action.attack,
        count: action.count,
        from: writeDuration(action.from),
        to: action.to === Infinity ? undefined : writeDuration(action.to),
        against: writeTargets(action.against),
      })
    case 'maybeDead':
      return without({ ...timed, maybeDead: writeTargets(action.targets), by: writeTargets(action.by) })
    case 'join':
      return without({
        ...timed,
        join: action.count,
        site: action.site,
        over: writeDuration(action.over),
      })
    case 'kill':
    case 'leave':
    case 'stop':
    case 'continue':
    case 'stall':
    case 'silence':
    case 'sleep':
    case 'address':
    case 'restore':
      return without({ ...timed, [type]: writeTargets(action.targets), ...('change' in action && { change: action.change }), ...lasting })
  }
}

function writeTargets({ nodes, rack, machine, share, ...rest }: Targets): unknown {
  const fields = without({
    nodes: nodes && writeRanges(nodes),
    rack: rack && writeRanges(rack),
    machine: machine && writeRanges(machine),
    ...rest,
    share: share === undefined ? undefined : percent(share),
  })
  return Object.keys(fields).length === 0 ? 'all' : fields
}

function writeExpectation({ type, ...rest }: Expectation): unknown {
  if (type === 'noFalseDeaths' || type === 'noLifeEnds' || type === 'sameResult') return type
  const { within, after, until, from, nodes, site, quantile, atMost, ...others } = rest as Fields
  return {
    [type]: without({
      within: typeof within === 'number' ? writeDuration(within) : undefined,
      after: writeMark(after as Mark | undefined),
      from: typeof from === 'number' ? writeDuration(from) : undefined,
      until: typeof until === 'number' ? writeDuration(until) : undefined,
      nodes: nodes === undefined ? undefined : writeTargets(nodes as Targets),
      site: site !== undefined && (site as readonly string[]).length > 0 ? site : undefined,
      quantile: typeof quantile === 'number' ? percent(quantile) : undefined,
      atMost: type === 'bytesPerNode' || type === 'bytesPerSecond' ? `${String(atMost)}B` : atMost,
      ...others,
    }),
  }
}

function writeMark(mark: Mark | undefined): string | undefined {
  return typeof mark === 'number' ? writeDuration(mark) : mark
}

function writeRanges(ranges: readonly IntegerRange[]): unknown {
  const list = ranges.map(({ first, last }) => (first === last ? first : `${first}..${last}`))
  return list.length === 1 ? list[0] : list
}

/** Writes seeds in a row as a range. */
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

function percent(share: number): string | number {
  const text = `${Number((share * 100).toFixed(6))}%`
  return Number(text.slice(0, -1)) / 100 === share ? text : share
}

function bits(perSecond: number): string {
  return perSecond % 1_000_000 === 0 ? `${perSecond / 1_000_000}Mbit` : `${perSecond}bit`
}

function emptyAway<T extends object>(fields: T): T | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields
}

function without(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
