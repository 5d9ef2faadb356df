import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Entry } from '../core/entry.ts'
import { NOTHING_SHARED } from '../core/shared-value.ts'
import { BlobTooLargeError } from '../errors.ts'
import { StoredValue } from '../program/stored-value.ts'
import { encodeValue } from '../program/values.ts'
import { nameOf } from './blob-names.ts'
import { LargeResults } from './large-results.ts'

/** The outcome of a job whose result is the blob of this digit. */
const entryOf = (digit: string): Entry => ({
  path: '',
  outcome: { value: encodeValue(new StoredValue(nameOf({ hash: digit.repeat(64), isList: false }), 2_000_000)) },
  shared: NOTHING_SHARED,
})
const entry = entryOf('a')

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function results(fetch: () => Promise<Uint8Array>, has = false) {
  const [pinned, warnings] = [new Set<string>(), [] as string[]]
  const here = { isReplica: true }
  const large = new LargeResults({
    exchange: { fetch, has: async () => await Promise.resolve(has) },
    holders: { all: () => ['other'], isReplica: () => here.isReplica },
    pin: (_, id, holder) => {
      expect(holder).not.toBe(id)
      pinned.add(holder)
    },
    unpin: (holder) => void pinned.delete(holder),
    warn: (code) => void warnings.push(code),
  })
  return { large, pinned, warnings, here }
}
const settled = async (): Promise<unknown> => await vi.advanceTimersByTimeAsync(0)

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
  const asked = times.length
  large.forget('job')
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(times).toHaveLength(asked)
  expect(pinned.size).toBe(0)
})

it('a result for which this disk never has room is asked for once', async () => {
  const fetch = vi.fn(async () => await Promise.reject<Uint8Array>(new BlobTooLargeError('no room', true)))
  const { large, pinned } = results(fetch)
  large.ended('job', entry)
  await vi.advanceTimersByTimeAsync(3_600_000)
  large.keepAll()
  await settled()
  expect(fetch).toHaveBeenCalledTimes(1)
  expect(pinned.size).toBe(0)
})

it('results are fetched one after the other, and those that are here are not read', async () => {
  let [under, most] = [0, 0]
  const fetch = vi.fn(async () => {
    most = Math.max(most, ++under)
    await new Promise((resolve) => setTimeout(resolve, 100))
    under--
    return new Uint8Array()
  })
  const { large } = results(fetch)
  for (const digit of '123') large.ended(digit, entryOf(digit))
  await vi.advanceTimersByTimeAsync(1000)
  expect({ calls: fetch.mock.calls.length, most }).toEqual({ calls: 3, most: 1 })
  const here = results(fetch, true)
  here.large.ended('job', entry)
  await settled()
  expect({ calls: fetch.mock.calls.length, pinned: here.pinned.size }).toEqual({ calls: 3, pinned: 1 })
})

it('a member that is no replica any more releases the result, and keeps it once it is one again', async () => {
  const { large, pinned, here } = results(async () => await Promise.resolve(new Uint8Array()))
  large.ended('job', entry)
  await settled()
  here.isReplica = false
  large.keepAll()
  expect(pinned.size).toBe(0)
  here.isReplica = true
  large.keepAll()
  expect(pinned.size).toBe(1)
})

it('an evicted result is not fetched again: it would evict the next one', async () => {
  const fetch = vi.fn(async () => await Promise.resolve(new Uint8Array()))
  const { large, pinned, warnings } = results(fetch)
  large.ended('job', entry)
  await settled()
  large.evicted('job')
  expect(warnings).toEqual([])
  large.evicted([...pinned][0] as string)
  expect(warnings).toEqual(['BLOB_TOO_LARGE'])
  large.keepAll()
  await settled()
  expect(fetch).toHaveBeenCalledTimes(1)
})

it('an earlier fetch that fails late changes nothing for a later outcome', async () => {
  let fail: (error: Error) => void = () => {}
  const fetch = vi.fn(async () => await new Promise<never>((_, reject) => (fail = reject)))
  const { large, pinned } = results(fetch)
  large.ended('job', entry)
  await settled()
  large.ended('job', entryOf('b'))
  fail(new Error('gone'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(fetch).toHaveBeenCalledTimes(2)
  expect(pinned.size).toBe(1)
})
