import { expect, it } from 'vitest'
import { encodeResult, MAX_INLINE_RESULT_BYTES, StoredValue } from './stored-value.ts'
import { decodeValue } from './values.ts'

it('a value of a job above 64 KiB is a blob, so that replicas keep its name in memory and not its bytes', async () => {
  const stored: Uint8Array[] = []
  const store = async (bytes: Uint8Array): Promise<StoredValue> => {
    stored.push(bytes)
    return await Promise.resolve(new StoredValue('name', bytes.length))
  }
  const small = 'x'.repeat(MAX_INLINE_RESULT_BYTES - 10)
  expect(decodeValue(await encodeResult(small, store))).toBe(small)
  expect(stored).toEqual([])
  const large = 'x'.repeat(MAX_INLINE_RESULT_BYTES)
  const encoded = await encodeResult(large, store)
  expect(encoded.length).toBeLessThan(100)
  expect(decodeValue(encoded)).toBeInstanceOf(StoredValue)
  expect(stored.map(decodeValue)).toEqual([large])
})
