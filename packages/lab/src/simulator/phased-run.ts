/**
 * A run of a pool in phases: a flash join, rest, churn, and the crash of a rack. Measures each
 * phase separately.
 */
import { createRandom, defaultConfig, pickIndex, ProtocolNode } from '@jel/protocol'
import { Simulation, uniformDelay, type JelNode, type SimulatedNode } from '@jel/simulator'

export interface Plan {
  readonly nodes: number
  readonly seed: number
  /** Time within which all nodes start, virtual seconds. */
  readonly over: number
  /** Lengths of the phases, virtual seconds. */
  readonly settle: number
  readonly steady: number
  readonly churn: number
  /** Mean of the exponentially distributed sessions during churn, virtual seconds. */
  readonly session: number
  readonly rack: number
}

type Pool = Simulation<JelNode>
type Node = SimulatedNode<JelNode>

export class PhasedRun {
  readonly #plan: Plan
  readonly #pool: Pool
  readonly #random: () => number
  /** The cells of each phase. `simulator.ts` has their names. */
  readonly rows: string[][] = []
  #alive: Node[] = []
  #joined = 0
  #ended = 0

  constructor(plan: Plan) {
    this.#plan = plan
    this.#random = createRandom(plan.seed)
    this.#pool = createPool(plan.seed)
    this.#pool.subscribe((_node, { type }) => {
      if (type === 'joined') this.#joined += 1
      else if (type === 'left' || type === 'died') this.#ended += 1
    })
  }

  run(): void {
    const { nodes, over, settle, steady, churn, rack } = this.#plan
    this.#time('flash join', () => this.#flashJoin(nodes, over))
    if (settle > 0) this.#time('links settle', () => this.#rest(settle))
    if (steady > 0) this.#time('steady', () => this.#rest(steady))
    if (churn > 0) this.#time('churn', () => this.#churn(churn))
    if (rack > 0) this.#time('rack crash', () => this.#crash(rack))
  }

  #flashJoin(nodes: number, over: number): string {
    const first = this.#pool.spawn()
    this.#alive = [first]
    for (let i = 1; i < nodes; i++)
      this.#alive.push(this.#pool.spawn({ introducers: [first], after: Math.floor(this.#random() * over * 1_000) }))
    const all = nodes * nodes
    const took = this.#pool.runUntil(() => this.#joined >= all, 600_000, 'all know all')
    return `all know all after ${(took / 1_000).toFixed(1)} s`
  }

  #rest(seconds: number): string {
    this.#pool.run(seconds * 1_000)
    return ''
  }

  /**
   * Makes ends and arrivals of nodes, each a Poisson process whose rate follows from the mean
   * session and the pool's size. An end is a crash or a leave.
   */
  #churn(seconds: number): string {
    const { nodes, session } = this.#plan
    const end = this.#pool.now + seconds * 1_000
    let [crashes, leaves, arrivals] = [0, 0, 0]
    for (;;) {
      const pause = (-Math.log(1 - this.#random()) * session * 1_000) / (2 * nodes)
      if (this.#pool.now + pause > end) break
      this.#pool.run(pause)
      if (this.#random() < 0.5) {
        arrivals += 1
        this.#alive.push(this.#pool.spawn({ introducers: [this.#pick(), this.#pick()] }))
        continue
      }
      const node = this.#remove()
      if (this.#random() < 0.5) {
        crashes += 1
        this.#pool.kill(node)
      } else {
        leaves += 1
        this.#pool.leave(node)
      }
    }
    this.#pool.run(end - this.#pool.now)
    return `${crashes} crashes, ${leaves} leaves, ${arrivals} arrivals`
  }

  #crash(count: number): string {
    // Waits first, because nodes still report recent crashes. These must not count as crashes of
    // the rack.
    this.#pool.run(30_000)
    this.#ended = 0
    const size = this.#alive.length
    for (let i = 0; i < count; i++) this.#pool.kill(this.#remove())
    const all = (size - count) * count
    const took = this.#pool.runUntil(() => this.#ended >= all, 300_000, 'all survivors know')
    this.#pool.run(60_000)
    return `all survivors know after ${(took / 1_000).toFixed(1)} s; 30 s before and 60 s after it included`
  }

  #pick(): Node {
    return this.#alive[pickIndex(this.#random, this.#alive.length)] as Node
  }

  #remove(): Node {
    const [node] = this.#alive.splice(pickIndex(this.#random, this.#alive.length), 1)
    return node as Node
  }

  #time(phase: string, action: () => string): void {
    const before = { time: this.#pool.now, events: this.#pool.events, bytes: this.#bytes(), at: performance.now(), cpu: process.cpuUsage() }
    const note = action()
    const virtualSeconds = (this.#pool.now - before.time) / 1_000
    const realSeconds = (performance.now() - before.at) / 1_000
    const { user, system } = process.cpuUsage(before.cpu)
    const events = this.#pool.events - before.events
    this.rows.push([
      phase,
      virtualSeconds.toFixed(1),
      realSeconds.toFixed(1),
      ((user + system) / 1e6).toFixed(1),
      (virtualSeconds / realSeconds).toPrecision(3),
      ((this.#plan.nodes * virtualSeconds) / realSeconds).toFixed(0),
      String(events),
      (events / realSeconds).toFixed(0),
      ((this.#bytes() - before.bytes) / this.#plan.nodes / 1_024).toFixed(1),
      (process.resourceUsage().maxRSS / 1_024).toFixed(0),
      note,
    ])
  }

  #bytes(): number {
    return this.#pool.nodes.reduce((sum, { traffic }) => sum + traffic.bytesReceived, 0)
  }
}

function createPool(seed: number): Pool {
  return new Simulation({
    seed,
    keepNews: false,
    network: { delay: uniformDelay(1, 20) },
    createProtocol: (parts) => new ProtocolNode({ ...parts, config: defaultConfig }),
  })
}
