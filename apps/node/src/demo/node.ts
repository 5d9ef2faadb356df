import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { MemberState, NodeEvent, NodeJson, ReignJson } from '../events/events.ts'
import { oneLine } from '../base/text.ts'
import { PoolModel } from '../model/pool.ts'

/** The number of last characters of standard error that the report of a failure contains. */
const COMPLAINTS = 2000

/** A `jel join --json` process of the demo, and its events so far. */
export class DemoNode {
  readonly number: number
  readonly exited: Promise<number | NodeJS.Signals>
  /** The pool as the node sees it. */
  readonly pool = new PoolModel()
  /** The status or signal, once the process has ended. */
  end: number | NodeJS.Signals | undefined
  complaints = ''
  /** The latest event of each kind, from commands about jobs. */
  readonly jobEvents = new Map<string, unknown>()
  readonly #child: ChildProcessWithoutNullStreams

  /** `onNews` is called after each event of the node, and after its end. */
  constructor(number: number, script: string, args: readonly string[], onNews: (node: DemoNode) => void) {
    this.number = number
    this.#child = spawn(process.execPath, [script, ...args])
    const exited = Promise.withResolvers<number | NodeJS.Signals>()
    this.exited = exited.promise
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.#take(line)
      onNews(this)
    })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.complaints = (this.complaints + text).slice(-COMPLAINTS)))
    // A write to a killed process fails. Only the end of the process counts.
    this.#child.stdin.on('error', () => {})
    const ended = (end: number | NodeJS.Signals): void => {
      this.end ??= end
      exited.resolve(this.end)
      onNews(this)
    }
    this.#child.on('error', (error) => {
      this.complaints += error.message
      ended(1)
    })
    this.#child.on('close', (status, signal) => ended(signal ?? status ?? 1))
  }

  get self(): NodeJson | undefined {
    return this.pool.self
  }

  sees(id: string): boolean {
    return this.pool.members.get(id)?.state === 'here'
  }

  /** Returns whether a member left or died, if the node has heard of that. */
  goneOf(id: string): MemberState | undefined {
    return this.sees(id) ? undefined : this.pool.members.get(id)?.state
  }

  /** The reign that the node reported last. */
  get reign(): ReignJson | undefined {
    return [...this.pool.reigns.values()].at(-1)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  get running(): boolean {
    return this.end === undefined
  }

  /** The latest output on standard error. */
  get complaint(): string {
    return oneLine(this.complaints)
  }

  command(command: object): void {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`)
  }

  /**
   * Sends a signal to the process, but only while the process id certainly belongs to this child.
   */
  kill(signal: NodeJS.Signals): void {
    if (this.running) this.#child.kill(signal)
  }

  #take(line: string): void {
    let event: NodeEvent
    try {
      event = JSON.parse(line) as NodeEvent
    } catch {
      this.complaints += `not JSON on standard output: ${line}\n`
      return
    }
    this.jobEvents.set(event.event, event)
    this.pool.take(event, Date.now())
    if (event.event === 'error') this.complaints += `${event.code}: ${event.message}\n`
  }
}
