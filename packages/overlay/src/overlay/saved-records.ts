import type { RecordsFile } from '../identity/records-file.ts'

/**
 * A node saves changed records after this time, ms. It repeats a failed write after five times this
 * time. Guess: if the whole pool dies, it may lose the jobs submitted within this time.
 */
const saveAfter = 1_000

/** Saves the records of the pool when they have changed. */
export class SavedRecords {
  readonly #file: RecordsFile | undefined
  readonly #frames: () => readonly Uint8Array[] | undefined
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> = Promise.resolve()
  #isClosed = false

  /**
   * @param frames returns the records, or undefined until the node has restored the saved records.
   *   Until then the file and its date stay as they are.
   */
  constructor(file: RecordsFile | undefined, frames: () => readonly Uint8Array[] | undefined) {
    this.#file = file
    this.#frames = frames
  }

  changed(after = saveAfter): void {
    if (this.#file === undefined || this.#isClosed) return
    this.#timer ??= setTimeout(() => this.#save(), after)
  }

  /** Saves the last changes. Resolves when the write has succeeded or failed. */
  async close(): Promise<void> {
    this.#isClosed = true
    // Saves even if nothing has changed: the time of the file is the time up to which this node was
    // here.
    if (this.#file !== undefined) this.#save()
    await this.#saving
  }

  #save(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // One write after the other, so that the latest state is the last on disk.
    this.#saving = this.#saving.then(async () => {
      const frames = this.#frames()
      if (frames === undefined) return
      if ((await this.#file?.write(frames)) === false) this.changed(5 * saveAfter)
    })
  }
}
