/** What a program throws may be anything: that it can be told what it was must not depend on it. */

/** Characters of a message and of a stack, as a program has them. Guesses: what helps an author. */
const MAX_MESSAGE = 2000
const MAX_STACK = 16_000

export interface Thrown {
  readonly message: string
  /** As the engine made it. */
  readonly stack: string | undefined
  /** Only one in the form of codes: capitals. */
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

/** Half of a character is none: as bytes it would be another text. */
function bounded(text: string, most: number): string {
  return text.slice(0, most).toWellFormed()
}
