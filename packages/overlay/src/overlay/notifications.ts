import type { WarningCode } from '@jel/protocol'
import type { OverlayNotification } from '../api/view.ts'
import { callAll } from '../base/call-all.ts'
import { nextTurn } from '../base/timers.ts'

/** Warnings that an overlay keeps for its first subscriber. Guess: a start causes only some. */
const maxEarly = 64

type Subscriber = (notification: OverlayNotification) => void

/** The notifications of an overlay, and their subscribers. */
export class Notifications {
  readonly #subscribers = new Set<Subscriber>()
  /** Warnings from before the first subscription. */
  #early: OverlayNotification[] | undefined = []

  /** Returns a function that ends the subscription. */
  subscribe(subscriber: Subscriber): () => void {
    // A subscriber gets the early warnings only after it has learned that the node has entered.
    const early = this.#early
    this.#early = undefined
    if (early !== undefined) nextTurn(() => early.forEach((warning) => this.publish(warning)))
    // The same function may subscribe twice.
    const entry: Subscriber = (notification) => subscriber(notification)
    this.#subscribers.add(entry)
    return () => void this.#subscribers.delete(entry)
  }

  warn(code: WarningCode, message: string): void {
    const warning = { type: 'warning', code, message } as const
    if (this.#early === undefined) this.publish(warning)
    else if (this.#early.length < maxEarly) this.#early.push(warning)
  }

  publish(notification: OverlayNotification): void {
    callAll(this.#subscribers, notification)
  }
}
