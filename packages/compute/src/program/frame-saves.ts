import type { FromProgram } from './messages.ts'

/**
 * Least time between two states of a task that go to its member, ms. A guess: reports to replicas
 * leave as often.
 */
const SAVE_EVERY = 1000

type Said = Omit<Extract<FromProgram, { type: 'saved' }>, 'type' | 'path'>

/** The states that one task saves, and the request that it stops. */
export class FrameSaves {
  /** Nobody needs the run of the task any more, or the task has saved and ends here. */
  hasLeft = false
  /** Called when the run ends here without an outcome. */
  left: () => void = () => {}
  readonly #say: (said: Said) => void
  readonly #leave: () => void
  #isStopping = false
  #isForgotten = false
  /** The member knows that the task saves. */
  #isKnown = false
  /** The latest state, until it goes to the member. */
  #state: Uint8Array | undefined
  #sentAt = -Infinity
  #timer: ReturnType<typeof setTimeout> | undefined

  /**
   * @param say sends a message about the task
   * @param leave called when the task ends here without an outcome
   */
  constructor(say: (said: Said) => void, leave: () => void) {
    this.#say = say
    this.#leave = leave
  }

  /** Whether the task must stop. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /** The task looks whether it must stop. So the member waits for its last state. */
  listen(): void {
    if (!this.#isKnown) this.#say({})
    this.#isKnown = true
  }

  /**
   * Saves a state. Once the task must stop, this never resolves: another member goes on from this
   * state.
   *
   * @param idle resolves when all code that was ready to run has run
   */
  async save(state: Uint8Array, idle: () => Promise<void>): Promise<void> {
    this.#state = state
    const wait = this.#sentAt + SAVE_EVERY - performance.now()
    if (this.#isStopping || wait <= 0) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), wait)
    // A task that only computes gets no message between two saves. So this waits for messages.
    if (!this.#isStopping) await idle()
    if (!this.#isStopping) return
    this.#flush()
    this.#end()
    await new Promise<never>(() => {})
  }

  /** The task must stop. `isWaiting`: it waits for children, and saves nothing meanwhile. */
  stop(isWaiting: boolean): void {
    this.#isStopping = true
    this.#flush()
    if (isWaiting && this.#isKnown) this.#say({ last: true })
  }

  /** Nobody needs this run of the task. */
  forget(): void {
    this.#isStopping = true
    this.#isForgotten = true
    this.end()
    this.left()
  }

  /** The task has an outcome. */
  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#state = undefined
  }

  #end(): void {
    if (!this.#isForgotten) this.#say({ last: true })
    this.end()
    this.hasLeft = true
    this.left()
    this.#leave()
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#state === undefined || this.#isForgotten) return
    this.#say({ state: this.#state })
    this.#isKnown = true
    this.#state = undefined
    this.#sentAt = performance.now()
  }
}
