import { Refusal } from './entry.ts'

/** Maximum bytes of a state as JSON. From GRID. */
export const MAX_STATE_BYTES = 64 * 1_048_576
/**
 * The size of the state is measured after so many operations, or bytes of them. It is measured more
 * often while it grows by more than these bytes meanwhile. Guesses.
 */
const [MEASURE_OPERATIONS, MEASURE_BYTES] = [256, 1_048_576]
/** Above this size each operation is tried on a copy of the state first, bytes. A guess. */
const CAREFUL_BYTES = (MAX_STATE_BYTES / 8) * 7

/** The size of a state, which is expensive to measure. */
export class StateSize {
  /** Bytes when it was measured last, and what came since. */
  #measured = { bytes: 0, operations: 0, since: 0, until: 1 }

  /** An operation of so many bytes was applied. */
  add(bytes: number): void {
    this.#measured.operations++
    this.#measured.since += bytes
  }

  /** Another state came in the place of the former one. */
  reset(): void {
    this.#measured = { bytes: 0, operations: MEASURE_OPERATIONS, since: 0, until: 1 }
  }

  /** The state was changed by something else than operations. */
  expire(): void {
    this.#measured.operations = MEASURE_OPERATIONS
  }

  /** Whether an operation must be tried on a copy of the state, because it is large. */
  isCareful(state: unknown): boolean {
    const { bytes: before, operations, since, until } = this.#measured
    if (operations >= until || since >= MEASURE_BYTES) {
      const bytes = lengthOf(state)
      // Small operations can make a state grow fast.
      const isFast = bytes - before > MEASURE_BYTES
      const next = isFast ? Math.max(1, Math.floor((operations * MEASURE_BYTES) / (bytes - before))) : 2 * until
      this.#measured = { bytes, operations: 0, since: 0, until: Math.min(next, MEASURE_OPERATIONS) }
    }
    return this.#measured.bytes + this.#measured.since > CAREFUL_BYTES
  }

  /**
   * Takes a state that an operation made of a copy.
   *
   * @param before the bytes of the state before
   * @throws Refusal for a state that is too large
   */
  check(before: number, next: unknown): void {
    const bytes = lengthOf(next)
    if (bytes > MAX_STATE_BYTES && bytes >= before)
      throw new Refusal('STATE_TOO_LARGE', `the state would have ${bytes} bytes; at most ${MAX_STATE_BYTES} are allowed`)
    this.#measured = { bytes, operations: 0, since: 0, until: bytes > CAREFUL_BYTES ? MEASURE_OPERATIONS : 1 }
  }
}

function lengthOf(state: unknown): number {
  return JSON.stringify(state ?? null).length
}
