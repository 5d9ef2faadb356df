/** Codes of errors for which the machine is to blame, and not the task: its disk, or its limits. */
const CODES = new Set([
  ...'EAGAIN EDQUOT EIO EMFILE ENFILE ENOMEM ENOSPC EROFS'.split(' '),
  'COMMAND_CONFINEMENT_UNKNOWN',
  'COMMAND_CONTAINER_UNSUPPORTED',
  'COMMAND_CONTAINER_FAILED',
  'BLOB_TOO_LARGE',
])

/** Maximum characters of a message. A guess. */
const MAX_MESSAGE = 1000

/**
 * Marks errors with a global symbol instead of a class. Programs and the runtime each contain this
 * module, so each would have a class of its own.
 */
const MARK = Symbol.for('jel.compute/machine-fault')

export function isFaultCode(code: unknown): boolean {
  return CODES.has(String(code))
}

/** Marks an error if this machine is to blame. Then other members try the task. */
export function markFault(error: unknown): unknown {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return error instanceof Error && isFaultCode(code) ? Object.assign(error, { [MARK]: true }) : error
}

/** Returns the code and the message of an error for which the machine is to blame. */
export function faultOf(error: unknown): { readonly code: string; readonly message: string } | undefined {
  try {
    if (!(error instanceof Error) || !(MARK in error)) return undefined
    return { code: String((error as { readonly code?: unknown }).code).slice(0, 64), message: error.message.slice(0, MAX_MESSAGE) }
  } catch {
    // A program may throw anything, even a proxy that throws.
    return undefined
  }
}
