/** The log of a job: `begin` and `end` of its tasks, and the process that runs its `root`. */
import { existsSync, readFileSync } from 'node:fs'

export interface Execution {
  readonly task: number
  /** The process that ran it, and its ancestors, where the program writes them. */
  readonly pids: readonly number[]
  /** Unix ms; NaN where the program writes no times. */
  readonly begun: number
  /** Undefined: it runs, or its process was killed. */
  ended: number | undefined
}

export function readExecutions(file: string | undefined): Execution[] {
  const open = new Map<string, Execution>()
  const executions: Execution[] = []
  for (const [event, task, time, ...pids] of linesOf(file)) {
    const key = `${task} ${pids[0]}`
    const execution = open.get(key)
    if (event === 'begin') {
      const begun = { task: Number(task), pids: pids.map(Number), begun: Number(time), ended: undefined }
      executions.push(begun)
      open.set(key, begun)
    } else if (event === 'end' && execution !== undefined) execution.ended = Number(time)
  }
  return executions
}

/** The tasks that an execution has ended. */
export function endedTasks(executions: readonly Execution[]): ReadonlySet<number> {
  return new Set(executions.flatMap(({ task, ended }) => (ended === undefined ? [] : [task])))
}

/** The process that began the root last. */
export function rootOf(file: string | undefined): number | undefined {
  const last = linesOf(file).findLast(([event]) => event === 'root')
  return last === undefined ? undefined : Number(last[1])
}

/** Skips an incomplete last line. */
function linesOf(file: string | undefined): string[][] {
  if (file === undefined || !existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => line.split(' '))
}
