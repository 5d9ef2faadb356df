/** Bounds bytes in memory that several others cause: peers, or owners of jobs. */
export class ByteRoom {
  readonly #limit: number
  readonly #taken = new Map<string, number>()
  #all = 0

  /** @param limit bytes for all together */
  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * Takes room for further bytes of `by`. Returns false if there is none. At least as many bytes
   * stay free as `by` takes in all. So whoever frees nothing leaves room for the others.
   */
  take(by: string, bytes: number): boolean {
    const own = (this.#taken.get(by) ?? 0) + bytes
    if (own > this.#limit - (this.#all + bytes)) return false
    this.#taken.set(by, own)
    this.#all += bytes
    return true
  }

  free(by: string, bytes: number): void {
    const own = (this.#taken.get(by) ?? 0) - bytes
    if (own > 0) this.#taken.set(by, own)
    else this.#taken.delete(by)
    this.#all -= bytes
  }
}
