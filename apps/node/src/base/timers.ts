/** Makes a timer that keeps no process alive. In a browser no timer does. */
export function inBackground<Timer extends ReturnType<typeof setTimeout>>(timer: Timer): Timer {
  ;(timer as { unref?: () => unknown }).unref?.()
  return timer
}
