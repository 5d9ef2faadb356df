import type { NodeEvent } from '../events/events.ts'
import { HANDLER_BACKLOG, HANDLER_FAILED } from '../events/handler-errors.ts'
import type { Log } from '../log/log.ts'
import { runCommand, type Run } from './run.ts'

/**
 * The limit of simultaneous runs of one handler. A guess: this number of short commands keeps up
 * with a pool, and leaves processor time for the node.
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
/** Maximum number of characters of a command, and of its output, in an error. */
const EXCERPT_LENGTH = 400

export interface HandlerRunsOptions {
  readonly log: Log
  /** Takes errors. */
  readonly report: (event: NodeEvent) => void
  /** Limits for tests. */
  readonly waitingLimit?: number
  readonly timeLimit?: number
}

/** One run of a command, now or later. */
export interface Waiting {
  readonly kind: NodeEvent['event']
  /** The event as JSON. Its time is the time of arrival. */
  readonly line: string
  readonly environment: Readonly<Record<string, string>>
  /** Runs with the same subject are sequential. */
  readonly subject: string
  /** Aborts when nobody needs the run any more. */
  readonly signal?: AbortSignal
  /** Takes the standard output of the command; undefined if it failed, or did not run. */
  readonly settle?: (stdout: Uint8Array | undefined) => void
}

/**
 * The runs of one handler, a few at once, and in order for one subject. Each handler has runs of
 * its own: a command that hangs keeps no other handler waiting.
 */
export class HandlerRuns implements AsyncDisposable {
  readonly #command: string
  readonly #options: HandlerRunsOptions
  readonly #waiting: Waiting[] = []
  readonly #running = new Map<string, Run>()
  #dropped = 0
  #closed = false

  constructor(command: string, options: HandlerRunsOptions) {
    this.#command = command
    this.#options = options
  }

  add(waiting: Waiting): void {
    const isFull = this.#waiting.length >= (this.#options.waitingLimit ?? WAITING_LIMIT)
    if (this.#closed || isFull) {
      if (isFull) this.#drop()
      waiting.settle?.(undefined)
      return
    }
    this.#waiting.push(waiting)
    this.#next()
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

  #next(): void {
    while (this.#running.size < RUNNING_LIMIT) {
      const index = this.#waiting.findIndex(({ subject }) => !this.#running.has(subject))
      const [waiting] = index === -1 ? [] : this.#waiting.splice(index, 1)
      if (waiting === undefined) break
      if (waiting.signal?.aborted === true) waiting.settle?.(undefined)
      else void this.#run(waiting)
    }
    if (this.#waiting.length > 0 || this.#dropped === 0) return
    const dropped = this.#dropped
    this.#dropped = 0
    this.#report(HANDLER_BACKLOG, `${dropped} runs of handlers were dropped`)
  }

  async #run({ kind, line, environment, subject, signal, settle }: Waiting): Promise<void> {
    const { log, timeLimit = TIME_LIMIT } = this.#options
    const run = runCommand(this.#command, line, environment)
    this.#running.set(subject, run)
    let late: string | undefined
    let kill: NodeJS.Timeout | undefined
    const end = (reason: string): void => {
      if (late !== undefined) return
      late = reason
      run.kill('SIGTERM')
      kill = setTimeout(() => run.kill('SIGKILL'), GRACE)
    }
    const stop = setTimeout(() => end(`it took more than ${timeLimit / 1000} s`), timeLimit)
    const giveUp = (): void => end('nobody waits for its answer any more')
    signal?.addEventListener('abort', giveUp)
    const { output, stdout, problem } = await run.ended
    clearTimeout(stop)
    clearTimeout(kill)
    signal?.removeEventListener('abort', giveUp)
    this.#running.delete(subject)
    const reason = late ?? problem
    settle?.(reason === undefined ? stdout : undefined)
    if (this.#closed) return
    const what = `${JSON.stringify(excerpt(this.#command))} for ${kind}`
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
}

/** Keeps the end of a long text: the reason of a failure is there. */
function excerpt(text: string): string {
  return text.length > EXCERPT_LENGTH ? `…${text.slice(-EXCERPT_LENGTH)}` : text
}
