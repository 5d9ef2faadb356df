/**
 * A point in time or a span, ms. The caller of the machine chooses the zero point. Time never runs
 * backwards.
 */
export type Milliseconds = number

/** Wakes a machine at the time that its last {@link TimerEffect} named. */
export interface TimerInput {
  readonly type: 'timer'
}

/**
 * Asks for a {@link TimerInput} at the time `at`. Infinity asks for none. This effect replaces the
 * former one.
 */
export interface TimerEffect {
  readonly type: 'timer'
  readonly at: Milliseconds
}

/** A value of a discriminated union. */
export interface Tagged {
  readonly type: string
}

/**
 * A deterministic state machine. The same inputs at the same times give the same effects, so a test
 * or a simulator can replay any history. A random source, if there is one, must be the same, too.
 */
export interface Machine<Input extends Tagged, Effect extends Tagged> {
  /** Handles one input. The caller carries out the effects in their order before the next input. */
  handle(input: Input | TimerInput, now: Milliseconds): readonly (Effect | TimerEffect)[]
}
