/**
 * The subscribers of an overlay.
 */
import type { OverlayNotification } from './api.ts'

type Listener = (notification: OverlayNotification) => void

export class Listeners {
  readonly #listeners = new Set<Listener>()

  /** Returns the function that ends it. */
  add(listener: Listener): () => void {
    // The same function may subscribe twice.
    const entry: Listener = (notification) => listener(notification)
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  tell(notification: OverlayNotification): void {
    for (const listener of this.#listeners) {
      try {
        listener(notification)
      } catch (error) {
        // As an EventTarget does: an error of one listener goes to the application, not to the pool
        // or the other listeners.
        process.nextTick(() => {
          throw error
        })
      }
    }
  }
}
