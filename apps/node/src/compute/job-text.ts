import type { EndedShift, HeldTask, Shift } from '@jel/compute'
import type { JobEvent } from '../events/job-messages.ts'
import { oneLine } from '../base/text.ts'
import { counted, durationText, shareText, shortId, timeText } from '../events/quantity.ts'

/** The present state of a job. */
type JobState = JobEvent & { readonly event: 'job' }

/** Below this share the progress is a poor estimate of the time left. A guess. */
const LEAST_SHARE = 0.02

/**
 * A note on totals. A replica adds up the reports that it received. Work of the last second before
 * the end is not reported.
 */
const AS_HEARD = 'as this member heard'

/** The number of tasks that a replica lists (`MAX_EXPLAINED` of the scheduler). */
const MOST = 64
/** A note on tasks that no replica knows, so that nobody takes the tree for complete. */
const NOT_LISTED =
  'not listed: tasks at the member whose task called for them, and what others took within the last second; replicas hear of neither'

/**
 * Matches a generated name: the submitter gave none. The id is shorter, and finds the job as well.
 */
const GENERATED = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u

/** Describes a job's state for a person, one line for each fact. `now`: ms since 1970. */
export function jobText(event: JobState, now: number): string[] {
  const { job, name, owner, submitted, expires, replicas, state, reason, covered, members, begun, finished } = event
  const age = Math.max(0, now - submitted)
  const lines: [string, string][] = [
    ['job', job],
    ['name', oneLine(name)],
    ['owner', owner],
    ['state', reason === '' ? state : `${state}: ${oneLine(reason)}`],
    ['submitted', `${durationText(age)} ago`],
    ['kept', `for ${durationText(expires - now)}`],
    ['done', shareText(covered)],
    ['members', `${counted(members, 'member')} took part, ${AS_HEARD}`],
    ['tasks', `${begun} begun, ${finished} finished, ${AS_HEARD}`],
  ]
  if (state === 'active' && age > 0) {
    // A command that asks once has no earlier progress for comparison.
    lines.push(['rate', `${((finished * 1000) / age).toFixed(1)} tasks/s since it was submitted`])
    if (covered > LEAST_SHARE && covered < 1) lines.push(['left', `some ${durationText((age / covered) * (1 - covered))}, at that pace`])
  }
  lines.push(['replicas', replicas.join(' ')])
  return lines.map(([what, words]) => `${what.padEnd(10)} ${words}`.trimEnd())
}

/**
 * Explains a job's state: a sentence, then a line for each task that a member holds. The line is
 * below the task that waits for it.
 */
export function explanationOf(event: JobState, tasks: readonly HeldTask[], running: JobState['running'] = []): string {
  const { state, reason, members, begun, finished, covered } = event
  if (reason !== '' && state !== 'active') {
    const refusals = tasks.filter(({ unfit }) => unfit !== undefined)
    return [`${state}: ${oneLine(reason)}`, ...taskLines(refusals, covered)].join('\n')
  }
  const why = reason === '' ? '' : `${oneLine(reason)}; `
  const have = `${counted(members, 'member')} ${members === 1 ? 'has' : 'have'}`
  const work = `${shareText(covered)} is done; ${have} begun ${counted(begun, 'task')} and finished ${finished}, ${AS_HEARD}`
  if (state === 'done' || state === 'failed') return `${state}: ${work}`
  if (tasks.length === 0) return `${state}: ${why}${work}; no replica says what it waits for`
  const more = tasks.length < MOST ? [] : [`  and perhaps for more: a replica names at most ${MOST}`]
  const long = running.map((task) => `  ${runningText(task)}`)
  const oldest = long.length === 0 ? [] : ['tasks that run for long:', ...long]
  return [`${state}: ${why}${work}; it waits for`, ...taskLines(tasks, covered), ...more, NOT_LISTED, ...oldest].join('\n')
}

/** Says where a task runs, and for how long. */
export function runningText({ fn, input, member, age }: NonNullable<JobState['running']>[number]): string {
  return `${oneLine(`${fn}(${input})`)} has run at ${shortId(oneLine(member))} for ${timeText(age)}`
}

function taskLines(tasks: readonly HeldTask[], covered: number): string[] {
  const byPath = tasks.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const above: HeldTask[] = []
  return byPath.map((task) => {
    while (above.length > 0 && !task.path.startsWith((above.at(-1) as HeldTask).path)) above.pop()
    const indent = '  '.repeat(above.length + 1)
    if (above.at(-1)?.path !== task.path) above.push(task)
    const where = `${indent}${oneLine(task.fn)} at ${shortId(oneLine(task.holder))}`
    if (task.unfit !== undefined) return `${where}: it does not run there: ${oneLine(task.unfit)}`
    return `${where}, for ${timeText(task.age)}: ${doing(task, byPath, covered)}`
  })
}

function doing(task: HeldTask, tasks: readonly HeldTask[], covered: number): string {
  if (task.leaf) return 'it runs, or waits for a worker'
  const waits = tasks.some(({ path }) => path !== task.path && path.startsWith(task.path))
  // The holder reported `progress` when it announced the task, so it is mostly 0. The root is the
  // whole job: there `covered` may be more recent.
  const share = task.path === '' ? Math.max(covered, task.progress) : task.progress
  const done = share === 0 ? '' : `${shareText(share)} done, `
  return `${done}nothing new for ${timeText(task.still)}${waits ? '; it waits for those below, and for what runs there' : ''}`
}

/** Announces that a member begins to run tasks of a job. */
export function workingText(shift: Shift): string {
  return `works for ${nameOf(shift)}`
}

/** Summarises a member's work after the job's end. */
export function workedText(shift: EndedShift): string {
  return `${nameOf(shift)} is ${shift.state === 'failed' ? 'over: it failed' : shift.state}; ${counted(shift.tasks, 'task')} ran here in ${durationText(shift.time)}`
}

function nameOf({ job, name, owner }: Shift): string {
  return `job ${GENERATED.test(name) ? job : oneLine(name)} of ${shortId(owner)}`
}
