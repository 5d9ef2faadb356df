/** Wrong usage of the command line: one line on standard error, exit status 2. */
export class UsageError extends Error {
  readonly code = 'USAGE'

  override get name(): string {
    return 'UsageError'
  }
}

/**
 * A line is not a valid command, or the command was cancelled. `re` is the command's id, if the
 * line has a readable id.
 */
export class CommandError extends Error {
  readonly code: 'MALFORMED_JSON' | 'UNKNOWN_COMMAND' | 'INVALID_COMMAND' | 'LINE_TOO_LONG' | 'CANCELLED'
  readonly re: string | number | undefined

  constructor(code: CommandError['code'], message: string, re?: string | number) {
    super(message)
    this.code = code
    this.re = re
  }
}

/** The codes of wrong usage. With most of them `joinPool` refuses its arguments. */
const USAGE_CODES = new Set([
  'USAGE',
  'INVALID_POOL_NAME',
  'INVALID_ELECTION_NAME',
  'INVALID_OPTION',
  'INVALID_EVENT',
  'INVALID_ADDRESS',
  'INVALID_PEER_ID',
  'INVALID_POOL_KEY',
  'TAG_TOO_LARGE',
])

/** Returns the stable code of an error, or `INTERNAL` if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'INTERNAL'
}

/** Returns the message of an error for people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns the exit status: 2 for the caller's mistake, 1 for a failure. */
export function statusOf(error: unknown): 1 | 2 {
  return USAGE_CODES.has(codeOf(error)) ? 2 : 1
}
