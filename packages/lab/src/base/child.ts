/**
 * Child processes that end with this process in any case. This process kills each of them by its
 * pid.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

const children = new Set<ChildProcess>()

export function keep<Child extends ChildProcess>(child: Child): Child {
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/** Waits for the end of a process. Returns its exit status, or the signal that ended it. */
export async function exit(child: ChildProcess): Promise<number | NodeJS.Signals> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.signalCode ?? child.exitCode ?? -1
}

/** Sends SIGTERM, waits, and sends SIGKILL after `timeout` milliseconds. */
export async function end(child: ChildProcess, timeout: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = exit(child)
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), timeout)
  await gone
  clearTimeout(timer)
}

function killAll(): void {
  for (const child of children) child.kill('SIGKILL')
}

/** Kills all children at the exit of this process, and at a signal that ends it. */
export function takeChildrenAlong(): void {
  process.once('exit', killAll)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      killAll()
      process.exit(1)
    })
  }
}
