import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Entry } from '../core/entry.ts'
import { NOTHING_SHARED } from '../core/shared-value.ts'
import { StoredValue } from '../program/stored-value.ts'
import { encodeValue } from '../program/values.ts'
import { nameOf } from './blob-names.ts'
import { LargeResults } from './large-results.ts'

const hash = 'a'.repeat(64)
const entry: Entry = {
  path: '',
  outcome: { value: encodeValue(new StoredValue(nameOf({ hash, isList: false }), 2_000_000)) },
  shared: NOTHING_SHARED,
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function results(fetch: () => Promise<Uint8Array>) {
  const [pinned, warnings] = [new Set<string>(), [] as string[]]
  const large = new LargeResults({
    exchange: { fetch },
    holders: { all: () => ['other'], isReplica: () => true },
    pin: (_, id, holder) => {
      expect(holder).not.toBe(id)
      pinned.add(holder)
    },
    unpin: (holder) => void pinned.delete(holder),
    warn: (code) => void warnings.push(code),
  })
  return { large, pinned, warnings }
}

it('a result that could not be fetched is asked for again, ever more rarely', async () => {
  const times: number[] = []
  const { large, pinned, warnings } = results(async () => {
    times.push(Date.now())
    return await Promise.reject(new Error('gone'))
  })
  large.ended('job', entry)
  await vi.advanceTimersByTimeAsync(24 * 3_600_000)
  expect(times.length).toBeGreaterThan(100)
  expect(times.length).toBeLessThan(160)
  expect(Number(times[1]) - Number(times[0])).toBe(10_000)
  expect(warnings).toHaveLength(times.length)
  expect(pinned.size).toBe(1)
  const asked = times.length
  large.forget('job')
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(times).toHaveLength(asked)
  expect(pinned.size).toBe(0)
})

it('an evicted result is fetched again when members come or go', async () => {
  let fetched = 0
  const { large, pinned, warnings } = results(async () => await Promise.resolve(new Uint8Array(++fetched)))
  large.ended('job', entry)
  large.keepAll()
  expect(fetched).toBe(1)
  large.evicted('job')
  large.keepAll()
  expect(fetched).toBe(1)
  large.evicted([...pinned][0] as string)
  expect(warnings).toEqual(['BLOB_TOO_LARGE'])
  large.keepAll()
  expect(fetched).toBe(2)
})

it('an earlier fetch that fails late changes nothing for a later outcome', async () => {
  let fail: (error: Error) => void = () => {}
  const fetch = vi.fn(
    async () =>
      await new Promise<never>((_, reject) => {
        fail = reject
      }),
  )
  const { large, pinned } = results(fetch)
  large.ended('job', entry)
  const late = fail
  const other = encodeValue(new StoredValue(nameOf({ hash: 'b'.repeat(64), isList: false }), 2_000_000))
  large.ended('job', { ...entry, outcome: { value: other } })
  late(new Error('gone'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(fetch).toHaveBeenCalledTimes(2)
  expect(pinned.size).toBe(1)
})
