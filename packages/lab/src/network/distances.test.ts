import { parseScenario } from '@jel/simulator'
import { expect, test } from 'vitest'
import { distancesOf } from './distances.ts'

const distances = (network: string) => distancesOf(parseScenario(`nodes: 4\nduration: 1m\nnetwork: ${network}`))

test('hosts are on one wire by default', () => {
  expect(distances('{}')).toBeUndefined()
  expect(distances('{ delay: 1ms }')).toBeUndefined()
})

test('one delay applies between all hosts', () => {
  expect(distances('{ delay: 10ms..20ms }')).toMatchObject({ sites: [{ dialable: true }], spans: [[{ min: 10, max: 20 }]] })
})

test('sites have delays both ways, links of their own and firewalls', () => {
  const found = distances(
    '{ jitter: 50%, sites: { A: { to: { B: 40ms } }, B: { within: 1ms, bandwidth: { up: 1Mbit, down: 10Mbit }, dialable: from the site } } }',
  )
  expect(found?.sites).toEqual([
    { name: 'A', gateway: { up: undefined, down: undefined }, dialable: true },
    { name: 'B', gateway: { up: 1e6, down: 10e6 }, dialable: 'site' },
  ])
  const way = { min: 40, max: 60 }
  expect(found?.spans).toEqual([
    [{ min: 0.1, max: 0.15 + 1e-15 }, way].map(({ min, max }) => ({ min, max: expect.closeTo(max) as number })),
    [way, { min: 1, max: 1.5 }],
  ])
})

test('a topology of the simulator keeps its sites', () => {
  expect(distances('{ sites: world }')?.sites).toHaveLength(8)
})
