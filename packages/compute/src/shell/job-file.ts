import { createHmac } from 'node:crypto'
import { constants } from 'node:fs'
import { appendFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { MAX_MESSAGE_BYTES } from './wire.ts'

const HEADER = Buffer.from('jel-job/1')
/** Bytes of a length, and of a code. */
const [LENGTH_BYTES, CODE_BYTES] = [4, 16]

/** The parts of a file that are sound. */
export interface SavedParts {
  readonly parts: readonly Uint8Array[]
  /** The reason why a part of the file, or all of it, is unusable. */
  readonly problem: string | undefined
}

/**
 * The file of one job: parts in the order in which they came, each after its length and an
 * authentication code (HMAC). The key belongs to one member of one pool. The code also covers the
 * id of the job and the number of the part. So the code reveals damage, and a file of another pool,
 * member or job. The parts before the first bad part count.
 */
export class JobFile {
  readonly #path: string
  readonly #key: Uint8Array
  readonly #id: string
  #count = 0
  /** Bytes of the file. */
  size = 0
  /** Bytes of the file when this process last wrote it as a whole; 0: it has not done so. */
  wholeSize = 0
  /** Whether `append` may add parts. Otherwise only `replace` may write the file. */
  isSound = false

  constructor(path: string, key: Uint8Array, id: string) {
    this.#path = path
    this.#key = key
    this.#id = id
  }

  /** Reads the file, at most `most` bytes. A missing file is empty. */
  async read(most: number): Promise<SavedParts> {
    const parts: Uint8Array[] = []
    try {
      const status = await stat(this.#path)
      if (!status.isFile()) throw new Error('it is no file')
      if (status.size > most) throw new Error(`it is larger than ${most} bytes`)
      const bytes = await readFile(this.#path)
      // A part of the content may be out of date. `wholeSize` stays 0, so this process soon writes
      // the file as a whole.
      this.size = bytes.length
      for (let at = 0; at < bytes.length;) {
        const part = this.#partAt(bytes, at)
        if (part === undefined) return { parts: parts.slice(1), problem: cutOrBad(bytes, at, this.#count) }
        parts.push(part)
        this.#count++
        at += LENGTH_BYTES + CODE_BYTES + part.length
        await turn()
      }
      this.isSound = parts.length > 0
      return { parts: parts.slice(1), problem: undefined }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      return { parts: [], problem: code === 'ENOENT' ? undefined : message }
    }
  }

  /** Adds parts at the end. @throws Error */
  async append(parts: readonly Uint8Array[]): Promise<void> {
    // A write that fails may leave half a part.
    this.isSound = false
    const bytes = Buffer.concat(parts.map((part) => this.#framed(part)))
    // The flags create no file: a new file must not begin with these parts.
    await appendFile(this.#path, bytes, { flag: constants.O_WRONLY | constants.O_APPEND })
    this.size += bytes.length
    this.isSound = true
  }

  /** Replaces the content. A reader finds the old or the new content. @throws Error */
  async replace(parts: readonly Uint8Array[]): Promise<void> {
    this.isSound = false
    this.#count = 0
    const temporary = `${this.#path}.tmp`
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
    await rm(temporary, { force: true })
    // Writes each part by itself, so other work goes on meanwhile.
    try {
      await writeFile(temporary, this.#framedEach([HEADER, ...parts]), { mode: 0o600, flag: 'wx' })
      await rename(temporary, this.#path)
    } catch (error) {
      // On a full disk the incomplete file may take the last room.
      await rm(temporary, { force: true }).catch(() => {})
      throw error
    }
    this.size = [HEADER, ...parts].reduce((sum, { length }) => sum + LENGTH_BYTES + CODE_BYTES + length, 0)
    this.wholeSize = this.size
    this.isSound = true
  }

  async remove(): Promise<void> {
    this.isSound = false
    this.size = 0
    await rm(this.#path, { force: true })
  }

  *#framedEach(parts: readonly Uint8Array[]): Generator<Buffer> {
    for (const part of parts) yield this.#framed(part)
  }

  #framed(part: Uint8Array): Buffer {
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt32BE(part.length)
    return Buffer.concat([length, this.#codeOf(part, this.#count++), part])
  }

  #partAt(bytes: Buffer, at: number): Uint8Array | undefined {
    if (at + LENGTH_BYTES + CODE_BYTES > bytes.length) return undefined
    const begin = at + LENGTH_BYTES + CODE_BYTES
    const length = bytes.readUInt32BE(at)
    if (length > MAX_MESSAGE_BYTES || begin + length > bytes.length) return undefined
    const part = Uint8Array.from(bytes.subarray(begin, begin + length))
    return this.#codeOf(part, this.#count).equals(bytes.subarray(at + LENGTH_BYTES, begin)) ? part : undefined
  }

  #codeOf(part: Uint8Array, index: number): Buffer {
    return createHmac('sha256', this.#key).update(`${this.#id} ${index} `).update(part).digest().subarray(0, CODE_BYTES)
  }
}

/**
 * Returns the problem of a part. A cut part at the end is no problem: a killed process leaves one.
 */
function cutOrBad(bytes: Buffer, at: number, index: number): string | undefined {
  const rest = bytes.length - at - LENGTH_BYTES - CODE_BYTES
  if (index > 0 && (rest < 0 || (bytes.readUInt32BE(at) > rest && bytes.readUInt32BE(at) <= MAX_MESSAGE_BYTES))) return undefined
  return index === 0 ? 'it belongs to another pool, member or job, or is damaged' : `it is damaged after ${index - 1} parts`
}
