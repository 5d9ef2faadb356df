import { linkSync, mkdirSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { BlobTooLargeError } from '../errors.ts'
import { defaultTaskLimits } from '../executors/container.ts'

/** A file that is being written, or whose writer was ended meanwhile: after so long it is nobody's, ms. A guess: 64 MiB on a slow disk. */
const UNFINISHED = 600_000
/** Files that the limit is for: each counts for so much of it at least. Many tiny ones cost time, as all are looked at for each that comes. A guess. */
const MAX_FILES = 4096
/** Folders of pins, one a store: the namespace that its process is numbered in, and the number. */
const PINS = /^pins-(\d+)-(\d+)-/u
/** Pins of a process in another container, whose number says nothing here, are nobody's after so long, ms. A guess. */
const FOREIGN = 24 * 60 * 60 * 1000
/** Those of this process: in a container a former process had the same number. */
const ownFolders = new Set<string>()

interface PutOptions {
  readonly for?: string
  readonly unnamed?: boolean
  readonly charge?: (ms: number) => void
}

/** Where blobs are kept by default. */
function defaultCacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'jel', 'blobs')
}

/** The sha-256 of bytes, in hexadecimal; made beside this thread, which 64 MiB would keep for some tenths of a second. */
export async function hashOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex')
}

export function isHash(text: string): boolean {
  return /^[\da-f]{64}$/u.test(text)
}

/**
 * Bytes by their hash, on disk, shared by all processes of this user. What is read is checked: a file that was changed is none.
 *
 * What a job needs that has not ended is pinned, and goes for nothing: a pin is a second name of the file, in a folder of its process, so others that share the cache leave it
 * alone, too. The rest makes way where there is no room: first what others sent and no job has named yet, then what was not used for longest; last, what the latest job of an owner needs
 * that takes more than its share.
 */
export class BlobStore {
  readonly #folder: string
  readonly #limit: number
  readonly #pinFolder: string
  /** What one needed makes way for others: part of it may be gone. */
  onEvicted: ((by: string) => void) | undefined
  /** Who pinned what. */
  readonly #pins = new Map<string, Set<string>>()
  /** On whose behalf; those of this member have none. The latest comes last. */
  readonly #owners = new Map<string, string>()
  /** Sent by others, and named by no job that is known here. */
  readonly #unnamed = new Set<string>()
  /** `limit`: MiB on disk. */
  constructor(folder = defaultCacheFolder(), limit = defaultTaskLimits.disk) {
    this.#folder = folder
    this.#limit = limit * 1024 * 1024
    const pins = `pins-${namespace()}-${process.pid}-${crypto.randomUUID()}`
    ownFolders.add(pins)
    this.#pinFolder = join(folder, pins)
    this.#makeFolder()
    this.#clear()
  }

  /** Bytes that it takes. */
  get limit(): number {
    return this.#limit
  }

  /**
   * Keeps bytes. `for`: who needs them, see {@link pin}. `unnamed`: others sent them. `charge` hears how long the
   * search for room kept this thread, ms: some 50 where there are many files.
   * @throws BlobTooLargeError where they are more than this store takes, or what jobs need leaves no room for them
   */
  async put(bytes: Uint8Array, { for: by, unnamed = false, charge }: PutOptions = {}): Promise<string> {
    if (bytes.length > this.#limit)
      throw new BlobTooLargeError(`${bytes.length} bytes are more than this member keeps on disk, ${this.#limit}`, true)
    const hash = await hashOf(bytes)
    const file = this.#file(hash)
    const isNew = (await this.get(hash)) === undefined
    if (isNew) await this.#write(file, bytes)
    if (unnamed && !this.#pins.has(hash)) this.#unnamed.add(hash)
    if (by !== undefined) this.pin(hash, by)
    else if (this.#pins.has(hash)) this.#link(hash)
    const began = performance.now()
    const hasRoom = this.#makeRoom(hash)
    charge?.(performance.now() - began)
    if (!hasRoom) {
      if (by !== undefined) this.#release(hash, by)
      // Whoever pinned it, perhaps before it came: what is refused takes no room.
      if (isNew || !this.#pins.has(hash)) this.#drop(hash)
      throw new BlobTooLargeError(
        `there is no room for ${bytes.length} bytes: this member keeps ${this.#limit} on disk, and needs them for jobs that have not ended`,
      )
    }
    return hash
  }

  /** Bytes of it; undefined: it is not here. */
  async size(hash: string): Promise<number | undefined> {
    return (await stat(this.#file(hash)).catch(() => undefined))?.size
  }

  async get(hash: string): Promise<Uint8Array | undefined> {
    const file = this.#file(hash)
    try {
      const read = await readFile(file)
      // Not Node's own kind of bytes, whose slices are views.
      const bytes = new Uint8Array(read.buffer, read.byteOffset, read.length)
      if ((await hashOf(bytes)) === hash) {
        // A disk that can only be read has no order of use, and needs none.
        await utimes(file, new Date(), new Date()).catch(() => {})
        return bytes
      }
      await rm(file, { force: true })
    } catch {
      // It is not here.
    }
    return undefined
  }

  /** The file of a program. @throws Error if it is not here */
  async fileOf(hash: string): Promise<string> {
    const bytes = await this.get(hash)
    if (bytes === undefined) throw new Error(`the program ${hash} is not on this machine any more`)
    return this.#file(hash)
  }

  /**
   * It stays here, once it is here, until {@link unpin}. `by`: a name of who needs it. `owner`: on whose behalf; an owner that takes more than its share makes way for what others need.
   * Default: this member's own.
   */
  pin(hash: string, by: string, owner?: string): void {
    if (owner !== undefined) this.#owners.set(by, owner)
    const pins = this.#pins.get(hash) ?? new Set()
    this.#pins.set(hash, pins.add(by))
    this.#unnamed.delete(hash)
    this.#link(hash)
  }

  #link(hash: string): void {
    try {
      mkdirSync(this.#pinFolder, { mode: 0o700, recursive: true })
      linkSync(this.#file(hash), join(this.#pinFolder, hash))
    } catch {
      // It is not here yet, or has its second name already. On a disk without such names other processes do not know of it.
    }
  }

  /** Nothing is needed by this one any more. */
  unpin(by: string): void {
    this.#owners.delete(by)
    for (const hash of this.#pins.keys()) this.#release(hash, by)
  }

  /** All that was needed makes way again, as when this process ends. */
  close(): void {
    this.#pins.clear()
    this.#owners.clear()
    rmSync(this.#pinFolder, { recursive: true, force: true })
  }

  #release(hash: string, by: string): void {
    const pins = this.#pins.get(hash)
    if (pins?.delete(by) !== true || pins.size > 0) return
    this.#pins.delete(hash)
    rmSync(join(this.#pinFolder, hash), { force: true })
  }

  /** Its bytes go; who pinned it still does, once it comes again. */
  #drop(hash: string): void {
    rmSync(this.#file(hash), { force: true })
    rmSync(join(this.#pinFolder, hash), { force: true })
    this.#unnamed.delete(hash)
  }

  #file(hash: string): string {
    return join(this.#folder, `${hash}.mjs`)
  }

  #makeFolder(): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
  }

  /** Others find the whole of it, or nothing. */
  async #write(file: string, bytes: Uint8Array): Promise<void> {
    const temporary = `${file}.${crypto.randomUUID()}.tmp`
    // Somebody may have emptied the cache.
    this.#makeFolder()
    try {
      await writeFile(temporary, bytes, { mode: 0o600 })
      await rename(temporary, file)
    } catch (error) {
      rmSync(temporary, { force: true })
      const { code, path, message } = error as NodeJS.ErrnoException
      if (path !== undefined) throw error
      // A disk that becomes full while it is written to has no name.
      throw Object.assign(new Error(`${message}, in ${this.#folder}`), { code })
    }
  }

  /** False where what is pinned leaves no room for this one. */
  #makeRoom(newest: string): boolean {
    const files = readdirSync(this.#folder).flatMap((name) => {
      const status = statSync(join(this.#folder, name), { throwIfNoEntry: false })
      if (status === undefined || !/\.(mjs|tmp)$/u.test(name)) return []
      const hash = name.slice(0, 64)
      const isFree = name.endsWith('.mjs') && hash !== newest && status.nlink < 2 && !this.#pins.has(hash)
      return [
        {
          file: join(this.#folder, name),
          hash,
          size: Math.max(this.#limit / MAX_FILES, status.size),
          usedAt: this.#unnamed.has(hash) ? 0 : status.mtimeMs,
          isFree,
        },
      ]
    })
    let bytes = files.reduce((sum, { size }) => sum + size, 0)
    for (const { file, hash, size } of files.filter(({ isFree }) => isFree).sort((a, b) => a.usedAt - b.usedAt)) {
      if (bytes <= this.#limit) return true
      rmSync(file, { force: true })
      this.#unnamed.delete(hash)
      bytes -= size
    }
    const sizes = new Map(files.filter(({ file }) => file.endsWith('.mjs')).map(({ hash, size }) => [hash, size]))
    while (bytes > this.#limit && this.#pins.has(newest)) {
      const by = this.#excess(sizes)
      if (by === undefined) break
      const pinned = [...this.#pins].filter(([, all]) => all.has(by)).map(([hash]) => hash)
      this.unpin(by)
      this.onEvicted?.(by)
      for (const hash of pinned) {
        // Other processes may need it, too.
        if (this.#pins.has(hash) || (statSync(this.#file(hash), { throwIfNoEntry: false })?.nlink ?? 2) > 1) continue
        this.#drop(hash)
        bytes -= sizes.get(hash) ?? 0
        sizes.delete(hash)
      }
    }
    return bytes <= this.#limit && sizes.has(newest)
  }

  /** The latest job of the owner that takes most, if that is more than its share. */
  #excess(sizes: ReadonlyMap<string, number>): string | undefined {
    const taken = new Map<string | undefined, number>()
    for (const [hash, all] of this.#pins) {
      for (const owner of new Set([...all].map((by) => this.#owners.get(by))))
        taken.set(owner, (taken.get(owner) ?? 0) + (sizes.get(hash) ?? 0))
    }
    const share = this.#limit / taken.size
    const [most] = [...taken].filter(([owner]) => owner !== undefined).sort(([, a], [, b]) => b - a)
    if (most === undefined || most[1] <= share) return undefined
    return [...this.#owners].findLast(([, owner]) => owner === most[0])?.[0]
  }

  /** What processes left that were ended. */
  #clear(): void {
    const here = namespace()
    for (const name of readdirSync(this.#folder)) {
      const path = join(this.#folder, name)
      const [, within, pid] = PINS.exec(name) ?? []
      const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
      // Those of former versions name no namespace.
      const isLeft = within === here ? !isInUse(name, Number(pid)) : Date.now() - changed > FOREIGN
      if ((name.startsWith('pins-') && isLeft) || (name.endsWith('.tmp') && Date.now() - changed > UNFINISHED))
        rmSync(path, { recursive: true, force: true })
    }
  }
}

/** Processes of different containers have the same numbers. */
function namespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/gu, '')
  } catch {
    return '0'
  }
}

function isInUse(folder: string, pid: number): boolean {
  return pid === process.pid ? ownFolders.has(folder) : isRunning(pid)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
