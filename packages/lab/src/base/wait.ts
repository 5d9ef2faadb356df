/** Loops that wait. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Returns false where the condition does not hold in time, ms. Looks every `every` ms. */
export async function until(condition: () => boolean | Promise<boolean>, within = Infinity, every = 20): Promise<boolean> {
  const end = performance.now() + within
  while (!(await condition())) {
    if (performance.now() > end) return false
    await sleep(every)
  }
  return true
}

/** Acts again and again until the signal, `ms` after the start and after each end of the action. */
export async function repeat(ms: number, signal: AbortSignal, act: () => Promise<void> | void): Promise<void> {
  for (;;) {
    await sleep(ms, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    await act()
  }
}
