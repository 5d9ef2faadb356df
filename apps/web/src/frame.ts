/**
 * The frame of programs in the page. Its document comes from the same server, but it has an origin
 * of its own and no network.
 */

/**
 * Time in which the frame must start a worker, ms. A guess: on a slow machine it takes a tenth. A
 * program may have ended the frame's process.
 */
const START_TIME = 5_000

export class Frame {
  readonly #element = document.createElement('iframe')
  readonly #loaded = Promise.withResolvers<Window>()
  readonly #onDead: () => void
  /** The workers that the frame has not started yet. */
  readonly #starting = new Map<number, ReturnType<typeof setTimeout>>()
  readonly #take = ({ source, data }: MessageEvent): void => {
    if (source !== this.#element.contentWindow) return
    clearTimeout(this.#starting.get(data as number))
    this.#starting.delete(data as number)
  }

  /** @param onDead called once if the frame does not answer */
  constructor(onDead: () => void) {
    this.#onDead = onDead
    this.#element.setAttribute('sandbox', 'allow-scripts')
    this.#element.src = 'frame.html'
    this.#element.title = 'programs of others'
    this.#element.hidden = true
    this.#element.addEventListener('load', () => {
      const { contentWindow } = this.#element
      if (contentWindow !== null) this.#loaded.resolve(contentWindow)
    })
    addEventListener('message', this.#take)
    document.body.append(this.#element)
  }

  /** Starts a worker that takes this port, or ends it if there is no port. */
  program(id: number, port: MessagePort | undefined): void {
    void this.#loaded.promise.then((window) => {
      if (port !== undefined)
        this.#starting.set(
          id,
          setTimeout(() => this.#die(), START_TIME),
        )
      // The frame has no origin that could be named. It gets ports and numbers, and nothing else.
      window.postMessage({ id }, '*', port === undefined ? [] : [port])
    })
  }

  /** Ends all programs at once. */
  close(): void {
    for (const timer of this.#starting.values()) clearTimeout(timer)
    this.#starting.clear()
    removeEventListener('message', this.#take)
    this.#element.remove()
  }

  #die(): void {
    this.close()
    this.#onDead()
  }
}
