import * as z from 'zod'
import { defaultConfig, type ConfigOverrides, type Milliseconds } from '@jel/protocol'
import { action, resolveAction, type Action } from './actions.ts'
import { expectation, type Expectation } from './expectation.ts'
import { computing, jobs, type Computing, type ScenarioJob } from './jobs.ts'
import { network, type ScenarioNetwork } from './network.ts'
import { arrivals, sessions, type Arrivals, type Sessions } from './population.ts'
import { amount, count, parseRange, share, span, text } from './quantity.ts'
import { choice, jsonSchemaOf, mapping, show, shownAs, Unfit, word, written } from './schema-kit.ts'

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

const total = count(1).transform((nodes): Nodes => ({ nodes }))
const bySite = z.record(z.string(), count(0)).transform((nodesBySite, context): Nodes => {
  const nodes = Object.values(nodesBySite).reduce((sum, each) => sum + each, 0)
  if (nodes > 0) return { nodes, nodesBySite }
  context.addIssue({ code: 'custom', message: 'expected at least one node' })
  return z.NEVER
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
    mapping(Object.fromEntries(Object.keys(values).map((key) => [key, amount(0).exactOptional()])), 'settings').exactOptional(),
  ]),
)

const schema = mapping(
  {
    name: text('a name').exactOptional().describe('default: the name of the file'),
    description: z.string().default(''),
    // The names of settings change with the protocol. The schema for editors should not change.
    config: shownAs(mapping(configSections, 'sections of the configuration'), {
      type: 'object',
      additionalProperties: { type: 'object', additionalProperties: { type: 'number', minimum: 0 } },
    })
      .default({})
      .describe('settings of the protocol; names, units and defaults stand in packages/protocol/src/base/config.ts'),
    nodes: choice<Nodes>([total, bySite], (value) => (typeof value === 'object' && value !== null ? bySite : total))
      .exactOptional()
      .describe('how many at the start, or how many in which site; left out with a trace, which says so'),
    introducers: word(['oldest', 'random'], 'introducer').default('oldest').describe('through which running node newcomers enter'),
    network: network.prefault({}),
    arrivals: arrivals.default({ type: 'atOnce' }).describe('how the nodes of the start come; default: at once'),
    sessions: sessions.exactOptional().describe('how long nodes stay, and how they go; default: to the end'),
    elections: z.record(z.string(), share).default({}).describe('share of the nodes that stand as soon as they start, by election'),
    compute: computing.prefault({}).describe('how members compute'),
    jobs: jobs.default([]).describe('what they compute'),
    actions: z.array(action).default([]),
    duration: span.describe('of the whole run'),
    seeds: written(parseSeeds, { anyOf: [seedJson, { type: 'array', items: seedJson, minItems: 1 }] }).default([1]),
    sample: span.default(1_000).describe('how often to measure; default: 1s'),
    expect: z.array(expectation).default([]).describe('what must hold'),
  },
  'a scenario',
)

/** The schema of a file's content. zod transforms the content to a {@link Scenario}. */
export const scenarioSchema: z.ZodType<Omit<Scenario, 'name'> & { readonly name?: string }> = schema.transform(
  ({ nodes, config, actions, ...rest }, context) => {
    if (nodes === undefined) {
      context.addIssue({ code: 'custom', path: ['nodes'], message: 'is missing' })
      return z.NEVER
    }
    return {
      ...rest,
      ...nodes,
      actions: actions.map((each) => resolveAction(each, nodes.nodes)),
      config,
    }
  },
)

/** The JSON schema of scenario files, for editors. */
export function scenarioJsonSchema(): object {
  const { $schema, ...rest } = jsonSchemaOf(schema)
  return { $schema, title: 'Scenario of the jel simulator', ...rest }
}
