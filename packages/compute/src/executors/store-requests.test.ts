import { expect, it } from 'vitest'
import { MAX_RESULT_BYTES } from '../program/stored-value.ts'
import { STORE_PIECE, type ToProgram } from '../program/messages.ts'
import { StoreRequests } from './store-requests.ts'

const full = new Uint8Array(STORE_PIECE)

/** Hands over pieces, the last one of one byte. Returns the bytes that were kept, or the answer. */
async function keptOf(pieces: readonly Uint8Array[], { isTrusted = true, runs = 0 } = {}): Promise<number | string> {
  const answer = Promise.withResolvers<ToProgram>()
  let kept = 0
  const keep = async (bytes: Uint8Array): Promise<{ blob: string }> => {
    kept = bytes.length
    return await Promise.resolve({ blob: 'b' })
  }
  const requests = new StoreRequests(keep, answer.resolve, isTrusted)
  for (let run = 0; run < runs; run++) requests.allow()
  for (const bytes of pieces) requests.take({ store: 1, bytes, isLast: false })
  requests.take({ store: 1, bytes: new Uint8Array(1), isLast: true })
  const { type } = await answer.promise
  return type === 'stored' ? kept : type
}

it('pieces become one blob', async () => {
  expect(await keptOf([])).toBe(1)
  expect(await keptOf([full, full])).toBe(2 * STORE_PIECE + 1)
})

it.each([
  ['many short pieces', Array.from({ length: 100 }, () => new Uint8Array(1))],
  ['empty pieces', [new Uint8Array()]],
  ['more than the files of a command', Array.from({ length: 33 }, () => full)],
])('%s are refused', async (_, pieces) => {
  expect(await keptOf(pieces)).toBe('notStored')
})

it('a program in a sandbox hands over one value of 16 MiB for each run of the root', async () => {
  const largest = Array.from({ length: MAX_RESULT_BYTES / STORE_PIECE }, () => full)
  expect(await keptOf([full], { isTrusted: false })).toBe('notStored')
  expect(await keptOf([full], { isTrusted: false, runs: 1 })).toBe(STORE_PIECE + 1)
  expect(await keptOf(largest, { isTrusted: false, runs: 1 })).toBe('notStored')
})
