/** The page's connection to its member. */
import { Frame } from './frame.ts'
import type { Entry, MemberMessage, PageMessage, Work } from './messages.ts'

export interface ConnectionEvents {
  readonly onEvent: (line: string) => void
  /** `work`: undefined if the member does not compute. */
  readonly onWork: (work: Work | undefined, hasFailed?: boolean) => void
  readonly onFailed: (code: string, message: string) => void
  readonly onLeft: () => void
}

export class Connection {
  readonly #port: { postMessage(message: PageMessage): void }
  readonly #worker: Worker | undefined
  /** The programs of this page. Undefined: this page does not compute. */
  #frame: Frame | undefined

  constructor(pool: string, { onEvent, onWork, onFailed, onLeft }: ConnectionEvents) {
    const take = ({ data, ports: [port] }: MessageEvent): void => {
      const message = data as MemberMessage
      if (message.type === 'event') onEvent(message.line)
      else if (message.type === 'program') this.#frame?.program(message.id, port)
      else if (message.type === 'work') {
        if (message.work === undefined) this.#closeFrame()
        onWork(message.work, message.hasFailed)
      } else {
        this.#closeFrame()
        if (message.type === 'failed') onFailed(message.code, message.message)
        else onLeft()
      }
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

  /** Lets the member compute, in a frame of this page. */
  compute(workers: number): void {
    // A program may take the frame down. Other programs go on in a new one.
    this.#frame ??= new Frame(() => {
      this.#frame = undefined
      this.compute(workers)
    })
    this.#say({ type: 'compute', workers })
  }

  /** The programs end at once, whatever they do. */
  stop(): void {
    this.#closeFrame()
    this.#say({ type: 'stop' })
  }

  leave(): void {
    this.#closeFrame()
    this.#say({ type: 'leave' })
  }

  #closeFrame(): void {
    this.#frame?.close()
    this.#frame = undefined
  }

  #say(message: PageMessage): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
    this.#port.postMessage(message)
  }

  /** Ends a worker of this page alone. The member has left, or failed. */
  close(): void {
    this.#closeFrame()
    this.#say({ type: 'bye' })
    this.#worker?.terminate()
  }
}
