import { toString } from 'uint8arrays'
import { describe, expect, test } from 'vitest'
import { PoolKeyError, PoolKeysError } from '../base/errors.ts'
import { PoolKeys, poolKeyId } from './pool-keys.ts'
import { generatePoolKey } from './pool-key.ts'

const [former, next] = [generatePoolKey(), generatePoolKey()]
const ids = (keys: PoolKeys): string[] => keys.all.map(({ id }) => id)

describe('the keys of a pool', () => {
  test('are installed, used and removed one after the other, by fingerprint or by value', () => {
    const keys = new PoolKeys([former])
    const [old] = ids(keys) as [string]
    const id = keys.install(next)
    expect(ids(keys)).toEqual([old, id])
    expect(keys.install(next)).toBe(id)
    expect(keys.use(id)).toBe(id)
    expect(ids(keys)).toEqual([id, old])
    keys.remove(toString(former))
    expect(ids(keys)).toEqual([id])
  })

  test('are reported when they come and go, once', () => {
    const reported: string[] = []
    const keys = new PoolKeys([former])
    keys.follow({ onInstalled: ({ id }) => reported.push(`installed ${id}`), onRemoved: ({ id }) => reported.push(`removed ${id}`) })
    const id = keys.install(next)
    keys.install(next)
    keys.remove(next)
    expect(reported).toEqual([`installed ${id}`, `removed ${id}`])
  })

  test('have fingerprints that do not reveal them', () => {
    const [key] = new PoolKeys([former]).all
    expect(key?.id).toMatch(/^[0-9a-f]{16}$/u)
    expect(toString(former)).not.toContain(key?.id)
    expect(poolKeyId(`${toString(former)}\r\n`)).toBe(key?.id)
  })

  test('that are given twice count once', () => expect(new PoolKeys([former, next, former]).all).toHaveLength(2))

  test.each<[string, (keys: PoolKeys) => unknown, RegExp]>([
    ['the primary is removed', (keys) => keys.remove(former), /is the primary key: use another one first/u],
    ['one is used that is not installed', (keys) => keys.use(next), /is not installed; installed are [0-9a-f]{16}$/u],
    ['one is removed that is not installed', (keys) => keys.remove('0'.repeat(16)), /the key 0{16} is not installed/u],
    ['something else is used', (keys) => keys.use('the new one'), /is no id of a key/u],
    ['there are too many', (keys) => Array.from({ length: 8 }, () => keys.install(generatePoolKey())), /at most 8 pool keys/u],
  ])('stay as they are where %s', (_what, change, problem) => {
    const keys = new PoolKeys([former])
    expect(() => change(keys)).toThrow(PoolKeysError)
    expect(() => change(keys)).toThrow(problem)
    expect(ids(keys)[0]).toBe(new PoolKeys([former]).primary?.id)
  })

  test('do not exist in an open pool, which takes none while it runs', () => {
    const keys = new PoolKeys([])
    for (const change of [() => keys.install(next), () => keys.use(next), () => keys.remove(next)]) expect(change).toThrow(/has no key/u)
  })

  test('are checked', () => expect(() => new PoolKeys([former]).install(Uint8Array.of(1))).toThrow(PoolKeyError))
})
