import type { EndedShift, Shift } from '@jel/compute'
import { counted, oneLine, shortId } from '../base/text.ts'
import { span } from './job-words.ts'

/**
 * A generated name, where the submitter gives none. The id is shorter, and finds the job as well.
 */
const MADE_UP = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u

/** Announces that a member begins to run tasks of a job. */
export function workingWords(shift: Shift): string {
  return `works for ${nameOf(shift)}`
}

/** Summarises a member's work after the job's end. */
export function workedWords(shift: EndedShift): string {
  return `${nameOf(shift)} is ${shift.state === 'failed' ? 'over: it failed' : shift.state}; ${counted(shift.tasks, 'task')} ran here in ${span(shift.time)}`
}

function nameOf({ job, name, owner }: Shift): string {
  return `job ${MADE_UP.test(name) ? job : oneLine(name)} of ${shortId(owner)}`
}
