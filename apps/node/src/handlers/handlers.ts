import type { Pool } from '@jel/jel'
import { jsonLine, nodeJson, payloadJson, type NodeEvent } from '../events/events.ts'
import { HandlerRuns, type HandlerRunsOptions } from './handler-runs.ts'
import { handles, nameOf, queriesOf, type Handler } from './handler.ts'

/** The byte of a line feed. */
const LINE_END = 10

export interface HandlersOptions extends HandlerRunsOptions {
  readonly pool: string
  /** The id of this node. */
  readonly self: string
}

/** A handler, and its runs. */
interface Running {
  readonly handler: Handler
  readonly runs: HandlerRuns
}

/** Runs the commands of all handlers on events. */
export class Handlers implements AsyncDisposable {
  readonly #handlers: readonly Running[]
  readonly #pool: string
  readonly #self: string
  #queries = 0
  #closed = false

  constructor(handlers: readonly Handler[], { pool, self, ...options }: HandlersOptions) {
    this.#handlers = handlers.map((handler) => ({ handler, runs: new HandlerRuns(handler.command, options) }))
    this.#pool = pool
    this.#self = self
  }

  /** Runs the commands for an event, now or later. */
  take(event: NodeEvent): void {
    if (this.#closed) return
    for (const { handler, runs } of this.#handlers) {
      if (!handles(handler, event)) continue
      const subject = 'node' in event ? (event.event === 'elected' ? event.election : event.node.id) : (nameOf(event) ?? '')
      runs.add({ ...this.#describe(event), subject })
    }
  }

  /**
   * Answers the queries of the handlers at this pool: the answer is the standard output of the
   * command, without the end of its last line. A command that fails gives no answer. A command ends
   * when the asker no longer waits.
   */
  answer(pool: Pick<Pool, 'answer'>): void {
    for (const { handler, runs } of this.#handlers) {
      for (const name of new Set(queriesOf(handler))) {
        pool.answer(name, async (payload, from, signal) => {
          const event = { event: 'query', query: ++this.#queries, name, ...payloadJson(payload), node: nodeJson(from) } as const
          const { promise, resolve } = Promise.withResolvers<Uint8Array | undefined>()
          runs.add({ ...this.#describe(event), subject: from.id, signal, settle: resolve })
          const stdout = await promise
          return stdout && answerOf(stdout)
        })
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    await Promise.all(this.#handlers.map(async ({ runs }) => await runs[Symbol.asyncDispose]()))
  }

  #describe(event: NodeEvent): { readonly kind: NodeEvent['event']; readonly line: string; readonly environment: Record<string, string> } {
    return { kind: event.event, line: `${jsonLine(event, this.#pool)}\n`, environment: this.#environmentOf(event) }
  }

  /** Environment variables can't contain NUL. */
  #environmentOf(event: NodeEvent): Record<string, string> {
    const name = nameOf(event)
    const variables = {
      JEL_EVENT: event.event,
      JEL_POOL: this.#pool,
      // If several nodes run here, `jel` in a handler's command asks this node.
      JEL_NODE: this.#self,
      ...('node' in event && { JEL_MEMBER: event.node.id, JEL_LOCATION: event.node.location }),
      ...(name !== undefined && { JEL_NAME: name }),
      ...('payload' in event && { JEL_PAYLOAD: Buffer.from(event.payload, 'base64').toString() }),
    }
    return Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, value.replaceAll('\0', '')]))
  }
}

/** Returns an answer: the output without the end of its last line. The pool refuses a long one. */
function answerOf(stdout: Uint8Array): Uint8Array {
  return stdout.at(-1) === LINE_END ? stdout.subarray(0, -1) : stdout
}
