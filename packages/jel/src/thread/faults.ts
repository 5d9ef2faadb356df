/**
 * Errors across threads. A structured clone loses the class, the code and every other field. This
 * module keeps them.
 */
import * as overlayErrors from '@jel/overlay'
import * as ownErrors from '../errors.ts'

export interface Fault {
  readonly name: string
  readonly message: string
  readonly stack?: string | undefined
  /** Further fields that are plain data, such as `code`. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly cause?: Fault | undefined
}

type ErrorClass = abstract new (...args: never) => Error

const builtIn: readonly ErrorClass[] = [TypeError, RangeError, SyntaxError]
const classes = new Map<string, ErrorClass>(
  [...builtIn, ...Object.values(overlayErrors), ...Object.values(ownErrors)].filter(isErrorClass).map((each) => [each.name, each]),
)

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof Error
}

export function toFault(thrown: unknown): Fault {
  if (!(thrown instanceof Error)) return { name: 'Error', message: String(thrown), fields: {} }
  const fields = Object.fromEntries(Object.entries(thrown).filter(([key, value]) => key !== 'cause' && isPlain(value)))
  // On a DOMException, and on some other errors, name and code are on the prototype.
  const { code } = thrown as { code?: unknown }
  if (isPlain(code)) fields['code'] = code
  const { name, message, stack, cause } = thrown
  return { name, message, stack, fields, ...(cause !== undefined && { cause: toFault(cause) }) }
}

/**
 * Returns an error of the same class if the class is built in or belongs to jel. Otherwise returns
 * an Error with the same name.
 */
export function fromFault({ name, message, stack, fields, cause }: Fault): Error {
  if (name === 'AbortError' || name === 'TimeoutError') return new DOMException(message, name)
  const error = new Error(message, cause && { cause: fromFault(cause) })
  const known = classes.get(name)
  if (known !== undefined) Object.setPrototypeOf(error, known.prototype as object)
  if (stack !== undefined) hide(error, 'stack', stack)
  Object.assign(error, fields)
  if (error.name !== name) hide(error, 'name', name)
  return error
}

/** Makes a field non-enumerable, as `stack` and `name` of an error are by default. */
function hide(error: Error, key: string, value: string): void {
  Object.defineProperty(error, key, { value, configurable: true, writable: true, enumerable: false })
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain)
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value)
}
