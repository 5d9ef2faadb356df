/** The most former results of an operation: one for each partition in a row. A guess. */
export const MAX_FORMER = 8

/**
 * An operation that one side of a partition acknowledged. After the partition it was applied again,
 * to the state of the other side.
 */
export interface Reapplied {
  /** The name of the service. */
  readonly name: string
  readonly key: string
  readonly operation: unknown
  /**
   * The former results, one for each partition in a row. So mostly there is only one. The caller
   * has got one of them.
   */
  readonly before: readonly unknown[]
  /** The new result. Undefined: the operation failed. */
  readonly after?: unknown
  /** Why the operation failed. */
  readonly error?: string | undefined
}
