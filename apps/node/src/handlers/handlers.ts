import type { Pool } from '@jel/jel'
import { base64, jsonLine, nodeJson, type NodeEvent } from '../agent/events.ts'
import type { Log } from '../log/log.ts'
import { HANDLER_BACKLOG, HANDLER_FAILED, handles, nameOf, queriesOf, type Handler } from './handler.ts'
import { runCommand, type Run } from './run.ts'

/**
 * The limit of simultaneous runs. A guess: so many short commands keep up with a pool, and leave
 * processor time for the node.
 */
const RUNNING_LIMIT = 4
/**
 * The limit of waiting runs. A guess: a newcomer to a pool of thousands has a run for each member.
 */
const WAITING_LIMIT = 10_000
/** The time limit of a command, in milliseconds. A guess. */
const TIME_LIMIT = 60_000
/** The time between SIGTERM and SIGKILL, in milliseconds. A guess. */
const GRACE = 2_000
/** Most characters of a command, and of its output, in an error. */
const EXCERPT_LENGTH = 400
/** Most bytes of an answer to a query. */
const MAX_ANSWER = 1024
/** The byte of a line feed. */
const LINE_END = 10

export interface HandlersOptions {
  readonly pool: string
  /** The id of this node. */
  readonly self: string
  readonly log: Log
  /** Takes errors. */
  readonly report: (event: NodeEvent) => void
  /** Limits for tests. */
  readonly waitingLimit?: number
  readonly timeLimit?: number
}

interface Waiting {
  readonly handler: Handler
  readonly event: NodeEvent
  /** The event as JSON. Its time is the time of arrival. */
  readonly line: string
  /** Runs with the same key are sequential. */
  readonly key: string
  /** Takes the standard output of the command; undefined if it failed, or did not run. */
  readonly settle?: (stdout: Uint8Array | undefined) => void
}

/**
 * Runs commands on events, a few at once. The runs of one handler for one member, election or name
 * are in order.
 */
export class Handlers implements AsyncDisposable {
  readonly #handlers: readonly Handler[]
  readonly #options: HandlersOptions
  readonly #waiting: Waiting[] = []
  readonly #running = new Map<string, Run>()
  #queries = 0
  #dropped = 0
  #closed = false

  constructor(handlers: readonly Handler[], options: HandlersOptions) {
    this.#handlers = handlers
    this.#options = options
  }

  /** Runs the commands for an event, now or later. */
  take(event: NodeEvent): void {
    if (this.#closed) return
    for (const [index, handler] of this.#handlers.entries()) {
      if (!handles(handler, event)) continue
      const about = 'node' in event ? (event.event === 'elected' ? event.election : event.node.id) : (nameOf(event) ?? '')
      this.#add({ handler, event, line: this.#line(event), key: `${index} ${about}` })
    }
  }

  /**
   * Answers the queries of the handlers at this pool: the answer is the standard output of the
   * command, without the end of its last line. A command that fails gives no answer.
   */
  answer(pool: Pick<Pool, 'answer'>): void {
    for (const [index, handler] of this.#handlers.entries()) {
      for (const name of new Set(queriesOf(handler))) {
        pool.answer(name, async (payload, from) => {
          const event = { event: 'query', query: ++this.#queries, name, payload: base64(payload), node: nodeJson(from) } as const
          const { promise, resolve } = Promise.withResolvers<Uint8Array | undefined>()
          this.#add({ handler, event, line: this.#line(event), key: `${index} ${from.id}`, settle: resolve })
          return await promise
        })
      }
    }
  }

  /** Runs nothing more, and ends the running commands: with SIGTERM, then with SIGKILL. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const { settle } of this.#waiting.splice(0)) settle?.(undefined)
    const runs = [...this.#running.values()]
    if (runs.length === 0) return
    for (const run of runs) run.kill('SIGTERM')
    const grace = Promise.withResolvers<void>()
    const timer = setTimeout(grace.resolve, GRACE)
    await Promise.race([Promise.all(runs.map(({ ended }) => ended)), grace.promise])
    clearTimeout(timer)
    for (const run of runs) run.kill('SIGKILL')
    await Promise.all(runs.map(({ ended }) => ended))
  }

  #line(event: NodeEvent): string {
    return `${jsonLine(event, this.#options.pool)}\n`
  }

  #add(waiting: Waiting): void {
    if (this.#closed || this.#waiting.length >= (this.#options.waitingLimit ?? WAITING_LIMIT)) {
      if (!this.#closed) this.#drop()
      waiting.settle?.(undefined)
      return
    }
    this.#waiting.push(waiting)
    this.#next()
  }

  #next(): void {
    while (this.#running.size < RUNNING_LIMIT) {
      const index = this.#waiting.findIndex(({ key }) => !this.#running.has(key))
      const [waiting] = index === -1 ? [] : this.#waiting.splice(index, 1)
      if (waiting === undefined) break
      void this.#run(waiting)
    }
    if (this.#waiting.length > 0 || this.#dropped === 0) return
    const dropped = this.#dropped
    this.#dropped = 0
    this.#report(HANDLER_BACKLOG, `${dropped} runs of handlers were dropped`)
  }

  async #run({ handler: { command }, event, line, key, settle }: Waiting): Promise<void> {
    const { log, timeLimit = TIME_LIMIT } = this.#options
    const run = runCommand(command, line, this.#environmentOf(event))
    this.#running.set(key, run)
    let late = false
    const stop = setTimeout(() => {
      late = true
      run.kill('SIGTERM')
    }, timeLimit)
    const kill = setTimeout(() => run.kill('SIGKILL'), timeLimit + GRACE)
    const { output, stdout, problem } = await run.ended
    clearTimeout(stop)
    clearTimeout(kill)
    this.#running.delete(key)
    settle?.(late || problem !== undefined ? undefined : answerOf(stdout))
    if (this.#closed) return
    const what = `${JSON.stringify(excerpt(command))} for ${event.event}`
    const reason = late ? `it took more than ${timeLimit / 1000} s` : problem
    if (reason === undefined) log.debug('HANDLER_DONE', what, { output })
    else this.#report(HANDLER_FAILED, `${what}: ${reason}${output === '' ? '' : `: ${excerpt(output)}`}`)
    this.#next()
  }

  /**
   * Reports the first dropped run at once. When no run waits any more, `#next` reports the number
   * of dropped runs.
   */
  #drop(): void {
    this.#dropped += 1
    if (this.#dropped === 1) this.#report(HANDLER_BACKLOG, `${this.#waiting.length} runs of handlers wait: what comes now is dropped`)
  }

  #report(code: string, message: string): void {
    this.#options.report({ event: 'error', code, message })
  }

  /** Environment variables can't contain NUL. */
  #environmentOf(event: NodeEvent): Record<string, string> {
    const { pool, self } = this.#options
    const name = nameOf(event)
    const variables = {
      JEL_EVENT: event.event,
      JEL_POOL: pool,
      // Where several nodes run here, commands of the handler ask this one.
      JEL_NODE: self,
      ...('node' in event && { JEL_MEMBER: event.node.id, JEL_LOCATION: event.node.location }),
      ...(name !== undefined && { JEL_NAME: name }),
    }
    return Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, value.replaceAll('\0', '')]))
  }
}

/** Keeps the end of a long text: the reason of a failure is there. */
function excerpt(text: string): string {
  return text.length > EXCERPT_LENGTH ? `…${text.slice(-EXCERPT_LENGTH)}` : text
}

/** Returns an answer: at most 1 KiB, without the end of its last line. */
function answerOf(stdout: Uint8Array): Uint8Array {
  const end = stdout.at(-1) === LINE_END ? stdout.length - 1 : stdout.length
  return stdout.subarray(0, Math.min(end, MAX_ANSWER))
}
