/**
 * Reads the log of a job: a line for each `begin` and `end` of a task, and for each process that
 * begins the `root`.
 */
import { existsSync, readFileSync } from 'node:fs'

export interface Execution {
  readonly task: number
  /** The process that ran the task, and its ancestors. Empty if the program writes no processes. */
  readonly pids: readonly number[]
  /** Unix ms; NaN if the program writes no times. */
  readonly begun: number
  /** Unix ms. Undefined: the execution still runs, or its process was killed. */
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

/** Returns the tasks with an ended execution. */
export function endedTasks(executions: readonly Execution[]): ReadonlySet<number> {
  return new Set(executions.flatMap(({ task, ended }) => (ended === undefined ? [] : [task])))
}

/** Returns the process that began the root most recently. */
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
