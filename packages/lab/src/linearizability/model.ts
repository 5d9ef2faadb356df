/** Histories of concurrent operations, and the sequential models that explain them. */

/** One operation of a client. All times are of one clock, in any unit. */
export interface Operation<Input, Output> {
  readonly input: Input
  readonly called: number
  /**
   * Absent: the client was never told, as after a crash or a time-out. Then the operation took
   * effect at any time after its call, or never.
   */
  readonly returned?: number
  /** The answer. It may be known without a return, if another client saw the effect. */
  readonly output?: Output
}

/** An object as a single client would see it. States are never changed in place. */
export interface Model<State, Input, Output> {
  readonly initial: State
  /**
   * The state after the operation. Returns undefined if the operation can't have this output in
   * this state. `output` is undefined if nobody knows it.
   */
  readonly step: (state: State, input: Input, output: Output | undefined) => State | undefined
  /** A text that is the same for equal states, and only for them. */
  readonly key: (state: State) => string
}
