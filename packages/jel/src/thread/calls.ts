import type { MessagePort } from 'node:worker_threads'
import { fromFault } from './faults.ts'
import type { Method, Report, Request } from './messages.ts'

/** Calls of methods in the other thread. */
export class Calls {
  readonly #post: (request: Request) => void
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>()
  #last = 0
  #end: Error | undefined

  constructor(post: (request: Request) => void) {
    this.#post = post
  }

  async call(method: Method, args: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted()
    if (this.#end !== undefined) throw this.#end
    this.#last += 1
    const id = this.#last
    const call = Promise.withResolvers<unknown>()
    const abort = (): void => {
      this.#post({ type: 'abort', id })
      call.reject(signal?.reason)
    }
    this.#pending.set(id, call)
    signal?.addEventListener('abort', abort)
    try {
      this.#post({ type: 'call', id, method, args, abortable: signal !== undefined })
      return await call.promise
    } finally {
      signal?.removeEventListener('abort', abort)
      this.#pending.delete(id)
    }
  }

  settle(report: Extract<Report, { type: 'returned' | 'threw' }>): void {
    const call = this.#pending.get(report.id)
    if (report.type === 'threw') call?.reject(fromFault(report.fault))
    else call?.resolve(report.value)
    // Nobody waits for this stream any more.
    if (call === undefined && report.type === 'returned' && isPort(report.value)) report.value.close()
  }

  /** Fails all calls with this error. */
  close(error: Error): void {
    this.#end ??= error
    for (const call of this.#pending.values()) call.reject(error)
  }
}

function isPort(value: unknown): value is MessagePort {
  return typeof value === 'object' && value !== null && 'postMessage' in value
}
