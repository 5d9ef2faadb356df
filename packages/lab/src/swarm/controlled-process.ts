/** The process of a node: the commands that it takes, its answers, and its end. */
import { soon } from '../base/wait.ts'
import type { Line, NodeProcess } from './start-node.ts'

/** Events that come before the answer to a command. */
const NO_ANSWERS: ReadonlySet<string | undefined> = new Set(['needs-trust', 'waits'])

export class ControlledProcess {
  readonly process: NodeProcess
  running = true
  /** True if the process was killed or ended by itself. */
  isDead = false
  endedAt: number | undefined
  /** Commands without an answer, by their number. */
  readonly #asked = new Map<number, (line: Line | undefined) => void>()
  #commands = 0

  constructor(process: NodeProcess) {
    this.process = process
  }

  get id(): string {
    return this.process.id
  }

  /** Takes a line of the node's output. */
  note(line: Line): void {
    const { event, re } = line
    if (typeof re === 'number' && !NO_ANSWERS.has(event)) this.#asked.get(re)?.(line)
  }

  /** Writes one command to the node's standard input. */
  command(command: Readonly<Record<string, unknown>>): void {
    this.process.child.stdin.write(`${JSON.stringify(command)}\n`)
  }

  /**
   * Returns the first answer to a command; undefined if none comes within `timeout` ms, or if the
   * node ends. Cancels the command when `signal` aborts.
   */
  async ask(command: Readonly<Record<string, unknown>>, timeout?: number, signal?: AbortSignal): Promise<Line | undefined> {
    if (!this.running) return undefined
    const id = ++this.#commands
    const { promise, resolve } = Promise.withResolvers<Line | undefined>()
    this.#asked.set(id, resolve)
    this.command({ ...command, id })
    const cancel = (): void => this.command({ command: 'cancel', of: id })
    signal?.addEventListener('abort', cancel, { once: true })
    const answer = await (timeout === undefined ? promise : soon(timeout, undefined, promise))
    signal?.removeEventListener('abort', cancel)
    this.#asked.delete(id)
    return answer
  }

  /** Waits for the answer to a command. Throws if it is an error, or if the node ends before. */
  async answer(command: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Line> {
    const line = await this.ask(command, undefined, signal)
    if (line === undefined) throw new Error(`the process of ${this.id} has ended`)
    if (line.event === 'error') throw new Error(`${line.code}: ${line.message}`)
    return line
  }

  /** Sends a signal to the process. */
  send(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL' | 'SIGTERM' | 'SIGINT'): void {
    if (signal === 'SIGKILL') this.isDead = true
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') {
      this.endedAt = Date.now()
      this.ends()
    }
    this.process.child.kill(signal)
  }

  /** Call it when the node sends no more answers. */
  ends(): void {
    this.running = false
    for (const answer of this.#asked.values()) answer(undefined)
  }
}
