/** The pool of a trial in the simulator. */
import { ProtocolNode, makeConfig } from '@jel/protocol'
import { Simulation, type Machine, type Payload, type SimulatedNode, type SimulationOptions } from '@jel/simulator'
import type { Meter } from '../swarm/meter.ts'
import type { Tally } from '../swarm/tally.ts'
import type { Started } from '../swarm/start-node.ts'
import type { Swarm } from './trial.ts'

type Node = SimulatedNode<ProtocolNode<Payload>>

export interface SimulatedOptions {
  readonly seed: number
  readonly network: NonNullable<SimulationOptions<ProtocolNode<Payload>>['network']>
  /** Number of event loops that the nodes share, like hosts in one process. */
  readonly eventLoops: number
  /** Time from a kill until the kernel closes the sockets of the process, ms. */
  readonly dying: number
}

export class SimulatedSwarm implements Swarm {
  readonly #simulation: Simulation<ProtocolNode<Payload>>
  readonly #meter: Meter
  readonly #loops: readonly Machine[]
  readonly #machines: Machine[] = []
  readonly #dying: number
  readonly #living = new Map<string, Node>()
  #first: Node | undefined
  #started = 0

  constructor({ seed, network, eventLoops, dying }: SimulatedOptions, meter: Meter) {
    const config = makeConfig()
    this.#simulation = new Simulation({
      seed,
      network,
      createProtocol: (parts) => new ProtocolNode({ ...parts, config }),
    })
    this.#meter = meter
    this.#dying = dying
    this.#loops = Array.from({ length: eventLoops }, () => this.#createMachine())
  }

  async start(count: number, { killable = false }: { readonly killable?: boolean } = {}): Promise<readonly Started[]> {
    return Array.from({ length: count }, () => this.#startOne(killable))
  }

  #startOne(killable: boolean): Started {
    const called = this.#simulation.now
    const introducers = this.#first === undefined ? [] : [this.#first]
    // A killable node has its own machine, like a host in a separate process.
    const machine = killable ? this.#createMachine() : (this.#loops[this.#started++ % this.#loops.length] as Machine)
    const node = this.#simulation.spawn({ introducers, machine })
    this.#first ??= node
    this.#living.set(node.id, node)
    this.#simulation.runUntil(() => node.protocol.self !== undefined, 60_000, 'the entry of a node')
    return { id: node.id, called, entered: node.news[0]?.time ?? Number.NaN }
  }

  async pass(ms: number): Promise<void> {
    this.#simulation.run(ms)
  }

  async leave(id: string): Promise<number> {
    const { now } = this.#simulation
    this.#simulation.leave(this.#take(id))
    return now
  }

  async kill(id: string): Promise<number> {
    const { now } = this.#simulation
    const node = this.#take(id)
    this.#simulation.after(this.#dying, () => this.#simulation.kill(node))
    return now
  }

  async sightings(type: string, subject: string): Promise<number[]> {
    return [...this.#living.values()].flatMap(({ id, news }) => {
      const seen = news.findLast(
        ({ notification }) => notification.type === type && 'member' in notification && notification.member.id === subject,
      )
      return seen === undefined || id === subject ? [] : [seen.time]
    })
  }

  async tally(): Promise<Tally> {
    const { frames, frameBytes, published, links } = this.#meter
    const streamBytes = this.#simulation.nodes.reduce((sum, { traffic: { sent } }) => sum + sent.bytes - sent.headerBytes, 0)
    const processor = this.#machines.reduce((sum, { computed }) => sum + computed, 0)
    return { frames, frameBytes, published, links, streamBytes, processor }
  }

  #createMachine(): Machine {
    const machine = this.#simulation.createMachine({ speed: 1 })
    this.#machines.push(machine)
    return machine
  }

  #take(id: string): Node {
    const node = this.#living.get(id)
    if (node === undefined) throw new Error(`no node ${id}`)
    this.#living.delete(id)
    return node
  }
}
