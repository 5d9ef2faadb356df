import { constants } from 'node:fs'
import { open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { LedgerCorruptError, LedgerFileError } from '../errors.ts'
import type { StoreRecord } from '../core/store.ts'
import { idOf } from '../core/seat.ts'
import { frame, framesOf } from './framing.ts'
import { decodeRecords, encodeRecords } from './records.ts'
import type { Opened, Store } from './store.ts'

/**
 * The rights of other users in the mode of a file. The log has names and payloads of applications.
 */
const OTHERS = 0o077

/** A write that waits. */
interface Write extends PromiseWithResolvers<void> {
  readonly record: StoreRecord
  /** All records that the file must have after this write. Undefined: the record is appended. */
  readonly whole: readonly StoreRecord[] | undefined
}

/**
 * A store in a file: a line of JSON, and then a frame for each write. All writes that wait are
 * synced together. After a failure the store accepts no more writes: nobody knows which bytes of a
 * failed sync are on the disk, and a second sync may report success all the same.
 */
export class FileStore implements Store {
  readonly isDurable = true
  readonly #path: string
  readonly #header: string
  #handle: FileHandle | undefined
  #waiting: Write[] = []
  #isWriting = false
  #error: Error | undefined
  #written: Promise<void> = Promise.resolve()

  private constructor(path: string, header: string) {
    this.#path = path
    this.#header = header
  }

  /**
   * Opens the store of a member. A missing file has no records. The last frame is cut off if it is
   * torn: its write was never reported as synced.
   *
   * @param isFirstLife whether the member can't have had a store before
   *
   * @throws LedgerFileError, LedgerCorruptError; the file is then as it was
   */
  static async open(path: string, pool: string, id: string, isFirstLife: boolean): Promise<Opened> {
    const header = `${JSON.stringify({ format: 'jel-ledger/1', pool, id })}\n`
    const store = new FileStore(path, header)
    const bytes = await read(path)
    if (bytes === undefined) {
      // This shows early whether the folder allows a new file. A later life that finds the file
      // empty has promised nothing. A later life that finds no file has lost it.
      if (isFirstLife) await named(path, async () => await store.#replace([]))
      return { store, records: [], isNew: isFirstLife }
    }
    const records = store.#records(bytes)
    await named(path, async () => {
      const handle = await open(path, constants.O_RDWR | constants.O_APPEND)
      store.#handle = handle
      if (records.end === bytes.length) return
      await handle.truncate(records.end)
      await handle.datasync()
    })
    return { store, records: records.records, isNew: records.records.length === 0 }
  }

  async write(record: StoreRecord, whole?: readonly StoreRecord[]): Promise<void> {
    if (this.#error !== undefined) throw this.#error
    const write = { record, whole, ...Promise.withResolvers<void>() }
    this.#waiting.push(write)
    if (!this.#isWriting) this.#written = this.#writeAll()
    await write.promise
  }

  /** Closes the file after the waiting writes. */
  async close(): Promise<void> {
    await this.#written
    this.#error ??= new LedgerFileError(`${this.#path} is closed`)
    await this.#handle?.close()
    this.#handle = undefined
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    for (let writes = this.#waiting; writes.length > 0 && this.#error === undefined; writes = this.#waiting) {
      this.#waiting = []
      try {
        await this.#put(writes)
        for (const { resolve } of writes) resolve()
      } catch (error) {
        this.#error = error as Error
        for (const { reject } of [...writes, ...this.#waiting]) reject(error)
      }
    }
    this.#isWriting = false
  }

  async #put(writes: readonly Write[]): Promise<void> {
    const last = writes.findLastIndex(({ whole }) => whole !== undefined)
    const later = writes.slice(last + 1).map(({ record }) => record)
    if (last !== -1 || this.#handle === undefined) {
      await this.#replace([...(writes[last]?.whole ?? []), ...later])
      return
    }
    const bytes = frame(encodeRecords(later))
    const written = await this.#handle?.write(bytes)
    if (written?.bytesWritten !== bytes.length) throw new Error(`only ${written?.bytesWritten} of ${bytes.length} bytes were written`)
    await this.#handle?.datasync()
  }

  /** Replaces the file by a new one with these records. */
  async #replace(records: readonly StoreRecord[]): Promise<void> {
    const temporary = `${this.#path}.tmp`
    await rm(temporary, { force: true })
    const handle = await open(temporary, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR | constants.O_APPEND, 0o600)
    try {
      await handle.writeFile(this.#header)
      if (records.length > 0) await handle.writeFile(frame(encodeRecords(records)))
      await handle.sync()
      await rename(temporary, this.#path)
      await syncFolder(dirname(this.#path))
    } catch (error) {
      await handle.close()
      await rm(temporary, { force: true }).catch(() => {})
      throw error
    }
    await this.#handle?.close()
    this.#handle = handle
  }

  #records(bytes: Buffer): { readonly records: readonly StoreRecord[]; readonly end: number } {
    const start = this.#header.length
    if (bytes.toString('utf8', 0, start) !== this.#header) {
      const first = bytes.toString('utf8', 0, Math.min(bytes.length, 400)).split('\n')[0]
      throw new LedgerFileError(`${this.#path} is no ledger of this member in this pool: it begins with ${JSON.stringify(first)}`)
    }
    const { frames, end } = framesOf(bytes, start, (at) => new LedgerCorruptError(`${this.#path} is damaged at byte ${at}`))
    const records = frames.flatMap((each) => {
      const decoded = decodeRecords(each)
      if (decoded === undefined) throw new LedgerCorruptError(`${this.#path} has records of an unknown form`)
      return decoded
    })
    const [first] = records
    const id = (JSON.parse(this.#header) as { readonly id: string }).id
    if (first !== undefined && (first.type !== 'seat' || idOf(first.seat) !== id))
      throw new LedgerCorruptError(`${this.#path} does not begin with a seat of this member`)
    return { records, end }
  }
}

async function read(path: string): Promise<Buffer | undefined> {
  try {
    const status = await stat(path)
    if (!status.isFile()) throw new LedgerFileError(`${path} is no file`)
    if (process.platform !== 'win32' && (status.mode & OTHERS) !== 0)
      throw new LedgerFileError(`${path} is open to other users (mode ${(status.mode & 0o777).toString(8)}): run chmod 600`)
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    if (error instanceof LedgerFileError) throw error
    throw new LedgerFileError(`can't read ${path}: ${(error as Error).message}`, { cause: error })
  }
}

async function named(path: string, action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    throw new LedgerFileError(`can't write ${path}: ${(error as Error).message}`, { cause: error })
  }
}

/** Without this call, a power failure may bring back the old file. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
