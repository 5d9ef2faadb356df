/** A node process of a swarm, with the view that it reports and the commands that it takes. */
import type { LabHost } from '../network/host.ts'
import type { Line, NodeProcess, Started } from './start-node.ts'

export interface Reign {
  readonly winner: string
  readonly incarnation: number
  readonly epoch: number
  /** Time of the node's report, Unix ms by the node's own clock. */
  readonly time: number
}

export class ProcessNode implements Started {
  /** From 0, in the order of the starts. */
  readonly index: number
  /** The host of the process; undefined: it is on loopback. */
  readonly host: LabHost | undefined
  readonly process: NodeProcess
  /** The members that the node reports: ids and addresses. */
  readonly view = new Map<string, readonly string[]>()
  readonly reigns = new Map<string, Reign>()
  running = true
  /** True if the process was killed or ended by itself. */
  isDead = false
  /** Commands without an answer, by their number. */
  readonly #asked = new Map<number, (line: Line | undefined) => void>()
  #commands = 0

  constructor(index: number, host: LabHost | undefined, process: NodeProcess) {
    this.index = index
    this.host = host
    this.process = process
  }

  get id(): string {
    return this.process.id
  }

  get called(): number {
    return this.process.spawned
  }

  get entered(): number {
    return this.process.entered
  }

  /** Records a line of the node's output. */
  note(line: Line): void {
    const { event, node, election, epoch = 0, time, re } = line
    if (typeof re === 'number' && event !== 'needs-trust') this.#asked.get(re)?.(line)
    if (node === undefined) return
    if (event === 'joined' || event === 'updated') this.view.set(node.id, node.addresses)
    else if (event === 'left' || event === 'died') this.view.delete(node.id)
    else if (event === 'elected' && election !== undefined)
      this.reigns.set(election, { winner: node.id, incarnation: node.incarnation, epoch, time })
  }

  /** Writes one command to the node's standard input. */
  command(command: Readonly<Record<string, unknown>>): void {
    this.process.child.stdin.write(`${JSON.stringify(command)}\n`)
  }

  /**
   * Returns the first answer to a command; undefined if none comes within `timeout` ms, or if the
   * node ends.
   */
  async ask(command: Readonly<Record<string, unknown>>, timeout: number): Promise<Line | undefined> {
    if (!this.running) return undefined
    const id = ++this.#commands
    const { promise, resolve } = Promise.withResolvers<Line | undefined>()
    const timer = setTimeout(() => resolve(undefined), timeout)
    this.#asked.set(id, resolve)
    this.command({ ...command, id })
    const answer = await promise
    clearTimeout(timer)
    this.#asked.delete(id)
    return answer
  }

  /** Sends a signal. Returns the time of the signal. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL' | 'SIGTERM' | 'SIGINT'): number {
    const time = Date.now()
    if (signal === 'SIGKILL') this.isDead = true
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') this.ends()
    this.process.child.kill(signal)
    return time
  }

  /** Call it when the node sends no more answers. */
  ends(): void {
    this.running = false
    for (const answer of this.#asked.values()) answer(undefined)
  }
}
