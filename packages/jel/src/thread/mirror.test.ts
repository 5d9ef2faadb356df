import { expect, it } from 'vitest'
import type { PoolRecord } from '@jel/overlay'
import { FakeOverlay, member } from '../../test/fake-overlay.ts'
import { Mirror, RECORDS_UNREAD } from './mirror.ts'

function mirror(): Mirror {
  const { self } = new FakeOverlay()
  return new Mirror({ self, members: [self, member('A')], reigns: [], records: [], health: new FakeOverlay().health() })
}

const record = (name: string, rest: Partial<PoolRecord> = {}): PoolRecord => {
  return { name, owner: 'A', version: 1, expires: Date.now() + 60_000, value: Uint8Array.of(1), ...rest }
}

it('a mirror holds the records that were reported, without withdrawn or expired ones', () => {
  const held = mirror()
  const report = (record: PoolRecord): void => held.take({ type: 'record', record })
  for (const name of ['job/2', 'job/1', 'other']) report(record(name))
  report(record('job/1', { owner: 'B' }))
  report(record('job/2', { value: undefined }))
  report(record('job/3', { expires: Date.now() - 1 }))
  expect(held.records('job/').map(({ name, owner }) => `${name} ${owner}`)).toEqual(['job/1 A', 'job/1 B'])
})

it('a mirror does not grow with expired records that nobody asks for', () => {
  const held = mirror()
  for (let i = 0; i < 10 * RECORDS_UNREAD; i++) held.take({ type: 'record', record: record(`job/${i}`, { expires: Date.now() - 1 }) })
  expect(held.heldRecords).toBeLessThanOrEqual(RECORDS_UNREAD)
})
