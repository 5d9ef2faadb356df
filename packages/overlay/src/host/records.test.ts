import { Key } from 'interface-datastore'
import { expect, it } from 'vitest'
import { Records } from './records.ts'

it('a record is kept without the block that it was cut from', async () => {
  const block = new Uint8Array(65_536).fill(7)
  const records = new Records()
  const key = new Key('/peers/somebody')
  await records.put(key, block.subarray(100, 200))
  const kept = await records.get(key)
  expect(kept).toEqual(block.subarray(100, 200))
  expect(kept.buffer.byteLength).toBe(100)
})
