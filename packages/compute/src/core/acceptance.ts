/** The programs that a member with workers runs. */
export interface Acceptance {
  /** Programs that a sandbox can run, of all owners. */
  readonly sandbox: boolean
  /** Programs that a sandbox can run, of all owners, but only of jobs with votes. */
  readonly voted: boolean
  /** All programs of all owners. */
  readonly anybody: boolean
  /** The member runs all programs of the owners whose ids have these ends. */
  readonly owners: readonly string[]
  /** Whether the member accepts more owners, which it does not name. */
  readonly more: boolean
  /** Whether the member meets the requirements of a job. Default: it does. */
  readonly meets?: (requirements: string) => boolean
}

/** The properties of a job on which its acceptance depends. */
export interface Accepted {
  readonly owner: string
  /** Whether the program needs more than a sandbox offers. */
  readonly trusted: boolean
  /** How many members compute each task. Default: 1. */
  readonly votes?: number
  /** A condition over the constants of a member; undefined: none. */
  readonly requirements?: string | undefined
}

/**
 * Whether a member may run the tasks of a job. True if the member does not state its acceptance.
 */
export function mayRun(acceptance: Acceptance | undefined, { owner, trusted, votes = 1, requirements }: Accepted): boolean {
  if (requirements !== undefined && acceptance?.meets?.(requirements) === false) return false
  if (acceptance === undefined || acceptance.anybody || acceptance.more || acceptance.owners.some((end) => owner.endsWith(end))) return true
  return (acceptance.sandbox || (acceptance.voted && votes > 1)) && !trusted
}
