import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { BlobTooLargeError } from '../errors.ts'
import { defaultTaskLimits } from '../program/task-limits.ts'
import { hashOf } from '#platform/crypto'
import { areAbandoned, LinkFolder } from './pin-links.ts'
import { Pins, type PinOptions } from './pins.ts'

/**
 * The store removes a file that is still unfinished after this time, ms, because its writer has
 * ended. A guess: a write of 64 MiB to a slow disk takes less.
 */
const UNFINISHED = 600_000
/**
 * Maximum number of files in the store. Each file counts for at least the limit divided by this
 * number. The store checks all files for each new file, so many tiny files would cost time. A
 * guess.
 */
const MAX_FILES = 4096
/** Error codes of a disk without room. */
const FULL = new Set(['ENOSPC', 'EDQUOT'])

interface StoredFile {
  readonly file: string
  readonly hash: string
  /** Bytes as the store counts them. */
  readonly size: number
  /** Bytes that the file takes on the disk. */
  readonly onDisk: number
  /** ms since 1970; 0 for a file that others sent and to which no known job refers. */
  readonly usedAt: number
  /** Whether other processes pin the file. */
  readonly isShared: boolean
  /** Whether the store may evict the file: no job needs it. */
  readonly isFree: boolean
}

type Measure = 'size' | 'onDisk'

interface PutOptions {
  readonly for?: string
  readonly isUnreferenced?: boolean
  readonly isCopy?: boolean
  readonly charge?: (ms: number) => void
}

/** The default folder of blobs. */
function defaultCacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'jel', 'blobs')
}

/**
 * Stores bytes on disk, in files named by their hash. All processes of this user share the files.
 * Every read checks the hash, and discards a changed file.
 *
 * A holder, such as an unfinished job, pins the files that it needs. A pin is a hard link to the
 * file in a folder of this process. So other processes that share the cache keep the file, too.
 *
 * If there is no room, the store evicts unpinned files. First it evicts files that others sent and
 * to which no known job refers, then the least recently used files. If that does not suffice,
 * pinned files make way for a pinned file, or for a new file that only this member has; see
 * {@link Pins.victims}. An unpinned file that other members have, too, evicts no pinned file.
 */
export class BlobStore {
  readonly #folder: string
  readonly #limit: number
  readonly #isShared: boolean
  readonly #pins: Pins
  /**
   * Called when the store has released the pins of this holder to make room. It then removes the
   * files that nobody else pins.
   */
  onEvicted: ((by: string) => void) | undefined
  /** Files that others sent, and to which no job that is known here refers. */
  readonly #unreferenced = new Set<string>()

  /**
   * @param limit MiB on disk
   * @param isShared whether other processes use the folder, too
   */
  constructor(folder = defaultCacheFolder(), limit = defaultTaskLimits.disk, isShared = true) {
    this.#folder = folder
    this.#limit = limit * 1024 * 1024
    this.#isShared = isShared
    this.#pins = new Pins(new LinkFolder(folder, (hash) => this.#file(hash)))
    this.#makeFolder()
    this.#clear()
  }

  /** Maximum bytes on disk. */
  get limit(): number {
    return this.#limit
  }

  /**
   * Stores bytes. `for` pins them for a holder, see {@link pin}. `isUnreferenced` marks bytes that
   * others sent, and to which no known job refers. `isCopy` marks bytes that other members have,
   * too. `charge` gets the time that the search for room took in this thread, ms. With many files
   * the search takes about 50 ms.
   *
   * @throws BlobTooLargeError if the bytes exceed the limit, or don't fit beside the pinned files
   * that must stay
   */
  async put(bytes: Uint8Array, { for: by, isUnreferenced = false, isCopy = false, charge }: PutOptions = {}): Promise<string> {
    if (bytes.length > this.#limit)
      throw new BlobTooLargeError(`${bytes.length} bytes are too many: this member keeps at most ${this.#limit} bytes on disk`, true)
    const hash = await hashOf(bytes)
    const file = this.#file(hash)
    const isNew = (await this.get(hash)) === undefined
    if (isNew) await this.#write(file, bytes)
    if (isUnreferenced && isNew && !this.#pins.has(hash)) this.#unreferenced.add(hash)
    if (by !== undefined) this.pin(hash, by)
    // A holder may have pinned the file before its bytes came.
    if (this.#pins.has(hash)) this.#pins.link(hash)
    const began = performance.now()
    const hasRoom = this.#makeRoom(hash, !isUnreferenced && !isCopy)
    charge?.(performance.now() - began)
    if (!hasRoom) {
      if (by !== undefined) this.#pins.release(hash, by)
      // Removes new bytes, even if a holder pinned them before they came. Old bytes stay, because
      // another process may need them.
      if (isNew) this.#drop(hash)
      throw new BlobTooLargeError(
        `there is no room for ${bytes.length} bytes: this member keeps at most ${this.#limit} bytes on disk, and files of other jobs take them`,
      )
    }
    return hash
  }

  /** The size in bytes; undefined if the file is not here. */
  async size(hash: string): Promise<number | undefined> {
    return (await stat(this.#file(hash)).catch(() => undefined))?.size
  }

  /** The bytes of all files of the store on disk. */
  async bytes(): Promise<number> {
    const names = await readdir(this.#folder).catch(() => [])
    // The folders of pins hold links to the same files.
    const files = names.filter((name) => /\.(?:mjs|tmp)$/u.test(name))
    const sizes = await Promise.all(files.map(async (name) => (await stat(join(this.#folder, name)).catch(() => undefined))?.size ?? 0))
    return sizes.reduce((sum, size) => sum + size, 0)
  }

  async get(hash: string): Promise<Uint8Array | undefined> {
    const file = this.#file(hash)
    try {
      const read = await readFile(file)
      // Avoids `Buffer`, because the slices of a `Buffer` are views of its memory.
      const bytes = new Uint8Array(read.buffer, read.byteOffset, read.length)
      if ((await hashOf(bytes)) === hash) {
        // A read-only disk keeps no times of use, and needs none.
        await utimes(file, new Date(), new Date()).catch(() => {})
        // Another process may have put the file into the folder after its pin.
        if (this.#pins.has(hash)) this.#pins.link(hash)
        return bytes
      }
      await rm(file, { force: true })
    } catch {
      // The file is not here.
    }
    return undefined
  }

  /** Returns the path of a stored file, such as a program. @throws Error if the file is not here */
  async fileOf(hash: string): Promise<string> {
    const bytes = await this.get(hash)
    if (bytes === undefined) throw new Error(`the file ${hash} is not on this machine any more`)
    return this.#file(hash)
  }

  /**
   * Keeps a file until {@link release} or {@link unpin}, or until the files of its holder make way.
   * The file may also come after the pin.
   *
   * @param by the name of the holder of the pin
   */
  pin(hash: string, by: string, options: PinOptions = {}): void {
    this.#unreferenced.delete(hash)
    this.#pins.add(hash, by, options)
  }

  /** Releases one pin. */
  release(hash: string, by: string): void {
    this.#pins.release(hash, by)
  }

  /** Releases all pins of this holder. */
  unpin(by: string): void {
    this.#pins.releaseAll(by)
  }

  /** Releases all pins. The end of this process does the same. */
  close(): void {
    this.#pins.close()
  }

  /** Removes the file. Its pins stay, and keep the file again if it comes back. */
  #drop(hash: string): void {
    rmSync(this.#file(hash), { force: true })
    this.#pins.unlink(hash)
    this.#unreferenced.delete(hash)
  }

  #file(hash: string): string {
    return join(this.#folder, `${hash}.mjs`)
  }

  #makeFolder(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
  }

  /** Writes a file so that other processes find the whole file or none. */
  async #write(file: string, bytes: Uint8Array): Promise<void> {
    const temporary = `${file}.${crypto.randomUUID()}.tmp`
    // Another process may have removed the cache since the start.
    this.#makeFolder()
    try {
      await writeFile(temporary, bytes, { mode: 0o600 }).catch(async (error: unknown) => {
        if (!FULL.has(String((error as NodeJS.ErrnoException).code))) throw error
        // The disk is full before the store has reached its limit.
        rmSync(temporary, { force: true })
        const missing = await missingOnDisk(this.#folder, bytes.length)
        const free = this.#files().filter(({ isFree }) => isFree)
        if (sum(free, 'onDisk') < missing) throw error
        this.#evictFree(free, missing, 'onDisk')
        await writeFile(temporary, bytes, { mode: 0o600 })
      })
      await rename(temporary, file)
    } catch (error) {
      rmSync(temporary, { force: true })
      const { code, path, message } = error as NodeJS.ErrnoException
      if (path !== undefined) throw error
      // The error of a disk that becomes full during a write names no path.
      throw Object.assign(new Error(`${message}, in ${this.#folder}`), { code })
    }
  }

  /**
   * Evicts files until the rest fits into the limit. Unpinned files go first. Returns false if the
   * rest is still too large, or if the newest file is gone.
   */
  #makeRoom(newest: string, isNeeded: boolean): boolean {
    let files = this.#files(newest)
    let bytes = sum(files) - this.#evictFree(files, sum(files) - this.#limit)
    // A process that shared the cache may have ended. Then its pins no longer count.
    if (bytes > this.#limit && this.#clear()) {
      files = this.#files(newest)
      bytes = sum(files) - this.#evictFree(files, sum(files) - this.#limit)
    }
    const finished = new Map(files.filter(({ file }) => file.endsWith('.mjs')).map((each) => [each.hash, each]))
    for (const by of this.#victims(newest, isNeeded, finished, bytes - this.#limit)) {
      const held = this.#pins.releaseAll(by)
      this.onEvicted?.(by)
      for (const hash of held) {
        const file = finished.get(hash)
        if (file === undefined || this.#pins.has(hash)) continue
        // Another process may have pinned the file a moment ago.
        if ((statSync(file.file, { throwIfNoEntry: false })?.nlink ?? 0) > 1) continue
        this.#drop(hash)
        bytes -= file.size
        finished.delete(hash)
      }
    }
    return bytes <= this.#limit && finished.has(newest)
  }

  /**
   * Returns the holders of pins that make way, so that this many bytes become free.
   *
   * `Pins.victims` names the holders one by one, in the order in which they make way. The holders
   * named so far free only files that no other holder and no other process pins. The search ends in
   * one of three cases:
   *
   * 1. The named holders free enough. Returns those that pin a file which becomes free.
   * 2. Nobody is left to be named. The files that other processes pin, too, become free once those
   *    processes need room themselves. Returns the first holders that would free enough together
   *    with these files. If none would, returns nobody, since nobody should make way in vain.
   * 3. All holders of the newest file are named, so nobody would need that file. Returns only the
   *    last one of them, and the newest file gets no room.
   */
  #victims(newest: string, isNeeded: boolean, files: ReadonlyMap<string, StoredFile>, bytes: number): readonly string[] {
    if (bytes <= 0) return []
    const sizes = new Map([...files].map(([hash, { size }]) => [hash, size]))
    const named: string[] = []
    const freed: string[] = []
    let enough: readonly string[] = []
    let [freedBytes, releasedBytes] = [0, 0]
    for (const { by, released } of this.#pins.victims(newest, isNeeded, sizes, this.#limit)) {
      named.push(by)
      // Case 3.
      if (released.includes(newest)) return [by]
      for (const hash of released) {
        const size = sizes.get(hash) ?? 0
        releasedBytes += size
        if (files.get(hash)?.isShared !== false) continue
        freedBytes += size
        freed.push(hash)
      }
      if (freedBytes >= bytes) {
        const freeing = new Set(freed.flatMap((hash) => this.#pins.of(hash)))
        return named.filter((each) => freeing.has(each))
      }
      if (enough.length === 0 && releasedBytes >= bytes) enough = [...named]
    }
    return enough
  }

  /**
   * Removes unpinned files until their sizes add up to this many bytes, or until none is left.
   * Returns the sum of their sizes.
   *
   * @param measure `size`: bytes as the store counts them; `onDisk`: bytes that the disk gets back
   */
  #evictFree(files: readonly StoredFile[], bytes: number, measure: Measure = 'size'): number {
    let freed = 0
    for (const each of files.filter(({ isFree }) => isFree).sort((a, b) => a.usedAt - b.usedAt)) {
      if (freed >= bytes) break
      rmSync(each.file, { force: true })
      this.#unreferenced.delete(each.hash)
      freed += each[measure]
    }
    return freed
  }

  /** Returns the finished and unfinished files on disk. `newest` does not count as free. */
  #files(newest?: string): StoredFile[] {
    return readdirSync(this.#folder).flatMap((name) => {
      const status = statSync(join(this.#folder, name), { throwIfNoEntry: false })
      if (status === undefined || !/\.(mjs|tmp)$/u.test(name)) return []
      const hash = name.slice(0, 64)
      const isPinned = this.#pins.has(hash)
      const isFree = name.endsWith('.mjs') && hash !== newest && status.nlink < 2 && !isPinned
      return [
        {
          file: join(this.#folder, name),
          hash,
          size: Math.max(this.#limit / MAX_FILES, status.size),
          // A disk may compress a file, or state no blocks.
          onDisk: Math.max(status.size, status.blocks * 512),
          usedAt: this.#unreferenced.has(hash) ? 0 : status.mtimeMs,
          // The pins of this process are one more link.
          isShared: status.nlink > (isPinned ? 2 : 1),
          isFree,
        },
      ]
    })
  }

  /**
   * Removes the files and folders that processes left behind when they ended. Returns whether there
   * were any.
   */
  #clear(): boolean {
    let found = false
    for (const name of readdirSync(this.#folder)) {
      const path = join(this.#folder, name)
      const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
      const isUnfinished = name.endsWith('.tmp') && Date.now() - changed > UNFINISHED
      if (!areAbandoned(name, changed, this.#isShared) && !isUnfinished) continue
      rmSync(path, { recursive: true, force: true })
      found = true
    }
    return found
  }
}

function sum(files: readonly StoredFile[], measure: Measure = 'size'): number {
  return files.reduce((all, each) => all + each[measure], 0)
}

/** Returns how many bytes a full disk lacks for a file. */
async function missingOnDisk(folder: string, length: number): Promise<number> {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: 0, bsize: 1 }))
  const needed = Math.ceil(length / bsize) * bsize
  // A disk with room may be out of inodes, or this user has reached a quota.
  return bavail * bsize < needed ? needed - bavail * bsize : needed
}
