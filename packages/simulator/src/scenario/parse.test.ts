import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadScenario } from './load.ts'
import { parseScenario } from './parse.ts'
import { scenarioJsonSchema } from './scenario.ts'
import { writeScenario } from './write.ts'

const scenarios = join(import.meta.dirname, '../../scenarios')
const documentation = join(import.meta.dirname, '../../../../docs/simulator.md')
const least = 'nodes: 5\nduration: 10s\n'

describe('a scenario', () => {
  it('needs nodes and a duration, and has defaults for the rest', () => {
    expect(parseScenario(least, { file: 'some/where/calm.yaml' })).toMatchObject({
      name: 'calm',
      nodes: 5,
      duration: 10_000,
      seeds: [1],
      network: { delay: { min: 0.1, max: 0.5 }, loss: 0, nat: 0, nodesPerMachine: 1 },
      arrivals: { type: 'atOnce' },
      actions: [],
    })
  })

  it('accepts quantities as people write them', () => {
    const {
      network,
      arrivals,
      sessions,
      actions,
      seeds,
      expect: expected,
    } = parseScenario(`
      nodes: { vu: 3, tokyo: 2 }
      duration: 1h30m
      seeds: [3, 7..9]
      arrivals: { poisson: 30/m }
      sessions: { pareto: { min: 30s, shape: 1.5 }, ends: { crash: 25% }, replaced: 5s }
      elections: { master: 0.5 }
      network:
        sites: { vu: { within: 2ms, to: { tokyo: 125 ms } }, tokyo: { bandwidth: 1Mbit } }
        bandwidth: { up: 100 Mbit/s, down: 10MB/s }
        loss: 1.5%
      actions:
        - { at: 250ms, kill: 30% }
        - { at: 1m, every: 30s, until: 3m, stop: [1, 3..4], for: 5s }
        - { at: 2m, partition: [{ site: vu }, { site: tokyo }], for: 10m }
        - { at: 3m, cut: { from: 0, to: { winner: master } } }
        - { at: 3m, cut: { from: { site: vu }, to: 4, ways: both, how: reject }, for: 1m }
        - { at: 3m, address: 2, change: replace }
        - { at: 3m, sleep: 2, for: 25h }
        - { at: 3m, hostile: replay, count: 2, from: 4m, against: 1 }
        - { at: 4m, join: 800, site: tokyo }
      expect:
        - bytesPerNode: { atMost: 1.5MB }
        - bytesPerSecond: { atMost: 3KB, of: worst, nodes: 0..2, from: 1m, until: 2m }
        - allKnowAll: { after: 1m, within: 1s, until: 2m }
        - noLifeEnds`)
    expect(seeds).toEqual([3, 7, 8, 9])
    expect(network).toMatchObject({
      sites: { vu: { within: 2, to: { tokyo: 125 } }, tokyo: { bandwidth: { up: 1e6, down: 1e6 } } },
      bandwidth: { up: 1e8, down: 8e7 },
      loss: 0.015,
    })
    expect(arrivals).toEqual({ type: 'poisson', rate: 0.5 })
    expect(sessions).toMatchObject({ length: { type: 'pareto', min: 30_000, shape: 1.5 }, crash: 0.25, replaced: 5_000 })
    expect(actions).toEqual([
      { type: 'kill', at: 250, targets: { share: 0.3 } },
      {
        type: 'stop',
        at: 60_000,
        every: 30_000,
        until: 180_000,
        for: 5_000,
        targets: {
          nodes: [
            { first: 1, last: 1 },
            { first: 3, last: 4 },
          ],
        },
      },
      { type: 'partition', at: 120_000, for: 600_000, sides: [{ site: ['vu'] }, { site: ['tokyo'] }] },
      { type: 'cut', at: 180_000, from: { nodes: [{ first: 0, last: 0 }] }, to: { winner: 'master' }, ways: 'one', how: 'drop' },
      {
        type: 'cut',
        at: 180_000,
        from: { site: ['vu'] },
        to: { nodes: [{ first: 4, last: 4 }] },
        ways: 'both',
        how: 'reject',
        for: 60_000,
      },
      { type: 'address', at: 180_000, targets: { nodes: [{ first: 2, last: 2 }] }, change: 'replace' },
      { type: 'sleep', at: 180_000, targets: { nodes: [{ first: 2, last: 2 }] }, for: 90_000_000 },
      {
        type: 'hostile',
        at: 180_000,
        attack: 'replay',
        count: 2,
        from: 240_000,
        to: Infinity,
        against: { nodes: [{ first: 1, last: 1 }] },
      },
      { type: 'join', at: 240_000, count: 800, site: 'tokyo', over: 0 },
    ])
    expect(expected).toEqual([
      { type: 'bytesPerNode', atMost: 1_500_000, of: 'mean' },
      { type: 'bytesPerSecond', atMost: 3_000, of: 'worst', nodes: { nodes: [{ first: 0, last: 2 }] }, from: 60_000, until: 120_000 },
      { type: 'allKnowAll', after: 60_000, within: 1_000, until: 120_000 },
      { type: 'noLifeEnds' },
    ])
  })

  it('accepts jobs of each shape, and settings for computing', () => {
    const {
      compute,
      jobs,
      expect: expected,
    } = parseScenario(`${least}
network: { sites: { vu: { to: { tokyo: 125ms } }, tokyo: {} } }
compute: { workers: { vu: 4 }, speed: 2, stragglers: { share: 5% }, liars: 10% }
jobs:
  - { at: 1s, by: 1, votes: 2, tree: { leaves: 20000, branching: 4, leaf: { exponential: 50ms } } }
  - { at: 2s, votes: 2, flat: { leaves: 100, leaf: { pareto: { min: 20ms, shape: 2 } } } }
  - { at: 3s, votes: 2, name: keys, space: { indices: 100000, index: 0.1ms..0.3ms, piece: 2s } }
  - { at: 4s, votes: 3, driver: { tasks: 64, rounds: 10, task: { constant: 1s } } }
expect:
  - efficiency: { atLeast: 84%, site: tokyo }
  - doneTwice: { atMost: 0.5% }
  - jobDone: { within: 5s, job: keys }
  - sameResult`)
    expect(compute).toEqual({ workers: { vu: 4 }, speed: 2, stragglers: { share: 0.05, slower: 10 }, liars: 0.1 })
    expect(jobs).toMatchObject([
      {
        name: 'job 1',
        at: 1000,
        by: { nodes: [{ first: 1, last: 1 }] },
        votes: 2,
        shape: { type: 'tree', leaves: 20_000, branching: 4, leaf: { type: 'exponential', mean: 50 } },
      },
      { name: 'job 2', by: {}, shape: { type: 'flat', leaf: { type: 'pareto', min: 20, shape: 2 } } },
      { name: 'keys', shape: { type: 'space', index: { type: 'range', min: 0.1, max: 0.3 }, piece: 2000 } },
      { name: 'job 4', votes: 3, shape: { type: 'driver', tasks: 64, rounds: 10, task: { type: 'constant', length: 1000 } } },
    ])
    expect(expected).toEqual([
      { type: 'efficiency', atLeast: 0.84, site: ['tokyo'] },
      { type: 'doneTwice', atMost: 0.005 },
      { type: 'jobDone', within: 5000, job: 'keys' },
      { type: 'sameResult' },
    ])
    const scenario = parseScenario(`${least}jobs:\n  - { at: 4s, search: { node: 5ms..9ms } }`, { file: 's.yaml' })
    expect(parseScenario(writeScenario(scenario), { file: 's.yaml' })).toEqual(scenario)
  })

  it('accepts outside values in place of its own', () => {
    expect(parseScenario(least, { set: ['nodes=2000', 'network.loss=5%', 'actions=[{ at: 1s, kill: 1999 }]'] })).toMatchObject({
      nodes: 2_000,
      network: { loss: 0.05 },
      actions: [{ type: 'kill' }],
    })
  })

  it('keeps the proportions of sites with another number of nodes', () => {
    const file =
      'nodes: { a: 30, b: 10, c: 1 }\nduration: 1s\nnetwork: { sites: { a: { to: { b: 1ms, c: 1ms } }, b: { to: { c: 1ms } }, c: {} } }'
    expect(parseScenario(file, { set: ['nodes=100'] })).toMatchObject({ nodes: 100, nodesBySite: { a: 73, b: 25, c: 2 } })
  })

  it.each(readdirSync(scenarios).filter((file) => file.endsWith('.yaml')))('is valid as shipped: %s', (file) => {
    const scenario = loadScenario(join(scenarios, file))
    expect(scenario.description).not.toBe('')
    expect(parseScenario(writeScenario(scenario))).toEqual(scenario)
  })

  it('is valid as shown in the documentation', () => {
    const [, example = ''] = /^```yaml\n(.+?)^```$/msu.exec(readFileSync(documentation, 'utf8')) ?? []
    expect(parseScenario(example)).toMatchObject({ nodes: 200, actions: [{ type: 'kill' }, { type: 'partition' }] })
  })

  it('has a JSON schema that gives each value a form', () => {
    const formless = (schema: object, path: string): string[] =>
      Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
        if (typeof value !== 'object' || value === null) return []
        const isForm = ['type', 'anyOf', 'enum', 'const', '$ref'].some((each) => each in value)
        return [...(path.endsWith('properties') && !isForm ? [`${path}.${key}`] : []), ...formless(value, `${path}.${key}`)]
      })
    expect(formless(scenarioJsonSchema(), '')).toEqual([])
  })

  it('has a JSON schema for editors, which is current (vitest -u writes it)', async () => {
    await expect(`${JSON.stringify(scenarioJsonSchema(), undefined, 2)}\n`).toMatchFileSnapshot('../../scenario.schema.json')
  })
})

it.each([
  ['0.5', { count: 1, speed: 0.5 }],
  ['1', { count: 1, speed: 1 }],
  ['4', { count: 4, speed: 1 }],
  ['{ count: 4, speed: 0.5 }', { count: 4, speed: 0.5 }],
])('a processor of %s is read as such', (text, processor) => {
  expect(parseScenario(`${least}network: { processor: ${text} }`).network.processor).toEqual(processor)
})
