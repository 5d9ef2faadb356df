/**
 * The frame of programs in the page. Its document comes from the same server, but it has an origin
 * of its own and no network.
 */

/**
 * The frame must become ready, and must start a worker, within these times, ms. Otherwise a program
 * may have ended the frame's process, or the server is gone. Guesses: a slow machine needs a tenth.
 */
const [READY_TIME, START_TIME] = [5_000, 5_000]

export class Frame {
  /** Whether a worker has started. */
  hasStarted = false
  readonly #element = document.createElement('iframe')
  readonly #ready = Promise.withResolvers<void>()
  readonly #onDead: () => void
  readonly #readyTimer: ReturnType<typeof setTimeout>
  /** The workers that the frame has not started yet. */
  readonly #starting = new Map<number, ReturnType<typeof setTimeout>>()
  readonly #take = ({ source, data }: MessageEvent): void => {
    if (source !== this.#element.contentWindow) return
    if (data === 'ready') {
      clearTimeout(this.#readyTimer)
      this.#ready.resolve()
    } else if (this.#starting.has(data as number)) {
      this.hasStarted = true
      clearTimeout(this.#starting.get(data as number))
      this.#starting.delete(data as number)
    }
  }

  /** @param onDead called once if the frame does not answer */
  constructor(onDead: () => void) {
    this.#onDead = onDead
    this.#element.setAttribute('sandbox', 'allow-scripts')
    this.#element.src = 'frame.html'
    this.#element.title = 'programs of others'
    this.#element.hidden = true
    this.#readyTimer = setTimeout(() => this.#die(), READY_TIME)
    addEventListener('message', this.#take)
    document.body.append(this.#element)
  }

  /** Starts the worker of this number with this port. Without a port, ends the worker. */
  program(id: number, port: MessagePort | undefined): void {
    void this.#ready.promise.then(() => {
      if (port !== undefined)
        this.#starting.set(
          id,
          setTimeout(() => this.#die(), START_TIME),
        )
      // The frame has no origin that a target could name. The message contains only a number and a
      // port.
      this.#element.contentWindow?.postMessage({ id }, '*', port === undefined ? [] : [port])
    })
  }

  /** Ends all programs at once. */
  close(): void {
    for (const timer of [this.#readyTimer, ...this.#starting.values()]) clearTimeout(timer)
    this.#starting.clear()
    removeEventListener('message', this.#take)
    this.#element.remove()
  }

  #die(): void {
    this.close()
    this.#onDead()
  }
}
