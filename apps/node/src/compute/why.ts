import type { HeldTask } from '@jel/compute'
import { counted, oneLine } from '../base/text.ts'
import type { JobEvent } from '../agent/job-events.ts'
import { AS_HEARD, percent } from './job-words.ts'

/** The characters of a member's id that distinguish it from others. */
const SHORT = 8

/** The number of tasks that a replica lists (`MAX_EXPLAINED` of the scheduler). */
const MOST = 64
/** The tasks that no replica knows, so that nobody takes the tree for complete. */
const NOT_LISTED =
  'not listed: tasks at the member whose task called for them, and what others took within the last second; replicas hear of neither'

/**
 * Explains the wait for a job: a sentence, and a line for each task that a member holds, below the
 * task that waits for it.
 */
export function whyOf(event: JobEvent & { event: 'job' }, tasks: readonly HeldTask[]): string {
  const { state, reason, members, begun, finished, covered } = event
  if (reason !== '') return `${state}: ${oneLine(reason)}`
  const have = `${counted(members, 'member')} ${members === 1 ? 'has' : 'have'}`
  const work = `${percent(covered)} is done; ${have} begun ${counted(begun, 'task')} and finished ${finished}, ${AS_HEARD}`
  if (state === 'done' || state === 'failed') return `${state}: ${work}`
  if (tasks.length === 0) return `${state}: ${work}; no replica says what it waits for`
  const more = tasks.length < MOST ? [] : [`  and perhaps for more: a replica names at most ${MOST}`]
  return [`${state}: ${work}; it waits for`, ...linesOf(tasks, covered), ...more, NOT_LISTED].join('\n')
}

function linesOf(tasks: readonly HeldTask[], covered: number): string[] {
  const byPath = tasks.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const above: HeldTask[] = []
  return byPath.map((task) => {
    while (above.length > 0 && !task.path.startsWith((above.at(-1) as HeldTask).path)) above.pop()
    const indent = '  '.repeat(above.length + 1)
    if (above.at(-1)?.path !== task.path) above.push(task)
    const where = `${indent}${oneLine(task.fn)} at ${oneLine(task.holder).slice(-SHORT)}`
    if (task.unfit !== undefined) return `${where}: its program does not run there: ${oneLine(task.unfit)}`
    return `${where}, for ${seconds(task.age)}: ${doing(task, byPath, covered)}`
  })
}

function doing(task: HeldTask, tasks: readonly HeldTask[], covered: number): string {
  if (task.leaf) return 'it runs, or waits for a worker'
  const waits = tasks.some(({ path }) => path !== task.path && path.startsWith(task.path))
  // `progress` is the holder's report from when it announced the task, mostly 0. For the root,
  // which is the job, `covered` may be more recent.
  const share = task.path === '' ? Math.max(covered, task.progress) : task.progress
  const done = share === 0 ? '' : `${percent(share)} done, `
  return `${done}nothing new for ${seconds(task.still)}${waits ? '; it waits for those below, and for what runs there' : ''}`
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
