import type { Pool } from '@jel/jel'
import { CommandError } from '../base/usage-error.ts'
import { nodeJson, payloadJson, type NodeEvent } from '../events/events.ts'

/**
 * The queries that one session answers. Each query has a number, and waits for the `reply` with
 * that number.
 */
export class Answers {
  readonly #pool: Pool
  readonly #report: (event: NodeEvent) => void
  /** The controllers that end the answering, by name of the query. */
  readonly #names = new Map<string, AbortController>()
  readonly #open = new Map<number, (payload: Uint8Array | undefined) => void>()
  #last = 0

  constructor(pool: Pool, report: (event: NodeEvent) => void) {
    this.#pool = pool
    this.#report = report
  }

  answer(name: string): void {
    const controller = new AbortController()
    this.#pool.answer(
      name,
      async (payload, from, signal) => {
        const query = ++this.#last
        const reply = Promise.withResolvers<Uint8Array | undefined>()
        this.#open.set(query, reply.resolve)
        signal.addEventListener('abort', () => this.#open.delete(query), { once: true })
        this.#report({ event: 'query', query, name, ...payloadJson(payload), node: nodeJson(from) })
        return await reply.promise
      },
      { signal: controller.signal },
    )
    this.#names.set(name, controller)
  }

  unanswer(name: string): void {
    this.#names.get(name)?.abort()
    this.#names.delete(name)
  }

  reply(query: number, payload: string | undefined): void {
    const open = this.#open.get(query)
    if (open === undefined) throw new CommandError('INVALID_COMMAND', `reply: no query ${query} waits for an answer`)
    this.#open.delete(query)
    open(payload === undefined ? undefined : Buffer.from(payload, 'base64'))
  }

  close(): void {
    for (const controller of this.#names.values()) controller.abort()
    for (const open of this.#open.values()) open(undefined)
  }
}
