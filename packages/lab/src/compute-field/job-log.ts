/**
 * The log of a job's executions: the process that runs its root, and each task that began or ended.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface JobLog {
  /** Executions that began, of all tasks. */
  readonly begun: number
  /** Tasks that an execution has ended. */
  readonly ended: ReadonlySet<number>
}

export function readLog(file: string | undefined): JobLog {
  const ended = new Set<number>()
  let begun = 0
  for (const [what, number] of linesOf(file)) {
    if (what === 'begin') begun++
    else if (what === 'end') ended.add(Number(number))
  }
  return { begun, ended }
}

/** The process that began the root last. */
export function rootOf(file: string | undefined): number | undefined {
  const last = linesOf(file).findLast(([what]) => what === 'root')
  return last === undefined ? undefined : Number(last[1])
}

/** Skips an incomplete last line. */
function linesOf(file: string | undefined): string[][] {
  if (file === undefined || !existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' '))
}

/** Once this file exists, one task ends its thread. */
export function diesFile(folder: string): string {
  return join(folder, 'die')
}
