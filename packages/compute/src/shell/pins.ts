import { linkSync, mkdirSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** The name of a folder of pins, one per store: the PID namespace of its process, and its PID. */
const PINS = /^pins-(\d+)-(\d+)-/u
/**
 * Pins of a process in another container, whose PID means nothing here, are abandoned after this
 * time, ms. A guess.
 */
const FOREIGN = 24 * 60 * 60 * 1000
/** Folders of this process. In a container a former process had the same PID. */
const ownFolders = new Set<string>()

/**
 * Pins of files that unfinished jobs need. A pin is a hard link to the file in a folder of its
 * process, so other processes that share the cache keep the file, too.
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

  constructor(cache: string, fileOf: (hash: string) => string) {
    const folder = `pins-${namespace()}-${process.pid}-${crypto.randomUUID()}`
    ownFolders.add(folder)
    this.#folder = join(cache, folder)
    this.#fileOf = fileOf
  }

  has(hash: string): boolean {
    return this.#holders.has(hash)
  }

  /** @param owner the owner of the holder, if it is not this member's own */
  add(hash: string, by: string, owner?: string): void {
    if (owner !== undefined) this.#owners.set(by, owner)
    this.#holders.set(hash, (this.#holders.get(hash) ?? new Set<string>()).add(by))
    this.link(hash)
  }

  /** Links a file that came after its pin. */
  link(hash: string): void {
    try {
      mkdirSync(this.#folder, { mode: 0o700, recursive: true })
      linkSync(this.#fileOf(hash), join(this.#folder, hash))
    } catch {
      // The file is not here yet, or has its link already. Without hard links other processes do
      // not see the pin.
    }
  }

  /** Removes the link of a file that is removed. Its pins stay, and hold if it comes again. */
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
    const held = [...this.#holders].filter(([, holders]) => holders.has(by)).map(([hash]) => hash)
    for (const hash of held) this.release(hash, by)
    return held
  }

  /** Releases all pins, as the end of this process does. */
  close(): void {
    this.#holders.clear()
    this.#owners.clear()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** The latest job of the owner that takes most, if that is more than its share of `limit`. */
  excess(sizes: ReadonlyMap<string, number>, limit: number): string | undefined {
    const taken = new Map<string | undefined, number>()
    for (const [hash, holders] of this.#holders) {
      for (const owner of new Set([...holders].map((by) => this.#owners.get(by))))
        taken.set(owner, (taken.get(owner) ?? 0) + (sizes.get(hash) ?? 0))
    }
    const share = limit / taken.size
    const [most] = [...taken].filter(([owner]) => owner !== undefined).sort(([, a], [, b]) => b - a)
    if (most === undefined || most[1] <= share) return undefined
    return [...this.#owners].findLast(([, owner]) => owner === most[0])?.[0]
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
  // Pins of earlier versions name no namespace.
  return within === namespace() ? !isInUse(folder, Number(pid)) : Date.now() - changed > FOREIGN
}

/** The PID namespace: processes of different containers have the same PIDs. */
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
