/** The reason why a node stops. */
export type StopReason = 'signal' | 'input ended' | 'command' | 'time' | 'output gone' | 'output behind' | 'pool closed'

/** The first reason to stop. Callers wait for it, poll it, or pass on its `AbortSignal`. */
export class Stop {
  readonly #controller = new AbortController()
  readonly #reason = Promise.withResolvers<StopReason>()

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get reason(): Promise<StopReason> {
    return this.#reason.promise
  }

  now(reason: StopReason): void {
    this.#controller.abort()
    this.#reason.resolve(reason)
  }
}

/** The exit status of a process that a second SIGINT cuts short: 128 + 2, as shells report it. */
const INTERRUPTED = 130

let isStopped = false

/** Whether a command of this process was stopped by one of the reasons. */
export function wasStopped(): boolean {
  return isStopped
}

/** Stops gracefully on SIGINT, SIGTERM or SIGHUP, and at once on a second SIGINT. */
export function stopOnSignals(stop: Stop): void {
  let interrupted = false
  stop.signal.addEventListener('abort', () => (isStopped = true))
  process.on('SIGTERM', () => stop.now('signal'))
  process.on('SIGHUP', () => stop.now('signal'))
  process.on('SIGINT', () => {
    if (interrupted) process.exit(INTERRUPTED)
    interrupted = true
    stop.now('signal')
  })
}

/** From now on a signal ends the process at once. */
export function endOnSignals(): void {
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.removeAllListeners(signal)
}
