import { describe, expect, it } from 'vitest'
import { problems } from '../../test/problems.ts'
import { loadScenario } from './load.ts'
import { parseScenario } from './parse.ts'

const least = 'nodes: 5\nduration: 10s\n'

describe('a problem in a scenario is reported with file, line and expectation', () => {
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
    [
      'unknown keys beside a wrong value',
      `nodes: 5\nduration: x\nnode: 4\nseed: 3`,
      /^s\.yaml:2:1: duration: expected .*\ns\.yaml:3:1: unknown key "node".*\ns\.yaml:4:1: unknown key "seed", did you mean "seeds"/u,
    ],
    [
      'an unknown key within a choice',
      `${least}network:\n  sites: { a: { with: 1ms } }`,
      /^s\.yaml:4:17: network\.sites\.a: unknown key "with"/u,
    ],
    ['a time that is missing', `${least}actions:\n  - kill: 1`, /^s\.yaml:4:5: actions\.0\.at: is missing$/u],
    ['a list in place of a mapping', `${least}network: [1]`, /^s\.yaml:3:1: network: expected a mapping with delay, sites, /u],
    ['a mapping in place of a list', `${least}actions: { at: 1s }`, /^s\.yaml:3:1: actions: expected a list, not \{"at":"1s"\}$/u],
    ['a number in place of names', `${least}elections: 5`, /^s\.yaml:3:1: elections: expected a mapping from names, not 5$/u],
    ['another word than the only one', `${least}actions: [{ at: 1s, heal: 3 }]`, /actions\.0\.heal: expected all, not 3$/u],
    ['neither true nor false', `${least}sessions: { constant: 3s, keepFirst: 1 }`, /sessions\.keepFirst: expected true or false, not 1$/u],
    [
      'two lengths of sessions',
      `${least}sessions: { constant: 3s, exponential: 1s }`,
      /^s\.yaml:3:1: sessions: expected one of exponential/u,
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
  ])('an outside value: %s', (set, expected) => {
    expect(problems(() => parseScenario(least, { set: [set] }))).toContain(expected)
  })

  it('a file that does not exist', () => {
    expect(problems(() => loadScenario('nowhere.yaml'))).toMatch(/^nowhere\.yaml: can't be read: ENOENT/u)
  })
})
