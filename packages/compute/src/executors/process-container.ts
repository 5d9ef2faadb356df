import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { constants } from 'node:os'
import type { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import { pathToFileURL } from 'node:url'
import { decode } from 'it-length-prefixed'
import { fromBytes } from '../schemas.ts'
import { confinement, spawnProgram, type ProgramProcess } from './confinement.ts'
import type { Container, ContainerEvents, MessageBudget } from './container.ts'
import type { TaskLimits } from '../program/task-limits.ts'
import { batchesOf, firstFrame, framed, MAX_FRAME_BYTES } from './frames.ts'
import { fromProgram, MAX_TEXT, type FromProgram, type OutputStream, type ToProgram } from '../program/messages.ts'
import { OUTPUT_BURST, OUTPUT_RATE, OutputLimit } from './output-limit.ts'
import { programModule, type Place } from './program-module.ts'
import { pause } from '@jel/overlay'

/** Time for a shell to learn how its process ended, ms. A guess. */
const PASS_ON = 50
/**
 * If a signal ended the process, the status of its shell is this number plus the signal's number.
 */
const SIGNALLED = 128

/** A program to start. */
export interface Startable {
  readonly place: Place
  /** The id of its job. `random` depends on it. */
  readonly job: string
  /** Returns the path of the module's checked file. */
  readonly file: () => Promise<string>
  readonly limits: TaskLimits
  /** Default: none. */
  readonly budget?: MessageBudget | undefined
}

/**
 * Starts a process that runs one program. The end of the program never ends this process. A thread
 * would not do: at the limit of its heap it aborts the whole process (nodejs/node #47224, and
 * `pushes` in the tests). The end of a thread that still loads may do the same (nodejs/node
 * #39036).
 *
 * `own`: the program has all rights of this process. `sandbox`: nobody here trusts the program. A
 * compartment (SES) that contains only the language evaluates the program, in a Node without
 * permissions. The process has bounded memory and no room on disk. It has no network, if the system
 * can shut off the network. Programs of neither kind see the environment of this process.
 *
 * `onLost` reports every fault, and nothing is thrown.
 */
export function startProgram(program: Startable, events: ContainerEvents): Container {
  const container = new ProcessContainer(events)
  void container.start(program)
  return container
}

class ProcessContainer implements Container {
  readonly #events: ContainerEvents
  #process: ProgramProcess | undefined
  readonly #waiting: (readonly ToProgram[])[] = []
  readonly #started = Promise.withResolvers<void>()
  #hasEnded = false

  constructor(events: ContainerEvents) {
    this.#events = events
  }

  async start({ place, job, file, limits, budget }: Startable): Promise<void> {
    try {
      const confined = place === 'sandbox' ? confinement() : undefined
      const [module, program, how] = await Promise.all([programModule(place), file(), confined])
      const source = place === 'sandbox' ? await readFile(program, 'utf8') : pathToFileURL(program).href
      if (this.#hasEnded) return
      const started = spawnProgram(module, how, limits.memory)
      this.#process = started
      started.child.on('error', (error) => this.#lost(error.message))
      started.child.on('exit', (status, signal) => {
        started.kill()
        this.#lost(reasonOf(status, signal))
      })
      for (const stream of ['stdout', 'stderr'] as const) this.#follow(started.child, stream)
      started.channel.write(firstFrame({ job, program: source, limits }))
      for (const messages of this.#waiting.splice(0)) this.post(messages)
      this.#started.resolve()
      for await (const frame of decode(started.channel, { maxDataLength: MAX_FRAME_BYTES })) {
        const began = performance.now()
        const messages = fromBytes(fromProgram, frame.subarray()) as readonly FromProgram[]
        if (!this.#hasEnded) this.#events.onMessages(messages)
        // A microtask writes the messages to the program. Its time counts as well.
        await Promise.resolve()
        const now = performance.now()
        budget?.charge(job, (now - began) * unaskedOf(messages), 0, now)
        const wait = budget?.wait(job, now) ?? 0
        if (wait > 0) await pause(wait, { background: true })
      }
      // The shell waits for a line on descriptor 4. After this delay bubblewrap has passed on the
      // exit status of the process.
      setTimeout(() => started.livenessPipe.end('\n'), PASS_ON)
    } catch (error) {
      this.#fail(error)
    }
  }

  post(messages: readonly ToProgram[]): void {
    if (this.#process === undefined) {
      this.#waiting.push(messages)
      return
    }
    try {
      for (const batch of batchesOf(messages)) this.#process.channel.write(framed(batch))
    } catch (error) {
      this.#fail(error)
    }
  }

  async taken(): Promise<void> {
    await this.#started.promise
    const channel = this.#process?.channel
    // The wait fails if the process has ended. `onLost` reports that end.
    if (channel?.writableNeedDrain === true) await once(channel, 'drain').catch(() => {})
  }

  async end(): Promise<void> {
    this.#hasEnded = true
    const child = this.#process?.child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    this.#process?.kill()
    await once(child, 'exit')
  }

  /**
   * Reports what children of the program print. The program itself sends its output as messages. A
   * child may outlive the program. So this closes the stream soon after the program's end, and the
   * stream keeps no process alive.
   */
  #follow(child: ChildProcess, stream: OutputStream): void {
    const source = child[stream] as Socket | null
    if (source === null) return
    const decoder = new StringDecoder()
    const limit = new OutputLimit(OUTPUT_BURST, OUTPUT_RATE, performance.now())
    source.on('data', (chunk: Buffer) => {
      const text = limit.pass(decoder.write(chunk), performance.now())
      for (let at = 0; at < text.length; at += MAX_TEXT)
        this.#events.onMessages([{ type: 'output', stream, text: text.slice(at, at + MAX_TEXT) }])
    })
    source.unref()
    child.once('exit', () => setTimeout(() => source.destroy(), PASS_ON).unref())
  }

  #fail(error: unknown): void {
    this.#process?.kill()
    this.#lost(error instanceof Error ? error.message : String(error))
  }

  #lost(reason: string): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#events.onLost(reason)
  }
}

function reasonOf(status: number | null, signal: NodeJS.Signals | null): string {
  const name = signal ?? Object.entries(constants.signals).find(([, number]) => SIGNALLED + number === status)?.[0]
  // V8 aborts the process if no memory is left.
  if (name === 'SIGABRT') return 'it needed more memory than a task may take'
  return name === undefined ? `its process ended with status ${status}` : `its process was ended by ${name}`
}

/**
 * Returns the share of messages that a program may send at will, 0 to 1. The number of all other
 * messages depends on the tasks of the program, and on their children.
 */
function unaskedOf(messages: readonly FromProgram[]): number {
  if (messages.length === 0) return 1
  return messages.filter(({ type }) => ['offered', 'saved', 'use', 'store', 'output'].includes(type)).length / messages.length
}
