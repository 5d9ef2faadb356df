import type { FeedSink } from '@jel/node/feed'
import type { MemberMessage } from './messages.ts'

/** The part of a message port that both kinds of workers have. */
export interface Port {
  postMessage(message: MemberMessage, transfer?: Transferable[]): void
}

/** A page as the feed sees it. A port has no back-pressure, and the page reads at once. */
export class PortSink implements FeedSink {
  readonly writableLength = 0
  readonly #port: Port
  #onClose: (() => void) | undefined

  constructor(port: Port) {
    this.#port = port
  }

  on(_event: 'close', listener: () => void): void {
    this.#onClose = listener
  }

  /** `text`: an event as a server sends it, `data: …` and an empty line. */
  write(text: string): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a page of this origin
    this.#port.postMessage({ type: 'event', line: text.slice('data: '.length).trimEnd() })
  }

  end(): void {
    this.#onClose?.()
    this.#onClose = undefined
  }

  destroy(): void {
    this.end()
  }
}
