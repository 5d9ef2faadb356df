/** The work of a task, for all contenders that run JavaScript. */
import { appendFileSync, unlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Work {
  /** From 0. The number is also the task's value. */
  readonly number: number
  /** Duration of the task, ms. */
  readonly ms: number
  /** The task keeps a processor busy for that time; otherwise it waits. */
  readonly busy: boolean
  /** File to which each execution appends a line when it begins and when it ends. */
  readonly log?: string | undefined
  /** When this file exists, one task ends its own worker. */
  readonly dies?: string | undefined
}

export function work({ number, ms, busy, log, dies }: Work): number | Promise<number> {
  if (!busy && ms > 0) return wait(number, ms, log, dies)
  for (const end = performance.now() + ms; performance.now() < end;);
  return number
}

async function wait(number: number, ms: number, log: string | undefined, dies: string | undefined): Promise<number> {
  if (log !== undefined) appendFileSync(log, `begin ${number}\n`)
  if (dies !== undefined && removed(dies)) process.exit()
  await sleep(ms)
  if (log !== undefined) appendFileSync(log, `end ${number}\n`)
  return number
}

/** Removes the file. Returns true for only one of several callers at once. */
function removed(file: string): boolean {
  try {
    unlinkSync(file)
    return true
  } catch {
    return false
  }
}
