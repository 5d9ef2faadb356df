import * as v from 'valibot'
import { defaultConfig, type ConfigOverrides, type Milliseconds } from '@jel/protocol'
import { action, resolveAction, type Action } from './actions.ts'
import { expectation, type Expectation } from './expectation.ts'
import { computing, jobs, type Computing, type ScenarioJob } from './jobs.ts'
import { network, type ScenarioNetwork } from './network.ts'
import { arrivals, sessions, type Arrivals, type Sessions } from './population.ts'
import { amount, count, parseRange, share, span, text } from './quantity.ts'
import {
  about,
  choice,
  jsonSchemaOf,
  list,
  mapping,
  named,
  parsed,
  show,
  shownAs,
  Unfit,
  word,
  written,
  type Schema,
} from './schema-kit.ts'
import { definitions } from './targets.ts'

/** A pool, the actions on it, and the expectations. Times are milliseconds from the start. */
export interface Scenario {
  readonly name: string
  readonly description: string
  /** Settings of the protocol that differ from its defaults. */
  readonly config: ConfigOverrides
  /** The number of initial nodes. `arrivals` sets when each of them comes. */
  readonly nodes: number
  /** The number of initial nodes in each site, if the file states it. */
  readonly nodesBySite?: Readonly<Record<string, number>>
  /**
   * The member through which a node enters: the running node with the lowest number, or a random
   * node.
   */
  readonly introducers: 'oldest' | 'random'
  readonly network: ScenarioNetwork
  readonly arrivals: Arrivals
  readonly sessions?: Sessions
  /** For each election, the share of the nodes that are candidates as soon as they start. */
  readonly elections: Readonly<Record<string, number>>
  /** The computing power of members and their jobs, in the order of the file, not of time. */
  readonly compute: Computing
  readonly jobs: readonly ScenarioJob[]
  /** The actions, in the order of the file, not of time. */
  readonly actions: readonly Action[]
  readonly duration: Milliseconds
  readonly seeds: readonly number[]
  /** The interval of measurements. */
  readonly sample: Milliseconds
  readonly expect: readonly Expectation[]
}

/** The nodes as in a file: a number, or a number for each site. */
interface Nodes {
  readonly nodes: number
  readonly nodesBySite?: Readonly<Record<string, number>>
}

const total = parsed(count(1), (nodes): Nodes => ({ nodes }))
const bySite = parsed(named(count(0)), (nodesBySite): Nodes | Unfit => {
  const nodes = Object.values(nodesBySite).reduce((sum, each) => sum + each, 0)
  return nodes > 0 ? { nodes, nodesBySite } : new Unfit('expected at least one node')
})

const seedJson = {
  anyOf: [
    { type: 'integer', minimum: 0 },
    { type: 'string', pattern: '^\\d+(\\.\\.\\d+)?$' },
  ],
}

/** The most seeds of a range. So a typing error causes an error message and no endless run. */
const maxSeeds = 100_000

/** Parses `7`, `1..20` or `[1, 5..9]`. */
export function parseSeeds(value: unknown): readonly number[] | Unfit {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  const seeds: number[] = []
  for (const each of list) {
    const range = parseRange(each)
    if (range === undefined) return new Unfit(`expected a seed (7), a range (1..20), or a list of both; not ${show(each)}`)
    if (range.last - range.first >= maxSeeds) return new Unfit(`${show(each)}: more than ${maxSeeds} seeds`)
    for (let seed = range.first; seed <= range.last; seed++) seeds.push(seed)
  }
  return seeds.length > 0 ? [...new Set(seeds)] : new Unfit('expected at least one seed')
}

const configSections = Object.fromEntries(
  Object.entries(defaultConfig).map(([section, values]) => [
    section,
    v.exactOptional(mapping(Object.fromEntries(Object.keys(values).map((key) => [key, v.exactOptional(amount(0))])), 'settings')),
  ]),
)

// The names of settings change with the protocol. The schema for editors should not change.
const config = shownAs(mapping(configSections, 'sections of the configuration') as unknown as Schema<ConfigOverrides>, {
  type: 'object',
  additionalProperties: { type: 'object', additionalProperties: { type: 'number', minimum: 0 } },
})

const nodes = choice<Nodes>([total, bySite], (value) => (typeof value === 'object' && value !== null ? bySite : total))
const seeds = written(parseSeeds, { anyOf: [seedJson, { type: 'array', items: seedJson, minItems: 1 }] })
const prose = written((value): string | Unfit => (typeof value === 'string' ? value : new Unfit(`expected a text, not ${show(value)}`)), {
  type: 'string',
})

const file = mapping(
  {
    name: v.exactOptional(about(text('a name'), 'default: the name of the file')),
    description: v.exactOptional(prose, ''),
    config: v.exactOptional(
      about(config, 'settings of the protocol; names, units and defaults stand in packages/protocol/src/base/config.ts'),
      {},
    ),
    nodes: about(nodes, 'how many at the start, or how many in which site; left out with a trace, which says so'),
    introducers: v.exactOptional(about(word(['oldest', 'random'], 'introducer'), 'through which running node newcomers enter'), 'oldest'),
    network: v.exactOptional(network, {}),
    arrivals: v.exactOptional(about(arrivals, 'how the nodes of the start come; default: at once'), 'at once'),
    sessions: v.exactOptional(about(sessions, 'how long nodes stay, and how they go; default: to the end')),
    elections: v.exactOptional(about(named(share), 'share of the nodes that stand as soon as they start, by election'), {}),
    compute: v.exactOptional(about(computing, 'how members compute'), {}),
    jobs: v.exactOptional(about(jobs, 'what they compute'), []),
    actions: v.exactOptional(list(action), []),
    duration: about(span, 'of the whole run'),
    seeds: v.exactOptional(seeds, [1]),
    sample: v.exactOptional(about(span, 'how often to measure; default: 1s'), '1s'),
    expect: v.exactOptional(about(list(expectation), 'what must hold'), []),
  },
  'a scenario',
)

/** The schema of a file's content. It parses the content to a {@link Scenario}. */
export const scenarioSchema: Schema<Omit<Scenario, 'name'> & { readonly name?: string }> = parsed(file, ({ nodes, actions, ...rest }) => ({
  ...rest,
  ...nodes,
  actions: actions.map((each) => resolveAction(each, nodes.nodes)),
}))

/** The JSON schema of scenario files, for editors. */
export function scenarioJsonSchema(): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Scenario of the jel simulator',
    ...jsonSchemaOf(file),
    // The parser takes the number of nodes from a trace, if the file names one.
    required: ['duration'],
    $defs: definitions,
  }
}
