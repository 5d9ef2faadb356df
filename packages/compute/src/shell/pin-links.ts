import { linkSync, mkdirSync, readlinkSync, rmSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import type { PinLinks } from './pins.ts'

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

/**
 * Hard links to pinned files, in a folder of this process. So other processes that share the cache
 * keep the files, too.
 */
export class LinkFolder implements PinLinks {
  readonly #folder: string
  readonly #fileOf: (hash: string) => string

  constructor(cache: string, fileOf: (hash: string) => string) {
    const folder = `pins-${namespace()}-${process.pid}-${crypto.randomUUID()}`
    ownFolders.add(folder)
    this.#folder = join(cache, folder)
    this.#fileOf = fileOf
  }

  link(hash: string): void {
    try {
      mkdirSync(this.#folder, { mode: 0o700, recursive: true })
      linkSync(this.#fileOf(hash), join(this.#folder, hash))
    } catch {
      // The file is not here yet, or has its link already. If the disk has no hard links, other
      // processes do not see the pin.
    }
  }

  unlink(hash: string): void {
    remove(join(this.#folder, hash))
  }

  close(): void {
    remove(this.#folder)
  }
}

/** Removes a link or a folder of links. A disk that became read-only keeps it, without an error. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // The start of another process removes it.
  }
}

/**
 * Whether a folder of a cache holds pins of a process that has ended.
 *
 * @param changed when it last changed, ms since 1970
 * @param isShared whether other processes use the cache, too
 */
export function areAbandoned(folder: string, changed: number, isShared: boolean): boolean {
  if (!folder.startsWith('pins-')) return false
  if (!isShared) return !ownFolders.has(folder)
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
