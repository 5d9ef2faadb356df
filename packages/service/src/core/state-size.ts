import { Refusal } from './entry.ts'

/** Maximum bytes of a state as JSON: see docs/services.md. */
export const MAX_STATE_BYTES = 64 * 1_048_576
/**
 * The size of the state is measured after this number of operations, or after this number of bytes
 * of operations. It is measured more often while it grows by more than these bytes from one
 * measurement to the next. Guesses.
 */
const [MEASURE_OPERATIONS, MEASURE_BYTES] = [256, 1_048_576]
/** Above this size each operation is tried on a copy of the state first, bytes. A guess. */
const CAREFUL_BYTES = (MAX_STATE_BYTES / 8) * 7

/** The size of a state. A measurement is expensive, so this estimates in between. */
export class StateSize {
  /** The bytes of the last measurement, and the operations and their bytes since then. */
  #measured = { bytes: 0, operations: 0, since: 0, until: 1 }

  /** Counts an applied operation of this number of bytes. */
  add(bytes: number): void {
    this.#measured.operations++
    this.#measured.since += bytes
  }

  /** Forgets the former state: another one has replaced it. */
  reset(): void {
    this.#measured = { bytes: 0, operations: MEASURE_OPERATIONS, since: 0, until: 1 }
  }

  /** Asks for a measurement: something else than operations has changed the state. */
  expire(): void {
    this.#measured.operations = MEASURE_OPERATIONS
  }

  /** Whether the state is so large that an operation must be tried on a copy first. */
  isCareful(state: unknown): boolean {
    const { bytes: before, operations, since, until } = this.#measured
    if (operations >= until || since >= MEASURE_BYTES) {
      const bytes = lengthOf(state)
      // Operations with few bytes can make a state grow fast.
      const isFast = bytes - before > MEASURE_BYTES
      const next = isFast ? Math.max(1, Math.floor((operations * MEASURE_BYTES) / (bytes - before))) : 2 * until
      this.#measured = { bytes, operations: 0, since: 0, until: Math.min(next, MEASURE_OPERATIONS) }
    }
    return this.#measured.bytes + this.#measured.since > CAREFUL_BYTES
  }

  /**
   * Checks the state that an operation made of a copy.
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
