import { expect, it } from 'vitest'
import { Reports } from './reports.ts'

it('reports wait for their callers, and the oldest ones are dropped above 16 MiB or 4,096', () => {
  const reports = new Reports()
  const report = (caller: string, key: string, length: number) => ({ caller, key, bytes: new Uint8Array(length) })
  for (let at = 0; at < 16; at++) expect(reports.add(report(`c${at % 2}`, `k${at}`, 1_048_576))).toEqual([])
  expect(reports.add(report('c2', 'last', 10)).map(({ key }) => key)).toEqual(['k0'])
  expect(reports.take('c1').map(({ key }) => key)).toEqual(['k1', 'k3', 'k5', 'k7', 'k9', 'k11', 'k13', 'k15'])
  expect(reports.take('c1')).toEqual([])
  const dropped = Array.from({ length: 5000 }, (_, at) => reports.add(report('c3', `n${at}`, 1))).flat()
  expect(dropped.length).toBe(5000 + 8 - 4096)
})
