import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defaultTaskLimits } from '../executors/container.ts'

/** Where blobs are kept by default. */
function defaultCacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'jel', 'blobs')
}

/** The sha-256 of bytes, in hexadecimal. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function isHash(text: string): boolean {
  return /^[\da-f]{64}$/u.test(text)
}

/** Bytes by their hash, on disk, shared by all processes of this user. What is read is checked: a file that was changed is none. */
export class BlobStore {
  readonly #folder: string
  readonly #limit: number

  /** `limit`: MiB on disk; the longest unused go first. */
  constructor(folder = defaultCacheFolder(), limit = defaultTaskLimits.disk) {
    this.#folder = folder
    this.#limit = limit * 1024 * 1024
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  }

  put(bytes: Uint8Array): string {
    const hash = hashOf(bytes)
    const file = this.#file(hash)
    // Others find the whole of it, or nothing.
    const temporary = `${file}.${process.pid}.tmp`
    writeFileSync(temporary, bytes, { mode: 0o600 })
    renameSync(temporary, file)
    this.#evict(hash)
    return hash
  }

  get(hash: string): Uint8Array | undefined {
    const file = this.#file(hash)
    try {
      const bytes = readFileSync(file)
      if (hashOf(bytes) === hash) {
        utimesSync(file, new Date(), new Date())
        return bytes
      }
      rmSync(file, { force: true })
    } catch {
      // It is not here.
    }
    return undefined
  }

  /** A URL to import a program by. Throws if it is not here. */
  urlOf(hash: string): string {
    if (this.get(hash) === undefined) throw new Error(`there is no blob ${hash}`)
    return pathToFileURL(this.#file(hash)).href
  }

  #file(hash: string): string {
    return join(this.#folder, `${hash}.mjs`)
  }

  #evict(kept: string): void {
    const files = readdirSync(this.#folder)
      .filter((name) => name.endsWith('.mjs'))
      .flatMap((name) => {
        const file = join(this.#folder, name)
        const status = statSync(file, { throwIfNoEntry: false })
        return status === undefined || name.startsWith(kept) ? [] : [{ file, size: status.size, usedAt: status.mtimeMs }]
      })
      .sort((a, b) => a.usedAt - b.usedAt)
    let bytes = files.reduce((sum, { size }) => sum + size, 0)
    for (const { file, size } of files) {
      if (bytes <= this.#limit) return
      rmSync(file, { force: true })
      bytes -= size
    }
  }
}
