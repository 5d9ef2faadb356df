/**
 * Who hears what happens.
 */
import type { OverlayNotification } from './api.ts'

type Listener = (notification: OverlayNotification) => void

export class Listeners {
  readonly #listeners = new Set<Listener>()

  /** Returns the function that ends it. */
  add(listener: Listener): () => void {
    const entry: Listener = (notification) => listener(notification) // the same function may subscribe twice
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  tell(notification: OverlayNotification): void {
    for (const listener of this.#listeners) {
      try {
        listener(notification)
      } catch (error) {
        // As an EventTarget does it: an error of one listener is the application's, not the pool's and not the other listeners'.
        process.nextTick(() => {
          throw error
        })
      }
    }
  }
}
