/**
 * Describes a thrown value. A program may throw anything, so this code trusts no property of the
 * value.
 */

/**
 * Maximum characters of a message and of a stack in a program. Guesses: enough to help an author.
 */
const MAX_MESSAGE = 2000
const MAX_STACK = 16_000
/** Maximum number of described causes of an error. A guess. */
const MAX_CAUSES = 4

export interface Thrown {
  readonly message: string
  /** The stack as the engine made it. */
  readonly stack: string | undefined
  /** The code of the error, if it consists of capitals and underscores. */
  readonly code: string | undefined
}

/** Never throws. */
export function describeThrown(error: unknown): Thrown {
  const isObject = (typeof error === 'object' && error !== null) || typeof error === 'function'
  const has = (name: 'message' | 'stack' | 'code'): unknown => (isObject ? attempt(() => (error as Partial<Thrown>)[name]) : undefined)
  const [message, stack, code] = [has('message'), has('stack'), has('code')]
  return {
    message: bounded(message === undefined ? textOf(error) : textOf(message), MAX_MESSAGE),
    stack: typeof stack === 'string' ? bounded(stack, MAX_STACK) : undefined,
    code: typeof code === 'string' && /^[A-Z_]{3,40}$/u.test(code) ? code : undefined,
  }
}

/** Returns the messages of the causes of an error, the nearest first. Never throws. */
export function causesOf(error: unknown): string[] {
  const causes = new Set<unknown>()
  for (let at = causeOf(error); at !== undefined && !causes.has(at) && causes.size < MAX_CAUSES; at = causeOf(at)) causes.add(at)
  return [...causes].map((cause) => describeThrown(cause).message)
}

function causeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? attempt(() => (error as Error).cause) : undefined
}

function textOf(value: unknown): string {
  const text = attempt(() => String(value))
  return typeof text === 'string' ? text : 'it threw something that has no text'
}

function attempt(get: () => unknown): unknown {
  try {
    return get()
  } catch {
    return undefined
  }
}

/**
 * Cuts a text. Replaces a surrogate that lost its pair, since it would not survive the encoding.
 */
function bounded(text: string, most: number): string {
  return text.slice(0, most).toWellFormed()
}
