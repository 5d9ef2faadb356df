/** The programs that a member with workers runs. */
export interface Acceptance {
  /** Programs that a sandbox can run, of all owners. */
  readonly sandbox: boolean
  /** All programs of all owners. */
  readonly anybody: boolean
  /** The member runs all programs of the owners whose ids have these ends. */
  readonly owners: readonly string[]
  /** Whether the member accepts more owners, which it does not name. */
  readonly more: boolean
}

/** The properties of a job on which its acceptance depends. */
export interface Accepted {
  readonly owner: string
  /** Whether the program needs more than a sandbox offers. */
  readonly trusted: boolean
}

/**
 * Whether a member may run the tasks of a job. True if the member does not state its acceptance.
 */
export function mayRun(acceptance: Acceptance | undefined, { owner, trusted }: Accepted): boolean {
  if (acceptance === undefined || acceptance.anybody || acceptance.more || acceptance.owners.some((end) => owner.endsWith(end))) return true
  return acceptance.sandbox && !trusted
}
