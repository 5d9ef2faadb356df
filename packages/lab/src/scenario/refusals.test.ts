import { join } from 'node:path'
import { loadScenario, parseScenario } from '@jel/simulator'
import { expect, it } from 'vitest'
import { joinsOf } from './joins.ts'
import { refusals } from './refusals.ts'

const base = 'nodes: 8\nduration: 1m\nnetwork: { nodesPerMachine: 4 }\n'

it('lists the times of the nodes that join by actions', () => {
  const joins = joinsOf(parseScenario(`${base}actions: [{ at: 10s, join: 2, over: 4s, every: 20s, until: 40s }]`))
  expect(joins.map(({ at }) => at)).toEqual([10_000, 12_000, 30_000, 32_000])
})

it('accepts actions on whole hosts', () => {
  expect(refusals(parseScenario(`${base}actions: [{ at: 1s, silence: { machine: 1 } }, { at: 2s, partition: 0..3 }]`))).toEqual([])
})

it('refuses any setting of the protocol', () => {
  const scenario = { ...parseScenario(base), config: { some: { setting: 1 } } as object }
  expect(refusals(scenario).join('\n')).toContain('defaults of the protocol')
})

it.each([
  ['silence of some nodes of a host', 'actions: [{ at: 1s, silence: 0..2 }]', 'the nodes of one host share its link'],
  ['a search', 'jobs: [{ at: 1s, search: { node: 10ms..20ms } }]', 'has flat, tree and driver'],
  ['liars', 'compute: { liars: 10% }', 'honest nodes'],
  ['sleep', 'actions: [{ at: 1s, sleep: all, for: 1m }]', 'stop and silence together'],
  [
    'bytes of some nodes of a host',
    'expect: [bytesPerSecond: { from: 1s, until: 2s, nodes: 0..2, atMost: 1KB }]',
    'counters are those of hosts',
  ],
  ['distance within a host', 'network: { delay: 40ms, nodesPerMachine: 2 }', 'nothing keeps the nodes of one host apart'],
  ['a NAT for some nodes of a host', 'network: { nat: 10%, nodesPerMachine: 2 }', 'share its firewall'],
])('refuses %s, with the reason', (_, line, reason) => {
  const own = line.startsWith('network') ? 'nodes: 8\nduration: 1m\n' : base
  expect(refusals(parseScenario(`${own}${line}`)).join('\n')).toContain(reason)
})

it.each([
  'three-hosts',
  'three-hosts-one-way',
  'three-hosts-reject',
  'three-hosts-long',
  'three-hosts-one-way-long',
  'three-hosts-reject-long',
  'job-kills',
  'job-load',
  'job-partition',
])('%s can be run', (name) => {
  const scenario = loadScenario(join(import.meta.dirname, '../../scenarios', `${name}.yaml`))
  expect(refusals(scenario).filter((reason) => !reason.startsWith('nodes:'))).toEqual([])
})
