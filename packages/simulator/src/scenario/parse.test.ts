import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadScenario } from './load.ts'
import { parseScenario } from './parse.ts'
import { ScenarioError } from './problem.ts'
import { scenarioJsonSchema } from './scenario.ts'
import { writeScenario } from './write.ts'

const folder = mkdtempSync(join(tmpdir(), 'jel-scenario-'))
afterAll(() => rmSync(folder, { recursive: true }))

function problems(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof ScenarioError) return error.message
    throw error
  }
  return 'no problem'
}

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

  it('has quantities as people write them', () => {
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

  it('has jobs of each shape, and says how members compute', () => {
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

  it('takes values from outside instead of its own', () => {
    expect(parseScenario(least, { set: ['nodes=2000', 'network.loss=5%', 'actions=[{ at: 1s, kill: 1999 }]'] })).toMatchObject({
      nodes: 2_000,
      network: { loss: 0.05 },
      actions: [{ type: 'kill' }],
    })
  })

  it('keeps the proportions of sites when it gets another number of nodes', () => {
    const file =
      'nodes: { a: 30, b: 10, c: 1 }\nduration: 1s\nnetwork: { sites: { a: { to: { b: 1ms, c: 1ms } }, b: { to: { c: 1ms } }, c: {} } }'
    expect(parseScenario(file, { set: ['nodes=100'] })).toMatchObject({ nodes: 100, nodesBySite: { a: 73, b: 25, c: 2 } })
  })

  it.each(readdirSync(scenarios).filter((file) => file.endsWith('.yaml')))('is shipped right: %s', (file) => {
    const scenario = loadScenario(join(scenarios, file))
    expect(scenario.description).not.toBe('')
    expect(parseScenario(writeScenario(scenario))).toEqual(scenario)
  })

  it('is what the documentation shows', () => {
    const [, example = ''] = /^```yaml\n(.+?)^```$/msu.exec(readFileSync(documentation, 'utf8')) ?? []
    expect(parseScenario(example)).toMatchObject({ nodes: 200, actions: [{ type: 'kill' }, { type: 'partition' }] })
  })

  it('has a JSON schema for editors, which is current (vitest -u writes it)', async () => {
    await expect(`${JSON.stringify(scenarioJsonSchema(), undefined, 2)}\n`).toMatchFileSnapshot('../../scenario.schema.json')
  })
})

describe('what is wrong with a scenario is said with file, line and what was expected', () => {
  it.each([
    ['an unknown key', `${least}node: 4`, /^s\.yaml:3:1: unknown key "node", did you mean "nodes"\?; expected name, .*expect$/u],
    ['a key that nobody meant', `${least}zyzzyva: 4`, /^s\.yaml:3:1: unknown key "zyzzyva"; expected /u],
    ['a negative duration', 'nodes: 5\nduration: -5s', /^s\.yaml:2:1: duration: a duration can't be negative: "-5s"$/u],
    ['a negative time', `${least}actions:\n  - at: -1s\n    kill: 1`, /^s\.yaml:4:5: actions\.0\.at: a duration can't be negative/u],
    ['a duration without unit', 'nodes: 5\nduration: 5', /^s\.yaml:2:1: duration: 5 lacks a unit; expected a duration such as 250ms/u],
    [
      'an unknown action',
      `${least}actions:\n  - at: 1s\n    kil: 5`,
      /^s\.yaml:4:5: actions\.0: unknown key "kil", did you mean "kill"\?; expected kill, leave/u,
    ],
    ['no action', `${least}actions: [{ at: 1s }]`, /^s\.yaml:3:11: actions\.0: no action; expected one of kill/u],
    ['two actions in one', `${least}actions: [{ at: 1s, kill: 1, leave: 2 }]`, /two actions in one, kill and leave/u],
    [
      'an action on a node that does not exist',
      `${least}actions:\n  - { at: 1s, kill: 3..5 }`,
      /^s\.yaml:4:15: actions\.0\.kill: there is no node 5: expected 0 to 4$/u,
    ],
    ['a node that joins later', `${least}actions: [{ at: 1s, kill: 7 }, { at: 2s, join: 5 }]`, /there is no node 7: expected 0 to 4$/u],
    ['a rack that does not exist', `${least}actions: [{ at: 1s, kill: { rack: 9 } }]`, /there is no rack 9: expected 0 to 4$/u],
    [
      'a site that does not exist',
      `${least}network: { sites: das3 }\nactions: [{ at: 1s, kill: { site: delft } }]`,
      /no site "delft", did you mean Delft\?; expected VU, /u,
    ],
    ['an election in which nobody stands', `${least}expect: [{ oneWinner: { election: m } }]`, /nobody stands in election "m"/u],
    ['an action after the end', `${least}actions: [{ at: 11s, kill: 1 }]`, /11s is after the end, 10s/u],
    ['two and a half processors', `${least}network: { processor: 2.5 }`, /expected a whole number of processors, a part of one, or both/u],
    ['no nodes', 'duration: 5s', /^s\.yaml:1:1: nodes: is missing$/u],
    [
      'a share of more than all',
      `${least}network:\n  nat: 130%`,
      /^s\.yaml:4:3: network\.nat: expected a share such as 30%, from 0% to 100%, not "130%"$/u,
    ],
    [
      'a network that loses all',
      `${least}network:\n  loss: 100%`,
      /^s\.yaml:4:3: network\.loss: expected a share such as 30%, from 0% to below 100%, not "100%"; to cut nodes off, use silence or partition$/u,
    ],
    [
      'a node that loses all',
      `${least}actions:\n  - { at: 5s, loss: 1, on: 3 }`,
      /^s\.yaml:4:\d+: actions\.0\.loss: expected a share such as 30%, from 0% to below 100%, not 1; to cut nodes off, use silence or partition$/u,
    ],
    ['an unknown setting', `${least}config: { links: { ring: 4 } }`, /unknown key "ring", did you mean "rings"/u],
    ['sites without a way', `${least}network:\n  sites: { a: {}, b: {} }`, /^s\.yaml:4:12: network\.sites\.a: no delay to b/mu],
    ['what is no YAML', 'a: [', /^s\.yaml:1:\d+: Flow sequence/u],
    ['a key that stands twice', 'nodes: 5\nnodes: 6\nduration: 5s', /^s\.yaml:2:1: Map keys must be unique$/u],
    ['an empty file', '', /^s\.yaml:1:1: expected a mapping/u],
    [
      'a job of no shape',
      `${least}jobs:\n  - { at: 1s, tre: { leaves: 3 } }`,
      /^s\.yaml:4:5: jobs\.0: expected a job with at, and one of tree, flat, search, space, driver; not /u,
    ],
    [
      'a task time that is none',
      `${least}jobs:\n  - { at: 1s, tree: { leaves: 3, leaf: { exponentail: 3ms } } }`,
      /^s\.yaml:4:\d+: jobs\.0\.tree\.leaf: expected \{ exponential: 50ms \}/u,
    ],
    [
      'a misspelt part of a job',
      `${least}jobs:\n  - { at: 1s, tree: { leafs: 3, leaf: 3ms } }`,
      /unknown key "leafs", did you mean "leaf"/u,
    ],
    ['a job after the end', `${least}jobs:\n  - { at: 11s, flat: { leaves: 3, leaf: 3ms } }`, /jobs\.0\.at: 11s is after the end, 10s$/u],
    [
      'liars without votes',
      `${least}compute: { liars: 10% }\njobs:\n  - { at: 1s, flat: { leaves: 3, leaf: 3ms } }`,
      /jobs\.0(\.votes)?: without votes/u,
    ],
    ['the root of no job', `${least}actions:\n  - { at: 1s, kill: { root: queens } }`, /there is no job "queens"; expected jobs:$/u],
    ['workers at no site', `${least}compute: { workers: { vu: 3 } }`, /compute\.workers\.vu: there is no site "vu"/u],
    ['expectations of no job', `${least}expect: [sameResult]`, /expect\.0\.sameResult: there are no jobs$/u],
    ['an unknown expectation', `${least}expect: [allKnowAl]`, /"allKnowAl", did you mean "allKnowAll"/u],
    [
      'an expectation that is looked at after the end',
      `${least}expect: [{ allKnowAll: { after: 8s, within: 5s } }]`,
      /until 13s, but the run ends at 10s/u,
    ],
    ['several things', 'nodes: -1\nduration: x', /^s\.yaml:1:1: nodes: .*not -1\ns\.yaml:2:1: duration: expected a duration/u],
  ])('%s', (_, text, expected) => {
    expect(problems(() => parseScenario(text, { file: 's.yaml' }))).toMatch(expected)
  })

  it.each([
    ['nodes=-1', '--set nodes=-1: expected a whole number from 1 on, not -1'],
    ['network.los=1%', '--set network.los=1%: unknown key "los", did you mean "loss"?; expected delay, '],
    ['nodes', '--set nodes: expected KEY=VALUE'],
    ['duration.x=4', '--set duration.x=4: duration.x stands within something that has no keys'],
  ])('as is a value from outside: %s', (set, expected) => {
    expect(problems(() => parseScenario(least, { set: [set] }))).toContain(expected)
  })

  it('a file that does not exist', () => {
    expect(problems(() => loadScenario('nowhere.yaml'))).toMatch(/^nowhere\.yaml: can't be read: ENOENT/u)
  })
})

it.each([
  ['0.5', { count: 1, speed: 0.5 }],
  ['1', { count: 1, speed: 1 }],
  ['4', { count: 4, speed: 1 }],
  ['{ count: 4, speed: 0.5 }', { count: 4, speed: 0.5 }],
])('a processor of %s is what a machine has', (text, processor) => {
  expect(parseScenario(`${least}network: { processor: ${text} }`).network.processor).toEqual(processor)
})

describe('a trace file', () => {
  const good = 'at,event,node\n0,join,a\n0.5,join,b\n3m,crash,a\n60m,end,\n'
  const load = (trace: string, nodes = 'nodes: 2\n'): string => {
    writeFileSync(join(folder, 'churn.csv'), trace)
    writeFileSync(join(folder, 'churn.yaml'), `${nodes}duration: 1h\narrivals: { trace: churn.csv }\n`)
    return problems(() =>
      expect(loadScenario(join(folder, 'churn.yaml')).arrivals).toMatchObject({
        events: [{ at: 0 }, { at: 500, node: 1 }, { at: 180_000, event: 'crash', node: 0 }],
      }),
    )
  }

  it('says who came and went when', () => {
    expect(load(good)).toBe('no problem')
  })

  it('says how many nodes there are', () => {
    expect(load(good, '')).toBe('no problem')
    expect(loadScenario(join(folder, 'churn.yaml')).nodes).toBe(2)
  })

  it('is known to be cut off, wherever that was', () => {
    const end = good.indexOf('end,') + 3
    for (let length = 0; length < end; length++) expect(load(good.slice(0, length))).toMatch(/churn\.csv:\d: .*(expected|cut off)/u)
  })

  it.each([
    ['0,join,a\n60m,end,', /:1: expected the header at,event,node/u],
    ['at,event,node\n5,join,a\n4,join,b\n9,end,', /:3: 4 is before the line above/u],
    ['at,event,node\n5,jion,a\n9,end,', /:2: expected join, leave, crash or end, not "jion"/u],
    ['at,event,node\n5,crash,a\n9,end,', /:2: node "a" never joined/u],
    ['at,event,node\n1,join,a\n2,leave,a\n3,crash,a\n9,end,', /:4: node "a" is gone already/u],
    ['at,event,node\n1,join,a\n2,join,a\n9,end,', /:3: node "a" joined before/u],
    ['at,event,node\n-1,join,a\n9,end,', /:2: a duration can't be negative/u],
    ['at,event,node\n1,join,a\n9,end,', /churn\.yaml:1:1: nodes: expected 1, as many as join in/u],
    ['at,event,node\n1,join,a\n9,end,\n10,join,b', /:4: expected nothing after the line with end/u],
  ])('is refused by line: %j', (trace, expected) => {
    expect(load(trace)).toMatch(expected)
  })

  it('must exist', () => {
    writeFileSync(join(folder, 'lost.yaml'), 'nodes: 2\nduration: 1h\narrivals:\n  trace: none.csv\n')
    expect(problems(() => loadScenario(join(folder, 'lost.yaml')))).toMatch(/lost\.yaml:4:3: arrivals\.trace: can't be read: ENOENT/u)
  })
})
