import { describe, expect, it } from 'vitest'
import { MemoryBlobStore } from './memory-blob-store.ts'

const MiB = 1024 * 1024
/** Room for this many blobs of 1 MiB. Each blob counts 16 KiB besides its bytes. */
const room = (blobs: number): number => blobs * MiB * 1.02
const blob = (name: number, size = MiB): Uint8Array => new Uint8Array(size).fill(name)

describe('blobs in memory', () => {
  it('are those that came, whatever happens to the bytes of the caller', async () => {
    const store = new MemoryBlobStore(4 * MiB)
    const bytes = blob(1)
    const hash = await store.put(bytes)
    bytes.fill(9)
    expect(await store.get(hash)).toEqual(blob(1))
    expect(await store.size(hash)).toBe(MiB)
    expect(await store.fileOf(hash)).toHaveLength(MiB)
    await expect(store.fileOf('0'.repeat(64))).rejects.toThrow('is not on this page any more')
  })

  it('make way, those first that others sent and no job has named, then the oldest', async () => {
    const store = new MemoryBlobStore(room(3))
    const old = await store.put(blob(1))
    const used = await store.put(blob(2))
    const unnamed = await store.put(blob(3), { isUnreferenced: true })
    await store.get(old)
    const first = await store.put(blob(4))
    expect(await Promise.all([old, used, unnamed, first].map(async (hash) => await store.size(hash)))).toEqual([MiB, MiB, undefined, MiB])
    await store.put(blob(5))
    expect(await store.size(used)).toBe(undefined)
    expect(await store.size(old)).toBe(MiB)
  })

  it('stay as long as a job pins them, until an own job needs the room', async () => {
    const store = new MemoryBlobStore(room(2))
    const evicted: string[] = []
    store.onEvicted = (by) => void evicted.push(by)
    const pinned = await store.put(blob(1), { for: 'a' })
    await store.put(blob(2), { for: 'b' })
    await expect(store.put(blob(3), { isUnreferenced: true })).rejects.toThrow('there is no room')
    expect(evicted).toEqual([])
    store.unpin('b')
    const third = await store.put(blob(3), { isUnreferenced: true })
    expect(await store.size(pinned)).toBe(MiB)
    expect(await store.size(third)).toBe(MiB)
  })

  it('take the memory of the page up to the limit, however small they are', async () => {
    const store = new MemoryBlobStore(MiB)
    await expect(store.put(blob(1, MiB + 1))).rejects.toThrow('too many: this member keeps at most')
    for (let at = 0; at < 300; at++) await store.put(new TextEncoder().encode(String(at)))
    const kept = await store.bytes()
    expect(kept).toBeGreaterThan(64)
    expect(kept).toBeLessThan(3 * 66)
  })
})
