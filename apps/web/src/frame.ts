/**
 * The frame of programs in the page. Its document comes from the same server, but it has an origin
 * of its own and no network.
 */

export class Frame {
  readonly #element = document.createElement('iframe')
  readonly #loaded = Promise.withResolvers<Window>()

  constructor() {
    this.#element.setAttribute('sandbox', 'allow-scripts')
    this.#element.src = 'frame.html'
    this.#element.title = 'programs of others'
    this.#element.hidden = true
    this.#element.addEventListener('load', () => {
      const { contentWindow } = this.#element
      if (contentWindow !== null) this.#loaded.resolve(contentWindow)
    })
    document.body.append(this.#element)
  }

  /** Starts a worker that takes this port, or ends it if there is no port. */
  program(id: number, port: MessagePort | undefined): void {
    // The frame has no origin that could be named. It gets ports and numbers, and nothing else.
    void this.#loaded.promise.then((window) => window.postMessage({ id }, '*', port === undefined ? [] : [port]))
  }

  /** Ends all programs at once. */
  close(): void {
    this.#element.remove()
  }
}
