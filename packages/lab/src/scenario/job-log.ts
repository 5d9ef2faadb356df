/** The executions of a job's tasks, from its log. */
import { existsSync, readFileSync } from 'node:fs'

export interface Execution {
  readonly task: number
  /** The process that ran it, and its ancestors. */
  readonly pids: readonly number[]
  /** Unix ms. */
  readonly begun: number
  /** Undefined: its process was killed. */
  ended: number | undefined
}

export function readExecutions(file: string): Execution[] {
  const open = new Map<string, Execution>()
  const executions: Execution[] = []
  // The last line may be incomplete.
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
  for (const [event, task, time, ...pids] of lines.map((line) => line.split(' '))) {
    const key = `${task} ${pids[0]}`
    const execution = open.get(key)
    if (event === 'begin') {
      const begun = { task: Number(task), pids: pids.map(Number), begun: Number(time), ended: undefined }
      executions.push(begun)
      open.set(key, begun)
    } else if (execution !== undefined) execution.ended = Number(time)
  }
  return executions
}
