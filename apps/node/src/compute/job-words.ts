import { counted, oneLine } from '../base/text.ts'
import type { JobEvent } from '../agent/job-events.ts'

/** Below this share the progress is a poor estimate of the time left. A guess. */
const TELLING = 0.02

/**
 * A note on totals: a replica adds up the reports that it received, and work of the last second
 * before the end is not reported.
 */
export const AS_HEARD = 'as this member heard'

/** Describes a job's state for a person, one line for each fact. `now`: ms since 1970. */
export function jobWords(event: JobEvent & { event: 'job' }, now: number): string[] {
  const { job, name, owner, submitted, expires, replicas, state, reason, covered, members, begun, finished } = event
  const age = Math.max(0, now - submitted)
  const lines: [string, string][] = [
    ['job', job],
    ['name', oneLine(name)],
    ['owner', owner],
    ['state', reason === '' ? state : `${state}: ${oneLine(reason)}`],
    ['submitted', `${span(age)} ago`],
    ['kept', `for ${span(expires - now)}`],
    ['done', percent(covered)],
    ['members', `${counted(members, 'member')} took part, ${AS_HEARD}`],
    ['tasks', `${begun} begun, ${finished} finished, ${AS_HEARD}`],
  ]
  if (state === 'active' && age > 0) {
    // A command that asks once has no earlier progress for comparison.
    lines.push(['rate', `${((finished * 1000) / age).toFixed(1)} tasks/s since it was submitted`])
    if (covered > TELLING && covered < 1) lines.push(['left', `some ${span((age / covered) * (1 - covered))}, at that pace`])
  }
  lines.push(['replicas', replicas.join(' ')])
  return lines.map(([what, words]) => `${what.padEnd(10)} ${words}`.trimEnd())
}

/** Formats as `42 %`. Only complete work is 100 %. */
export function percent(share: number): string {
  return `${share < 1 ? Math.min(99, Math.round(share * 100)) : 100} %`
}

/** Formats as `12 s`, `3 min 5 s`, `2 h 10 min` or `6 d 23 h`: two units at most. */
export function span(ms: number): string {
  const total = Math.max(0, Math.round(ms / 1000))
  if (total < 60) return `${total} s`
  const [large, unit, small, rest] =
    total < 3600 ? ([60, 'min', 1, 's'] as const) : total < 86_400 ? ([3600, 'h', 60, 'min'] as const) : ([86_400, 'd', 3600, 'h'] as const)
  const further = Math.floor((total % large) / small)
  return `${Math.floor(total / large)} ${unit}${further === 0 ? '' : ` ${further} ${rest}`}`
}
