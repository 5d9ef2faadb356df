import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defaultTaskLimits } from '../executors/container.ts'

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

  /** Bytes that it takes. */
  get limit(): number {
    return this.#limit
  }

  async put(bytes: Uint8Array): Promise<string> {
    const hash = await hashOf(bytes)
    const file = this.#file(hash)
    // Others find the whole of it, or nothing.
    const temporary = `${file}.${crypto.randomUUID()}.tmp`
    await writeFile(temporary, bytes, { mode: 0o600 })
    await rename(temporary, file)
    this.#evict(hash)
    return hash
  }

  async get(hash: string): Promise<Uint8Array | undefined> {
    const file = this.#file(hash)
    try {
      const read = await readFile(file)
      // Not Node's own kind of bytes, whose slices are views.
      const bytes = new Uint8Array(read.buffer, read.byteOffset, read.length)
      if ((await hashOf(bytes)) === hash) {
        await utimes(file, new Date(), new Date())
        return bytes
      }
      await rm(file, { force: true })
    } catch {
      // It is not here.
    }
    return undefined
  }

  /** A URL to import a program by. Throws if it is not here. */
  urlOf(hash: string): string {
    const file = this.#file(hash)
    if (createHash('sha256').update(readFileSync(file)).digest('hex') !== hash) throw new Error(`${file} was changed`)
    return pathToFileURL(file).href
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
