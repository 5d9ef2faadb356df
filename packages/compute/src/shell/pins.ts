import { linkSync, mkdirSync, readlinkSync, rmSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'

/**
 * The name of a folder of pins contains the PID namespace and the PID of its process. There is one
 * folder per store.
 */
const PINS = /^pins-(\d+)-(\d+)-/u
/**
 * Pins of a process in another container count as abandoned after this time, ms, since its PID
 * means nothing here. A guess.
 */
const FOREIGN = 24 * 60 * 60 * 1000
/** Folders of this process. An earlier process in the same container may have had the same PID. */
const ownFolders = new Set<string>()

export interface PinOptions {
  /**
   * The owner of the job. If this owner takes more than its share, the store may evict its files
   * for other owners. Default: this member's own owner, who may exceed its share.
   */
  readonly owner?: string
  /** Whether the store may evict the files for other files of this owner. Default: false. */
  readonly isSpare?: boolean
}

/**
 * Pins of files that unfinished jobs need. A pin is a hard link to the file in a folder of this
 * process. So other processes that share the cache keep the file, too.
 */
export class Pins {
  readonly #folder: string
  readonly #fileOf: (hash: string) => string
  /** The pin holders by hash. */
  readonly #holders = new Map<string, Set<string>>()
  /**
   * The owners of pin holders, the latest last. Holders of this member's own owner have no entry.
   */
  readonly #owners = new Map<string, string>()
  /** Holders whose files the store may evict for other files of their owner, the oldest first. */
  readonly #spares = new Set<string>()

  constructor(cache: string, fileOf: (hash: string) => string) {
    const folder = `pins-${namespace()}-${process.pid}-${crypto.randomUUID()}`
    ownFolders.add(folder)
    this.#folder = join(cache, folder)
    this.#fileOf = fileOf
  }

  has(hash: string): boolean {
    return this.#holders.has(hash)
  }

  add(hash: string, by: string, { owner, isSpare = false }: PinOptions): void {
    const holders = this.#holders.get(hash)
    if (holders?.has(by) === true) return
    if (owner !== undefined) this.#owners.set(by, owner)
    if (isSpare) this.#spares.add(by)
    this.#holders.set(hash, (holders ?? new Set<string>()).add(by))
    this.link(hash)
  }

  /** Links a pinned file. The file may have come after its pin. */
  link(hash: string): void {
    try {
      mkdirSync(this.#folder, { mode: 0o700, recursive: true })
      linkSync(this.#fileOf(hash), join(this.#folder, hash))
    } catch {
      // The file is not here yet, or has its link already. If the disk has no hard links, other
      // processes do not see the pin.
    }
  }

  /**
   * Removes the link of a removed file. The pins stay, and keep the file again if it comes back.
   */
  unlink(hash: string): void {
    rmSync(join(this.#folder, hash), { force: true })
  }

  release(hash: string, by: string): void {
    const holders = this.#holders.get(hash)
    if (holders?.delete(by) !== true || holders.size > 0) return
    this.#holders.delete(hash)
    this.unlink(hash)
  }

  /** Releases all pins of this holder. Returns the files that it held. */
  releaseAll(by: string): string[] {
    this.#owners.delete(by)
    this.#spares.delete(by)
    const held = [...this.#holders].filter(([, holders]) => holders.has(by)).map(([hash]) => hash)
    for (const hash of held) this.release(hash, by)
    return held
  }

  /** Releases all pins. The end of this process does the same. */
  close(): void {
    this.#holders.clear()
    this.#owners.clear()
    this.#spares.clear()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /**
   * Returns the oldest holder of this member's owner whose files the store may evict for this file;
   * undefined if there is none. Other owners have their shares.
   */
  spare(hash: string): string | undefined {
    return [...this.#spares].find((by) => !this.#owners.has(by) && this.#holders.get(hash)?.has(by) !== true)
  }

  /**
   * Returns a pin holder of the owner that takes most, apart from this member's owner; undefined if
   * that owner takes no more than its share of `limit`. The oldest holder whose files the store may
   * evict goes first, then the latest holder.
   */
  excess(sizes: ReadonlyMap<string, number>, limit: number): string | undefined {
    const taken = new Map<string | undefined, number>()
    for (const [hash, holders] of this.#holders) {
      for (const owner of new Set([...holders].map((by) => this.#owners.get(by))))
        taken.set(owner, (taken.get(owner) ?? 0) + (sizes.get(hash) ?? 0))
    }
    const share = limit / taken.size
    const [most] = [...taken].filter(([owner]) => owner !== undefined).sort(([, a], [, b]) => b - a)
    if (most === undefined || most[1] <= share) return undefined
    const by = [...this.#owners].flatMap(([each, owner]) => (owner === most[0] ? [each] : []))
    return by.find((each) => this.#spares.has(each)) ?? by.at(-1)
  }
}

/**
 * Whether a folder of a cache holds pins of a process that has ended.
 *
 * @param changed when it last changed, ms since 1970
 */
export function areAbandoned(folder: string, changed: number): boolean {
  if (!folder.startsWith('pins-')) return false
  const [, within, pid] = PINS.exec(folder) ?? []
  // The pins of earlier versions have no namespace in their names. After a boot the namespace and
  // the PID may be the same.
  const booted = Date.now() - uptime() * 1000
  return within === namespace() ? changed < booted || !isInUse(folder, Number(pid)) : Date.now() - changed > FOREIGN
}

/** Returns the PID namespace: processes in different containers may have the same PID. */
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
