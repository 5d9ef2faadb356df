/**
 * The most bytes of inputs of one member without an answer. A guess: eight inputs of the largest
 * size.
 */
export const MAX_OPEN_BYTES = 8 * 1_048_576
/**
 * If the inputs of all members have more bytes than this, each member has only one open call. A
 * guess: all calls wait during a takeover, for some seconds.
 */
export const MAX_BYTES_OF_ALL = 256 * 1_048_576

/** Counts the bytes of the calls without an answer, for each member over all its streams. */
export class OpenBytes {
  readonly #members = new Map<string, { bytes: number; readonly wakes: Set<() => void> }>()
  #all = 0

  isFull(member: string): boolean {
    const { bytes = 0 } = this.#members.get(member) ?? {}
    return bytes >= MAX_OPEN_BYTES || (bytes > 0 && this.#all >= MAX_BYTES_OF_ALL)
  }

  /** Calls a function when a member may have room again. Returns a function that unsubscribes. */
  watch(member: string, wake: () => void): () => void {
    const { wakes } = this.#of(member)
    wakes.add(wake)
    return () => {
      wakes.delete(wake)
      this.#forget(member)
    }
  }

  /** Counts a call. Returns the function that must be called with its answer. */
  add(member: string, bytes: number): () => void {
    const open = this.#of(member)
    open.bytes += bytes
    this.#all += bytes
    return () => {
      const wasFull = this.#all >= MAX_BYTES_OF_ALL
      open.bytes -= bytes
      this.#all -= bytes
      for (const { wakes } of wasFull ? this.#members.values() : [open]) for (const wake of wakes) wake()
      this.#forget(member)
    }
  }

  #of(member: string) {
    const open = this.#members.get(member) ?? { bytes: 0, wakes: new Set() }
    this.#members.set(member, open)
    return open
  }

  #forget(member: string): void {
    const open = this.#members.get(member)
    if (open?.bytes === 0 && open.wakes.size === 0) this.#members.delete(member)
  }
}
