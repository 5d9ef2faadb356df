import { hashOf } from '#platform/crypto'
import { BlobTooLargeError } from '../../errors.ts'
import type { BlobStore } from '../../shell/blob-store.ts'
import { Pins, type PinOptions } from '../../shell/pins.ts'

/** Bytes that a blob takes besides its own. A guess: millions of empty blobs must not be free. */
const OVERHEAD = 16 * 1024

/**
 * Stores blobs in memory. Like `BlobStore`, it evicts unpinned blobs first: those that others sent
 * and that no job has named, then the least recently used. Then pinned blobs make way, see
 * {@link Pins.victims}.
 */
export class MemoryBlobStore implements Pick<BlobStore, keyof BlobStore> {
  readonly limit: number
  onEvicted: ((by: string) => void) | undefined
  /** The least recently used first. */
  readonly #blobs = new Map<string, Uint8Array>()
  readonly #unreferenced = new Set<string>()
  readonly #pins = new Pins()

  /** @param limit maximum bytes */
  constructor(limit: number) {
    this.limit = limit
  }

  async put(
    bytes: Uint8Array,
    { for: by, isUnreferenced = false, isCopy = false }: { for?: string; isUnreferenced?: boolean; isCopy?: boolean } = {},
  ): Promise<string> {
    if (bytes.length > this.limit)
      throw new BlobTooLargeError(`${bytes.length} bytes are too many: this member keeps at most ${this.limit} bytes in memory`, true)
    // The caller may change its bytes, or they may be a part of a larger buffer.
    const own = Uint8Array.from(bytes)
    const hash = await hashOf(own)
    const isNew = !this.#blobs.has(hash)
    if (isNew) this.#blobs.set(hash, own)
    if (isUnreferenced && isNew && !this.#pins.has(hash)) this.#unreferenced.add(hash)
    if (by !== undefined) this.pin(hash, by)
    if (this.#makeRoom(hash, !isUnreferenced && !isCopy)) return hash
    if (by !== undefined) this.#pins.release(hash, by)
    if (isNew) this.#drop(hash)
    throw new BlobTooLargeError(`there is no room for ${bytes.length} bytes: blobs of other jobs take the memory of this page`)
  }

  async size(hash: string): Promise<number | undefined> {
    return await Promise.resolve(this.#blobs.get(hash)?.length)
  }

  async bytes(): Promise<number> {
    return await Promise.resolve([...this.#blobs.values()].reduce((sum, { length }) => sum + length, 0))
  }

  async get(hash: string): Promise<Uint8Array | undefined> {
    const bytes = await Promise.resolve(this.#blobs.get(hash))
    if (bytes !== undefined && this.#blobs.delete(hash)) this.#blobs.set(hash, bytes)
    return bytes
  }

  /** Returns the text of a program. @throws Error if the program is not here */
  async fileOf(hash: string): Promise<string> {
    const bytes = await this.get(hash)
    if (bytes === undefined) throw new Error(`the program ${hash} is not on this page any more`)
    return new TextDecoder().decode(bytes)
  }

  pin(hash: string, by: string, options: PinOptions = {}): void {
    this.#unreferenced.delete(hash)
    this.#pins.add(hash, by, options)
  }

  release(hash: string, by: string): void {
    this.#pins.release(hash, by)
  }

  unpin(by: string): void {
    this.#pins.releaseAll(by)
  }

  close(): void {
    this.#pins.close()
    this.#blobs.clear()
    this.#unreferenced.clear()
  }

  #drop(hash: string): void {
    this.#blobs.delete(hash)
    this.#unreferenced.delete(hash)
  }

  /** Returns false if the rest is still too large, or if the newest blob is gone. */
  #makeRoom(newest: string, isNeeded: boolean): boolean {
    const sizes = new Map([...this.#blobs].map(([hash, { length }]) => [hash, length + OVERHEAD]))
    let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    const drop = (hash: string): void => {
      bytes -= sizes.get(hash) ?? 0
      sizes.delete(hash)
      this.#drop(hash)
    }
    const room = this.limit + OVERHEAD
    const free = [...this.#blobs.keys()].filter((hash) => hash !== newest && !this.#pins.has(hash))
    for (const hash of [...free.filter((each) => this.#unreferenced.has(each)), ...free.filter((each) => !this.#unreferenced.has(each))])
      if (bytes > room) drop(hash)
    for (;;) {
      const by = bytes > room ? this.#pins.victim(newest, isNeeded, sizes, this.limit) : undefined
      if (by === undefined) break
      const held = this.#pins.releaseAll(by)
      this.onEvicted?.(by)
      for (const hash of held) if (sizes.has(hash) && !this.#pins.has(hash)) drop(hash)
    }
    return bytes <= room && sizes.has(newest)
  }
}
