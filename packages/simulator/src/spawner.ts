import { createRandom, Registry, type Codec, type Milliseconds } from '@jel/protocol'
import type { VirtualClock } from '@jel/machine'
import { deriveSeed } from './engine/digest.ts'
import { Machine } from './network/machine.ts'
import type { Payload } from './network/payload.ts'
import { siteNumber } from './network/site.ts'
import { cheapScheme, type Identity, type Scheme } from './protocol/identity.ts'
import { SimulatedNode } from './protocol/node.ts'
import type { NodeWorld } from './protocol/node-world.ts'
import type { Protocol } from './protocol/protocol.ts'
import { InMemoryCodec } from './protocol/in-memory-codec.ts'
import type { MachineOptions, SimulationOptions, SpawnOptions } from './simulation-options.ts'

/** The calendar time of all nodes at the start: 2026-01-01, in ms since 1970. */
const calendarStart = 1_767_225_600_000

/** Makes the nodes of a simulation, their machines and their keys. */
export class Spawner<P extends Protocol> {
  readonly #options: SimulationOptions<P>
  readonly #clock: VirtualClock
  readonly #scheme: Scheme
  readonly #codec: Codec<Payload>
  readonly #registry = new Registry()
  readonly #identities: () => number
  #machines = 0

  constructor(options: SimulationOptions<P>, clock: VirtualClock) {
    this.#options = options
    this.#clock = clock
    this.#scheme = options.scheme ?? cheapScheme
    this.#codec = options.codec ?? new InMemoryCodec()
    this.#identities = stream(options.seed, 'identities')
  }

  /** The calendar time of all nodes, ms since 1970. */
  get today(): Milliseconds {
    return calendarStart + this.#clock.now
  }

  identity(): Identity {
    return this.#scheme.identity(Math.floor(this.#identities() * 2 ** 32))
  }

  machine({ site, bandwidth, speed, processors }: MachineOptions): Machine {
    const at = site === undefined ? 0 : siteNumber(this.#options.network?.topology, site)
    return new Machine({ number: this.#machines++, site: at, bandwidth, speed, processors })
  }

  node(world: NodeWorld, index: number, options: SpawnOptions): SimulatedNode<P> {
    const identity = options.identity ?? this.identity()
    const random = stream(this.#options.seed, `node ${index}`)
    const storedIncarnation = options.storedIncarnation ?? 0
    const createProtocol = (options.createProtocol ?? this.#options.createProtocol) as SimulationOptions<P>['createProtocol']
    const protocol = createProtocol({
      id: identity.id,
      pool: this.#options.pool ?? 'simulated',
      location: options.location ?? `node${index}@simulated`,
      tag: options.tag ?? new Uint8Array(),
      storedIncarnation,
      services: {
        random,
        sign: (message) => identity.sign(message),
        verify: (...parts) => this.#scheme.verify(...parts),
        today: () => this.today,
        codec: this.#codec,
        registry: this.#registry,
      },
    })
    const former = options.machineOf?.endpoint
    const machine = former?.machine ?? options.machine ?? this.machine({ site: options.site })
    const process = former?.process ?? machine.nextProcess()
    const clockOffset = Math.floor(random() * 1_000_000)
    const dialable = options.dialable ?? this.#options.network?.topology?.sites[machine.site]?.dialable ?? true
    const startedAt = this.#clock.now + (options.after ?? 0)
    const honest = options.createProtocol === undefined
    const { id } = identity
    const { bandwidth } = options
    const fields = { index, id, machine, process, dialable, bandwidth, storedIncarnation, startedAt, honest, clockOffset }
    return new SimulatedNode<P>(world, fields, protocol)
  }
}

/** Returns the random numbers for one concern of a simulation. */
export function stream(seed: number, concern: string): () => number {
  return createRandom(deriveSeed(seed, concern))
}
