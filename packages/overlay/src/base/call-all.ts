/**
 * Calls all listeners, as an EventTarget does. If one of them throws, the others are still called.
 * The caller may be in the middle of the effects of one input. After an error the driver would drop
 * the later effects, such as answers. So the error is thrown later.
 */
export function callAll<News>(listeners: Iterable<(news: News) => void>, news: News): void {
  for (const listener of listeners) {
    try {
      listener(news)
    } catch (error) {
      throwLater(error)
    }
  }
}

/** Throws an error of the application once this turn is over: the caller must go on. */
export function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
