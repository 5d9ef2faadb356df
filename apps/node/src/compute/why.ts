import type { HeldTask } from '@jel/compute'
import { oneLine } from '../text.ts'
import type { JobEvent } from './job-events.ts'

/** Characters of a member's id that tell it from others. */
const SHORT = 8

/** What a job waits for: a sentence, and a line for each task that a member holds, below the one that waits for it. */
export function whyOf(
  { state, reason, members, begun, finished, covered }: JobEvent & { event: 'job' },
  tasks: readonly HeldTask[],
): string {
  if (reason !== '') return `${state}: ${oneLine(reason)}`
  const work = `${members} members have begun ${begun} tasks and finished ${finished}, ${Math.round(covered * 100)} % is done`
  if (state === 'done' || tasks.length === 0) return `${state}: ${work}`
  return [`${state}: ${work}; it waits for`, ...linesOf(tasks)].join('\n')
}

function linesOf(tasks: readonly HeldTask[]): string[] {
  const byPath = tasks.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const above: HeldTask[] = []
  return byPath.map((task) => {
    while (above.length > 0 && !task.path.startsWith((above.at(-1) as HeldTask).path)) above.pop()
    const indent = '  '.repeat(above.length + 1)
    if (above.at(-1)?.path !== task.path) above.push(task)
    return `${indent}${oneLine(task.fn)} at ${task.holder.slice(-SHORT)}, for ${seconds(task.age)}: ${doing(task, byPath)}`
  })
}

function doing(task: HeldTask, tasks: readonly HeldTask[]): string {
  if (task.leaf) return 'it runs, or waits for a worker'
  const waits = tasks.some(({ path }) => path !== task.path && path.startsWith(task.path))
  return `${Math.round(task.progress * 100)} % done, nothing new for ${seconds(task.still)}${waits ? '; it waits for those below, and for what runs there' : ''}`
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
