/**
 * Checks the arguments of calls. The layers below the facade don't check them again.
 */
import { InvalidProtocolError } from '@jel/overlay'
import { defaultConfig, nameProblem, recordProblem } from '@jel/protocol'
import {
  InvalidElectionNameError,
  InvalidEventError,
  InvalidOptionError,
  InvalidRecordError,
  InvalidSignalNameError,
  TagTooLargeError,
} from '../errors.ts'

const { limits } = defaultConfig

/** The prefix of records about the pool itself. */
export const OWN_RECORDS = 'jel.pool/'
/** The lifetime of these records, ms: the longest that a record may have, 31 days. */
export const OWN_RECORDS_TTL = limits.recordLifetime

/** Prefixes of protocol ids that an application may not use. */
const RESERVED = ['/jel/', '/meshsub/', '/floodsub/', '/ipfs/', '/multistream/']

/**
 * Returns why an election can't have this name, or undefined if it can. A name has 1 to 128 bytes
 * of UTF-8 without control characters.
 */
export function electionNameProblem(name: string): string | undefined {
  return problemOf(name)
}

/** Throws InvalidElectionNameError. */
export function checkElectionName(name: string): void {
  const problem = problemOf(name)
  if (problem !== undefined) throw new InvalidElectionNameError(problem)
}

/** Throws InvalidSignalNameError. */
export function checkSignalName(name: string): void {
  const problem = problemOf(name)
  if (problem !== undefined) throw new InvalidSignalNameError(problem)
}

export function isOwnRecord(name: string): boolean {
  return name.startsWith(OWN_RECORDS)
}

/** Throws InvalidRecordError. */
export function checkRecordName(name: string): void {
  const problem = problemOf(name)
  if (problem !== undefined) throw new InvalidRecordError(`the name of a record ${problem}`)
  if (isOwnRecord(name)) throw new InvalidRecordError(`the name of a record: those that begin with ${OWN_RECORDS} are the pool's own`)
}

/** Returns the bytes of a record's value. Throws InvalidRecordError. */
export function checkRecord(name: string, value: unknown, ttl: unknown): Uint8Array {
  checkRecordName(name)
  const bytes = toBytes(value)
  if (!(bytes instanceof Uint8Array)) throw new InvalidRecordError('the value of a record must be a Uint8Array or a string')
  if (typeof ttl !== 'number') throw new InvalidRecordError('ttl: must be a number of milliseconds')
  const problem = recordProblem(name, bytes, ttl, limits)
  if (problem !== undefined) throw new InvalidRecordError(problem)
  return bytes
}

/** Throws InvalidEventError. */
export function checkEventName(name: string): void {
  const problem = problemOf(name)
  if (problem !== undefined) throw new InvalidEventError(`the name ${problem}`)
}

/** Returns the bytes of a payload. Throws InvalidEventError. */
export function checkPayload(payload: unknown): Uint8Array {
  const bytes = toBytes(payload)
  if (!(bytes instanceof Uint8Array)) throw new InvalidEventError('the payload must be a Uint8Array or a string')
  const { payloadBytes } = limits
  if (bytes.length > payloadBytes) throw new InvalidEventError(`the payload has ${bytes.length} bytes; at most ${payloadBytes} are allowed`)
  return bytes
}

/**
 * Returns the bytes of a tag. Throws TagTooLargeError, or InvalidOptionError for any other type.
 */
export function checkTag(tag: unknown): Uint8Array {
  const bytes = checkBytes('tag', toBytes(tag), 'a Uint8Array or a string')
  if (bytes.length > limits.tagBytes) throw new TagTooLargeError(bytes.length, limits.tagBytes)
  return bytes
}

/** Throws InvalidOptionError. Every member keeps all locations, so their length has a bound. */
export function checkLocation(location: string): void {
  const bytes = new TextEncoder().encode(location).length
  if (bytes > limits.locationBytes)
    throw new InvalidOptionError(`the location has ${bytes} bytes; at most ${limits.locationBytes} are allowed`)
  if (!location.isWellFormed()) throw new InvalidOptionError('the location is not well-formed Unicode')
  if (/\p{Cc}/u.test(location)) throw new InvalidOptionError('the location contains a control character')
}

/** Returns the value if it is a Uint8Array. Otherwise throws InvalidOptionError. */
export function checkBytes(option: string, value: unknown, types: string): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new InvalidOptionError(`${option}: must be ${types}`)
  return value
}

/** Throws InvalidOptionError. */
export function checkHandler(handler: unknown): void {
  if (typeof handler !== 'function') throw new InvalidOptionError('handler: must be a function')
}

/** Throws InvalidProtocolError unless an application may use this protocol. */
export function checkProtocol(protocol: string): void {
  if (!/^\/[!-~]{1,255}$/u.test(protocol)) {
    throw new InvalidProtocolError(`a protocol id looks like /render/1.0.0: ${JSON.stringify(protocol.slice(0, 64))}`)
  }
  const prefix = RESERVED.find((each) => protocol.startsWith(each))
  if (prefix !== undefined) throw new InvalidProtocolError(`protocol ids that start with ${prefix} are not the application's: ${protocol}`)
}

/** Returns the problem with a count, or undefined if it is a positive safe integer. */
export function countProblem(value: unknown): string | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? undefined : 'must be a whole number above 0'
}

/** Throws InvalidOptionError unless the value is a positive safe integer. */
export function checkCount(option: string, value: unknown): void {
  const problem = countProblem(value)
  if (problem !== undefined) throw new InvalidOptionError(`${option}: ${problem}`)
}

/**
 * Returns the problem with a time in ms, or undefined if it is above 0 and at most `most`.
 */
export function spanProblem(value: unknown, most: number): string | undefined {
  return typeof value === 'number' && value > 0 && value <= most ? undefined : `must be milliseconds, above 0 and at most ${most}`
}

/** Throws InvalidOptionError unless the value is a time in ms, above 0 and at most `most`. */
export function checkSpan(option: string, value: unknown, most: number): void {
  const problem = spanProblem(value, most)
  if (problem !== undefined) throw new InvalidOptionError(`${option}: ${problem}`)
}

/** Returns text as UTF-8, and any other value as it is. */
export function toBytes<Value>(value: Value): Exclude<Value, string> | Uint8Array {
  return typeof value === 'string' ? new TextEncoder().encode(value) : (value as Exclude<Value, string>)
}

/** Checks the type as well: callers at the other end of a pipe have no types. */
function problemOf(name: unknown): string | undefined {
  return typeof name === 'string' ? nameProblem(name) : 'must be a string'
}
