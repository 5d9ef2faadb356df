import type { Container, ContainerEvents } from '../../executors/container.ts'
import { batchesOf, MAX_FRAME_BYTES, type First } from '../../executors/frames.ts'
import type { Startable } from '../../executors/process-container.ts'
import { fromProgram, type FromProgram, type ToProgram } from '../../program/messages.ts'
import { pause } from '@jel/overlay'
import { fromBytes, toBytes } from '../../schemas.ts'
import { onFrameLost, type ProgramFrame } from './frame-slot.ts'
import { MAX_UNTAKEN } from './worker-window.ts'

let lastId = 0

/**
 * A program in a worker of a frame. The frame has an origin of its own and no network, and the
 * program runs in a compartment within the worker. Nobody bounds the memory of a worker.
 *
 * Both sides send batches of messages as bytes, and acknowledge each batch with its length. A port
 * has no back-pressure, so the program's side waits for acknowledgements. A program that does not
 * wait has left its compartment, and ends.
 */
export class WorkerContainer implements Container {
  readonly #events: ContainerEvents
  #frame: ProgramFrame | undefined
  #port: MessagePort | undefined
  #id = 0
  #unwatch: () => void = () => {}
  readonly #waiting: (readonly ToProgram[])[] = []
  /** Bytes that the program has not taken, and bytes from it that this side has not handled. */
  #given = 0
  #received = 0
  #room = Promise.withResolvers<void>()
  #last: Promise<void> = Promise.resolve()
  #hasEnded = false

  constructor(events: ContainerEvents) {
    this.#events = events
  }

  async start(program: Startable, frame: ProgramFrame | undefined): Promise<void> {
    try {
      const text = await program.file()
      if (frame === undefined) throw new Error('no page of this member computes')
      if (this.#hasEnded) return
      const { port1, port2 } = new MessageChannel()
      this.#frame = frame
      this.#port = port1
      this.#id = ++lastId
      this.#unwatch = onFrameLost(() => this.#fail('its page is gone'))
      port1.onmessage = ({ data }) => this.#take(data, program)
      // Not all browsers have this event. The page says goodbye, too.
      port1.addEventListener('close', () => this.#fail('its worker ended'))
      frame.open(this.#id, port2)
      const first: First = { job: program.job, program: text, limits: program.limits }
      this.#write(toBytes(first))
      for (const messages of this.#waiting.splice(0)) this.post(messages)
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error))
    }
  }

  post(messages: readonly ToProgram[]): void {
    if (this.#hasEnded) return
    if (this.#port === undefined) {
      this.#waiting.push(messages)
      return
    }
    try {
      for (const batch of batchesOf(messages)) this.#write(toBytes(batch))
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error))
    }
  }

  async taken(): Promise<void> {
    while ((this.#port === undefined || this.#given > MAX_UNTAKEN) && !this.#hasEnded) await this.#room.promise
  }

  async end(): Promise<void> {
    this.#close()
    await Promise.resolve()
  }

  #write(bytes: Uint8Array): void {
    this.#given += bytes.length
    this.#port?.postMessage(bytes)
    this.#makeRoom()
  }

  /** Lets `taken` look again. */
  #makeRoom(): void {
    this.#room.resolve()
    this.#room = Promise.withResolvers<void>()
  }

  #take(data: unknown, program: Startable): void {
    if (this.#hasEnded) return
    if (typeof data === 'number') {
      if (!Number.isInteger(data) || data <= 0 || data > this.#given) {
        this.#fail('it confirmed what it did not get')
        return
      }
      this.#given -= data
      this.#makeRoom()
      return
    }
    if (!(data instanceof Uint8Array)) {
      this.#fail('it sent something else than messages')
      return
    }
    this.#received += data.length
    if (data.length > MAX_FRAME_BYTES || this.#received > MAX_UNTAKEN + MAX_FRAME_BYTES) this.#fail('it sends without end')
    this.#last = this.#last.then(async () => await this.#handle(data, program))
  }

  async #handle(data: Uint8Array, { job, budget }: Startable): Promise<void> {
    if (this.#hasEnded) return
    try {
      const began = performance.now()
      this.#events.onMessages(fromBytes(fromProgram, data) as readonly FromProgram[])
      const now = performance.now()
      budget?.charge(job, now - began, 0, now)
      const wait = budget?.wait(job, now) ?? 0
      if (wait > 0) await pause(wait)
      this.#received -= data.length
      this.#port?.postMessage(data.length)
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error))
    }
  }

  #fail(reason: string): void {
    if (this.#hasEnded) return
    this.#close()
    this.#events.onLost(reason)
  }

  #close(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#unwatch()
    if (this.#port !== undefined) {
      this.#port.onmessage = null
      this.#port.close()
      this.#frame?.end(this.#id)
    }
    this.#makeRoom()
  }
}
