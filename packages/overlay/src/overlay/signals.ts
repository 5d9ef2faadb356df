/**
 * This node's own signals that wait for acknowledgements.
 */
import type { Command, NodeId, Notification } from '@jel/protocol'
import { raceSignal } from 'race-signal'
import { SignalError } from '../base/errors.ts'

interface Pending {
  readonly name: string
  readonly end: PromiseWithResolvers<void>
}

export class Signals {
  readonly #send: (command: Extract<Command, { type: 'signal' }>) => void
  readonly #pending = new Map<number, Pending>()
  #last = 0

  constructor(send: (command: Extract<Command, { type: 'signal' }>) => void) {
    this.#send = send
  }

  /** Throws {@link SignalError}, or the reason of `signal`. */
  async send(name: string, to: readonly NodeId[], signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    this.#last += 1
    const ref = this.#last
    const end = Promise.withResolvers<void>()
    end.promise.catch(() => {}) // after an abort the caller does not wait any more
    this.#pending.set(ref, { name, end })
    try {
      this.#send({ type: 'signal', ref, name, to })
      await raceSignal(end.promise, signal)
    } finally {
      this.#pending.delete(ref)
    }
  }

  settle({ ref, delivered, failed }: Extract<Notification, { type: 'signalled' }>): void {
    const pending = this.#pending.get(ref)
    if (failed.length === 0) pending?.end.resolve()
    else pending?.end.reject(new SignalError(pending.name, delivered, failed))
  }

  /** Fails all pending signals: no more acknowledgements will come. */
  close(error: Error): void {
    for (const { end } of this.#pending.values()) end.reject(error)
  }
}
