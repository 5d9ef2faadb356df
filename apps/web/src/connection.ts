/** The page's connection to its member. */
import type { Entry, MemberMessage, PageMessage } from './messages.ts'

export interface ConnectionEvents {
  readonly onEvent: (line: string) => void
  readonly onFailed: (code: string, message: string) => void
  readonly onLeft: () => void
}

export class Connection {
  readonly #port: { postMessage(message: PageMessage): void }
  readonly #worker: Worker | undefined

  constructor(pool: string, { onEvent, onFailed, onLeft }: ConnectionEvents) {
    const take = ({ data }: MessageEvent): void => {
      const message = data as MemberMessage
      if (message.type === 'event') onEvent(message.line)
      else if (message.type === 'failed') onFailed(message.code, message.message)
      else onLeft()
    }
    if (typeof SharedWorker === 'function') {
      const { port } = new SharedWorker('member.js', { type: 'module', name: pool })
      port.addEventListener('message', take)
      port.start()
      this.#port = port
    } else {
      const worker = new Worker('member.js', { type: 'module', name: pool })
      worker.addEventListener('message', take)
      this.#port = worker
      this.#worker = worker
    }
    addEventListener('pagehide', () => this.#say({ type: 'bye' }))
  }

  enter(entry: Entry): void {
    this.#say({ type: 'enter', ...entry })
  }

  leave(): void {
    this.#say({ type: 'leave' })
  }

  #say(message: PageMessage): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
    this.#port.postMessage(message)
  }

  /** Ends a worker of this page alone. The member has left, or failed. */
  close(): void {
    this.#worker?.terminate()
  }
}
