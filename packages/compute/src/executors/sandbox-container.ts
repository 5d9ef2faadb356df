import { readFile } from 'node:fs/promises'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { decode, encode } from 'it-length-prefixed'
import { fromBytes, toBytes } from '../schemas.ts'
import { spawnConfined, type ConfinedProcess } from './confinement.ts'
import type { Container, ContainerEvents, TaskLimits } from './container.ts'
import { fromProgram, MAX_FRAME_BYTES, type FromProgram, type ToProgram } from './messages.ts'
import { sandboxModule } from './sandbox-module.ts'

/** How long a shell is left to hear how its process ended, ms. A guess. */
const PASS_ON = 50
/** Of a process that aborts itself: what V8 does without memory. */
const ABORTED = 134

/**
 * A process that runs a program nobody here vouches for: in a compartment (SES) in which there is only the language, in a Node without permissions, with an empty environment, bounded
 * memory and no room on disk, and cut from the network where the system can do it.
 */
export function startSandbox(program: string, limits: TaskLimits, events: ContainerEvents): Container {
  const sandbox = new Sandbox(events)
  void sandbox.start(program, limits)
  return sandbox
}

class Sandbox implements Container {
  readonly #events: ContainerEvents
  #process: ConfinedProcess | undefined
  readonly #waiting: (readonly ToProgram[])[] = []
  #hasEnded = false

  constructor(events: ContainerEvents) {
    this.#events = events
  }

  async start(program: string, limits: TaskLimits): Promise<void> {
    try {
      const [module, source] = await Promise.all([sandboxModule(), readFile(fileURLToPath(program))])
      if (this.#hasEnded) return
      const confined = spawnConfined(module, limits.memory)
      this.#process = confined
      confined.child.on('error', (error) => this.#lost(error.message))
      confined.child.on('exit', (status, signal) => this.#lost(reasonOf(status ?? signal)))
      this.#write(source)
      for (const messages of this.#waiting.splice(0)) this.post(messages)
      for await (const frame of decode(confined.channel, { maxDataLength: MAX_FRAME_BYTES })) {
        const messages = fromBytes(fromProgram, frame.subarray()) as readonly FromProgram[]
        if (!this.#hasEnded) this.#events.onMessages(messages)
      }
      // Its shell waits for the end of this one. Bubblewrap passes on how the process ended, if it is left the time.
      setTimeout(() => confined.lifeline.destroy(), PASS_ON)
    } catch (error) {
      this.#lost(`its sandbox: ${error instanceof Error ? error.message : String(error)}`)
      this.#kill()
    }
  }

  post(messages: readonly ToProgram[]): void {
    if (this.#process === undefined) this.#waiting.push(messages)
    else this.#write(toBytes(messages))
  }

  async taken(): Promise<void> {
    const channel = this.#process?.channel
    // It fails where the process has ended, which is told otherwise.
    if (channel?.writableNeedDrain === true) await once(channel, 'drain').catch(() => {})
  }

  async end(): Promise<void> {
    this.#hasEnded = true
    const child = this.#process?.child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    this.#kill()
    await once(child, 'exit')
  }

  #write(data: Uint8Array): void {
    this.#process?.channel.write(encode.single(data).subarray())
  }

  #kill(): void {
    const pid = this.#process?.child.pid
    if (pid === undefined) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It is gone.
    }
  }

  #lost(reason: string): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#events.onLost(reason)
  }
}

function reasonOf(status: number | NodeJS.Signals | null): string {
  return status === ABORTED ? 'it needed more memory than a task may take' : `its process ended with ${status}`
}
