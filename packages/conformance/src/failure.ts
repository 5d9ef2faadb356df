/** The implementation under test did not meet the suite's expectations. */
export class AcceptanceError extends Error {
  readonly code = 'ACCEPTANCE'
  override readonly name = 'AcceptanceError'
}

/** Throws {@link AcceptanceError} unless the condition holds. */
export function check(condition: boolean, what: () => string): asserts condition {
  if (!condition) throw new AcceptanceError(what())
}
