/**
 * The records file keeps the records of a pool across the restart of all its nodes. It lies beside
 * the identity file. Each record carries the signature of its owner. So the node checks the file as
 * if a peer had sent it.
 *
 * The file is a line of JSON, `{ "format": "jel-records/1", "pool": "…" }`, and then one frame of
 * the protocol for each record, behind its length (4 bytes, big-endian).
 */
import { statSync } from 'node:fs'
import { codeOf, reasonOf } from '../base/errors.ts'
import { canonical } from './lock.ts'
import { readBounded, writeWhole } from './side-file.ts'

const format = 'jel-records/1'
/** Largest file, bytes. All records that a pool holds fit, with names and values of full length. */
const maxFileBytes = 8 * 1024 * 1024

export class RecordsFile {
  readonly #file: string
  readonly #header: string
  readonly #warn: (message: string) => void
  #isFailing = false

  /** The file is beside `identityFile`. If the file can't be used, `warn` receives the reason. */
  constructor(identityFile: string, pool: string, warn: (message: string) => void) {
    this.#file = `${canonical(identityFile)}.records`
    this.#header = `${JSON.stringify({ format, pool })}\n`
    this.#warn = warn
  }

  /**
   * Returns the frames of the file, and the time when it was written, ms since 1970. If the file is
   * damaged, returns the frames before the damage.
   */
  read(): { readonly records: readonly Uint8Array[]; readonly at: number } {
    const frames: Uint8Array[] = []
    let at = 0
    try {
      at = statSync(this.#file).mtimeMs
      const bytes = readBounded(this.#file, maxFileBytes)
      let place = bytes.indexOf('\n') + 1
      if (bytes.toString('utf8', 0, place) !== this.#header) throw new Error('it belongs to another pool, or is damaged')
      while (place < bytes.length) {
        const length = place + 4 <= bytes.length ? bytes.readUInt32BE(place) : Infinity
        if (place + 4 + length > bytes.length) throw new Error(`it is damaged after ${frames.length} records`)
        frames.push(Uint8Array.from(bytes.subarray(place + 4, place + 4 + length)))
        place += 4 + length
      }
    } catch (error) {
      const what = frames.length === 0 ? 'is ignored' : 'is used in part'
      if (codeOf(error) !== 'ENOENT') this.#warn(`the file of saved records ${this.#file} ${what}: ${reasonOf(error)}`)
    }
    return { records: frames, at }
  }

  /** Replaces the file. Never rejects. Resolves to whether it is written. */
  async write(frames: readonly Uint8Array[]): Promise<boolean> {
    try {
      const parts = frames.flatMap((frame) => {
        const length = Buffer.alloc(4)
        length.writeUInt32BE(frame.length)
        return [length, frame]
      })
      await writeWhole(this.#file, Buffer.concat([Buffer.from(this.#header), ...parts]))
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#warn(`can't write the file of saved records ${this.#file}: ${reasonOf(error)}`)
      this.#isFailing = true
    }
    return !this.#isFailing
  }
}
