/** The work of a task of the course, in all contenders that run JavaScript. */
import { appendFileSync, unlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Work {
  /** From 0; it is the task's value. */
  readonly number: number
  /** Duration of the task, ms. */
  readonly ms: number
  /** The task keeps a processor for that time; otherwise it waits. */
  readonly busy: boolean
  /** File to which each execution adds a line when it begins and when it ends. */
  readonly log?: string | undefined
  /** Once this file exists, one task ends its thread. */
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

/** Returns true for one of several callers. */
function removed(file: string): boolean {
  try {
    unlinkSync(file)
    return true
  } catch {
    return false
  }
}
