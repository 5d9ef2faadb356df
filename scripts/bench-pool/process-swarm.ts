/** Separate node processes, as a user starts them: `jel join <pool> --json`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { end } from '../driver/child.ts'
import { startNode, type Line, type NodeProcess } from '../driver/node-process.ts'
import type { NodeFlags } from './host-swarm.ts'
import { Sightings } from '../driver/sightings.ts'
import { usageOfAll, type Usage } from '../driver/usage.ts'

export class ProcessSwarm {
  readonly nodes = new Map<string, NodeProcess>()
  /** Processes that ended although nobody asked them to. */
  lost = 0
  readonly #sightings = new Sightings()
  readonly #pool = `bench-${process.pid}-${Date.now()}`
  readonly #expectedDeaths = new Set<string>()
  readonly #bin: string
  readonly #flags: NodeFlags
  readonly #complaints: string[] = []

  constructor(bin: string, flags: NodeFlags) {
    this.#bin = bin
    this.#flags = flags
  }

  get ids(): string[] {
    return [...this.nodes.keys()]
  }

  /** What the processes wrote to standard error, and their `error` events. */
  get complaints(): readonly string[] {
    return this.#complaints
  }

  /** Starts `count` processes at once, all given the first one's address only. */
  start(count: number): Promise<NodeProcess[]> {
    const introducer = this.nodes.values().next().value?.address
    return Promise.all(Array.from({ length: count }, () => this.#startOne(introducer)))
  }

  /** When the last of the running processes said so: the latest `time` of these events about all `subjects`. */
  async knownByAll(type: string, subjects: readonly string[], timeout: number): Promise<number> {
    const answer = await this.#sightings.until({ observers: this.ids, type, subjects }, timeout)
    return Math.max(...answer.values())
  }

  /** All candidates of one election; answers with the winner that all running processes name. */
  async elected(election: string, epoch: number, timeout: number): Promise<{ winner: string; time: number } | undefined> {
    const candidates = this.ids
    const deadline = Date.now() + timeout
    for (;;) {
      const outcomes = candidates.filter((id) => this.nodes.has(id)).map((id) => this.#outcomes.get(`${id} ${election}`))
      const first = outcomes[0]
      if (
        first !== undefined &&
        first.epoch >= epoch &&
        outcomes.every((each) => each?.winner === first.winner && each.epoch === first.epoch)
      ) {
        return { winner: first.winner, time: Math.max(...outcomes.map((each) => each?.time ?? Infinity)) }
      }
      if (Date.now() > deadline) return undefined
      await sleep(10)
    }
  }

  /** One line to the standard input of every process. */
  command(command: Readonly<Record<string, unknown>>): void {
    for (const { child } of this.nodes.values()) child.stdin.write(`${JSON.stringify(command)}\n`)
  }

  /** SIGKILL: the time at which the kernel was asked. */
  kill(ids: readonly string[]): number {
    const time = Date.now()
    for (const id of ids) {
      this.#expectedDeaths.add(id)
      this.nodes.get(id)?.child.kill('SIGKILL')
      this.nodes.delete(id)
    }
    return time
  }

  /** SIGTERM, the graceful way out. */
  terminate(id: string): number {
    const time = Date.now()
    this.nodes.get(id)?.child.kill('SIGTERM')
    this.nodes.delete(id)
    return time
  }

  wrongs(): { deaths: number; repeats: number } {
    return { deaths: this.#sightings.unexpected('died', this.#expectedDeaths), repeats: this.#sightings.repeats }
  }

  usage(): Usage {
    return usageOfAll([...this.nodes.values()].flatMap(({ child }) => child.pid ?? []))
  }

  async stop(): Promise<void> {
    const children = [...this.nodes.values()].map(({ child }) => child)
    this.nodes.clear()
    await Promise.all(children.map((child) => end(child, 10_000)))
  }

  readonly #outcomes = new Map<string, { winner: string; epoch: number; time: number }>()

  async #startOne(introducer: string | undefined): Promise<NodeProcess> {
    const bootstrap = introducer === undefined ? [] : ['--bootstrap', introducer]
    const args = ['--listen', '/ip4/127.0.0.1/tcp/0', '--location', 'bench', ...bootstrap]
    const node = await startNode(
      { bin: this.#bin, flags: this.#flags, pool: this.#pool, args },
      {
        line: (id, line) => this.#note(id, line),
        complaint: (_, text) => this.#complaints.push(text),
        ended: (id, how) => {
          if (this.nodes.delete(id)) this.#lose(id, `ended by itself with ${how}`)
        },
      },
    )
    this.nodes.set(node.id, node)
    return node
  }

  #lose(id: string, how: string): void {
    this.#complaints.push(`${id} ${how}`)
    this.#expectedDeaths.add(id)
    this.lost++
  }

  #note(observer: string, line: Line): void {
    if (line.event === 'error') this.#complaints.push(line.message ?? 'error')
    if (line.node === undefined || line.event === 'started') return
    if (line.event === 'elected') {
      this.#outcomes.set(`${observer} ${line.election}`, { winner: line.node.id, epoch: line.epoch ?? 0, time: line.time })
    } else {
      this.#sightings.record(observer, line.event, line.node.id, line.time)
    }
  }
}
