/** Timers that Node and browsers share. */

export type Timer = ReturnType<typeof setTimeout>

/** Makes a timer that keeps no process alive. In a browser no timer does. */
export function inBackground(timer: Timer): Timer {
  ;(timer as { unref?: () => unknown }).unref?.()
  return timer
}

/** Calls the action after this time, ms, without keeping the process alive. */
export function later(action: () => void, time: number): Timer {
  return inBackground(setTimeout(action, time))
}

/** Calls the action after the events that wait now. */
export const nextTurn: (action: () => void) => void =
  typeof setImmediate === 'function' ? (action) => void setImmediate(action) : (action) => void setTimeout(action, 0)

/** Resolves after this time, ms. */
export async function pause(time: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, time))
}
