import { jsonLine, type NodeEvent } from '../agent/events.ts'
import type { Log } from '../log/log.ts'
import { HANDLER_BACKLOG, HANDLER_FAILED, handles, nameOf, type Handler } from './handler.ts'
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
      if (this.#waiting.length >= (this.#options.waitingLimit ?? WAITING_LIMIT)) this.#drop()
      else this.#waiting.push({ handler, event, line: `${jsonLine(event, this.#options.pool)}\n`, key: `${index} ${about}` })
    }
    this.#next()
  }

  /** Runs nothing more, and ends the running commands: with SIGTERM, then with SIGKILL. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#waiting.length = 0
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

  async #run({ handler: { command }, event, line, key }: Waiting): Promise<void> {
    const { log, timeLimit = TIME_LIMIT } = this.#options
    const run = runCommand(command, line, this.#environmentOf(event))
    this.#running.set(key, run)
    let late = false
    const stop = setTimeout(() => {
      late = true
      run.kill('SIGTERM')
    }, timeLimit)
    const kill = setTimeout(() => run.kill('SIGKILL'), timeLimit + GRACE)
    const { output, problem } = await run.ended
    clearTimeout(stop)
    clearTimeout(kill)
    this.#running.delete(key)
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
      JEL_SELF: self,
      ...('node' in event && { JEL_NODE: event.node.id, JEL_LOCATION: event.node.location }),
      ...(name !== undefined && { JEL_NAME: name }),
    }
    return Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, value.replaceAll('\0', '')]))
  }
}

/** Keeps the end of a long text: the reason of a failure is there. */
function excerpt(text: string): string {
  return text.length > EXCERPT_LENGTH ? `…${text.slice(-EXCERPT_LENGTH)}` : text
}
