/** The page's connection to its member. */
import { Frame } from './frame.ts'
import type { Entry, MemberMessage, PageMessage, Work } from './messages.ts'

/** A page gives up after this many frames in a row that did not start a worker. A guess. */
const MAX_DEATHS = 3

export interface ConnectionEvents {
  readonly onEvent: (line: string) => void
  /**
   * `work`: undefined if the member does not compute. `problem`: why it could not begin to compute.
   */
  readonly onWork: (work: Work | undefined, problem?: string) => void
  readonly onFailed: (code: string, message: string) => void
  readonly onLeft: () => void
}

export class Connection {
  readonly #port: { postMessage(message: PageMessage): void }
  readonly #worker: Worker | undefined
  /** The programs of this page. Undefined: this page does not compute. */
  #frame: Frame | undefined
  #workers = 1
  /** The number of the last `compute` or `stop`. */
  #run = 0
  /** The number of frames in a row that died before they started a worker. */
  #deaths = 0
  #isClosed = false
  readonly #onWork: ConnectionEvents['onWork']

  constructor(pool: string, { onEvent, onWork, onFailed, onLeft }: ConnectionEvents) {
    this.#onWork = onWork
    const take = ({ data, ports: [port] }: MessageEvent): void => {
      const message = data as MemberMessage
      if (this.#isClosed) return
      if (message.type === 'event') onEvent(message.line)
      else if (message.type === 'program') this.#program(message.id, port)
      else if (message.type === 'work') {
        // The page has sent a newer `compute` or `stop`, so this answer is out of date.
        if (message.run !== this.#run) return
        if (message.work === undefined) this.#closeFrame()
        onWork(message.work, message.problem)
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
    this.#workers = workers
    this.#frame ??= new Frame(() => this.#replaceFrame())
    this.#say({ type: 'compute', workers, run: ++this.#run })
  }

  /** Ends all programs at once, and stops computing. */
  stop(): void {
    this.#closeFrame()
    this.#say({ type: 'stop', run: ++this.#run })
  }

  /**
   * A program may end the process of its frame. Then this page begins again with a new frame, or
   * gives up. All programs share the frame and end with it, so all start again: to restart only one
   * of them would take a frame for each program.
   */
  #replaceFrame(): void {
    this.#deaths = this.#frame?.hasStarted === true ? 0 : this.#deaths + 1
    this.#frame = undefined
    if (this.#deaths < MAX_DEATHS) this.compute(this.#workers)
    else {
      this.#deaths = 0
      this.stop()
      this.#onWork(undefined, 'the frame of programs ended, or did not start')
    }
  }

  /** Starts or ends a worker. Without a frame no worker can start, so the page stops computing. */
  #program(id: number, port: MessagePort | undefined): void {
    if (this.#frame !== undefined) this.#frame.program(id, port)
    else if (port !== undefined) this.stop()
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

  /** Closes the connection. If only this page uses the worker, the worker ends, too. */
  close(): void {
    this.#isClosed = true
    this.#closeFrame()
    this.#say({ type: 'bye' })
    this.#worker?.terminate()
  }
}
