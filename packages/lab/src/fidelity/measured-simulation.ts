/** The simulator as a swarm that measures itself. */
import type { SwarmSpawnOptions } from '@jel/conformance'
import type { Machine } from '@jel/simulator'
import { SimulatedSwarm, type SimulatedSwarmNode, type SimulatedSwarmOptions } from '@jel/simulator/testing'
import type { MeasuredSpawnOptions, MeasuredSwarm } from '../swarm/measured-swarm.ts'
import type { Meter } from '../swarm/meter.ts'
import type { Tally } from '../swarm/tally.ts'

/** Longest time until a node has entered, ms. A guess: a node takes less than a second. */
const ENTER = 60_000

export class MeasuredSimulation extends SimulatedSwarm implements MeasuredSwarm<SimulatedSwarmNode> {
  readonly #meter: Meter
  readonly #loops: readonly Machine[]
  readonly #machines: Machine[] = []
  readonly #nodes: SimulatedSwarmNode[] = []
  #shared = 0

  /** `eventLoops`: number of event loops that the nodes share, like hosts in one process. */
  constructor(options: SimulatedSwarmOptions, eventLoops: number, meter: Meter) {
    super(options)
    this.#meter = meter
    this.#loops = Array.from({ length: eventLoops }, () => this.#createMachine())
  }

  /** A killable node has its own machine, like a host in a separate process. */
  override async spawn({
    killable = false,
    ...options
  }: SwarmSpawnOptions<SimulatedSwarmNode> & MeasuredSpawnOptions<SimulatedSwarmNode> = {}): Promise<SimulatedSwarmNode> {
    const machine = killable ? this.#createMachine() : (this.#loops[this.#shared++ % this.#loops.length] as Machine)
    const swarmNode = await super.spawn({ ...options, machine })
    this.#nodes.push(swarmNode)
    this.simulation.runUntil(() => swarmNode.node.protocol.self !== undefined, ENTER, 'the entry of a node')
    return swarmNode
  }

  async sightings(type: string, subject: string): Promise<number[]> {
    return this.#nodes.flatMap(({ id, node: { news }, endedAt }) => {
      const seen = news.findLast(
        ({ notification }) => notification.type === type && 'member' in notification && notification.member.id === subject,
      )
      return seen === undefined || id === subject || endedAt !== undefined ? [] : [seen.time]
    })
  }

  async tally(): Promise<Tally> {
    const { frames, frameBytes, published, links } = this.#meter
    const streamBytes = this.simulation.nodes.reduce((sum, { traffic: { sent } }) => sum + sent.bytes - sent.headerBytes, 0)
    const processor = this.#machines.reduce((sum, { computed }) => sum + computed, 0)
    return { frames, frameBytes, published, links, streamBytes, processor }
  }

  #createMachine(): Machine {
    const machine = this.simulation.createMachine({ speed: 1 })
    this.#machines.push(machine)
    return machine
  }
}
