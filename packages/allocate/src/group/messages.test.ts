import { fromJson, toJson } from '@jel/channel'
import { expect, it } from 'vitest'
import { groupMessage, jsonOf, MAX_GROUP_BYTES, MAX_RANKS } from './messages.ts'

it('the lock of the largest group is valid, with the longest input and the longest sites', () => {
  const ranks = Array.from({ length: MAX_RANKS }, (_, at) => `${'x'.repeat(52)}/${at % 64}`)
  const sites = ranks.map(() => '"'.repeat(256))
  const input = jsonOf('the input', '"'.repeat(524_287))
  const bytes = toJson({ group: 'g'.repeat(64), from: 63, to: 63, lock: { attempt: Number.MAX_SAFE_INTEGER, ranks, sites, input } })
  expect(bytes.length).toBeGreaterThan(2 * input.length)
  expect(bytes.length).toBeLessThanOrEqual(MAX_GROUP_BYTES)
  expect(fromJson(groupMessage, bytes)).toMatchObject({ lock: { sites } })
})
