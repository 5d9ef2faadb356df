import { nameProblem } from '@jel/protocol'
import { InvalidElectionNameError, InvalidEventError, InvalidRecordError, InvalidSignalNameError } from './errors.ts'

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

/** The prefix of records about the pool itself. */
export const OWN_RECORDS = 'jel.pool/'

export function isOwnRecord(name: string): boolean {
  return name.startsWith(OWN_RECORDS)
}

/** Throws InvalidRecordError. */
export function checkRecordName(name: string): void {
  const problem = problemOf(name)
  if (problem !== undefined) throw new InvalidRecordError(`the name of a record ${problem}`)
  if (isOwnRecord(name)) throw new InvalidRecordError(`the name of a record: those that begin with ${OWN_RECORDS} are the pool's own`)
}

/** Throws InvalidEventError. */
export function checkEventName(name: string): void {
  const problem = problemOf(name)
  if (problem !== undefined) throw new InvalidEventError(`the name ${problem}`)
}

/** Checks the type, too, for callers without types at the other end of a pipe. */
function problemOf(name: unknown): string | undefined {
  return typeof name === 'string' ? nameProblem(name) : 'must be a string'
}
