import type { Place } from '../scenario/placement.ts'
import type { ScenarioNetwork } from '../scenario/network.ts'
import type { Protocol } from '../protocol/protocol.ts'
import { uniformDelay } from '../network/delay.ts'
import type { NetworkOptions } from '../network/network.ts'
import type { Simulation, SpawnOptions } from '../simulation.ts'

/** The machines of a scenario: made when their first node comes. */
export class Machinery {
  readonly #simulation: Simulation<Protocol>
  readonly #network: ScenarioNetwork

  constructor(simulation: Simulation<Protocol>, network: ScenarioNetwork) {
    this.#simulation = simulation
    this.#network = network
  }

  /** What a node of this place is to be spawned with. */
  of(_place: Place): SpawnOptions {
    return {}
  }
}

/** The network of a scenario as the simulation takes it. */
export function networkOf({ delay, loss }: ScenarioNetwork): Partial<NetworkOptions> {
  return { delay: uniformDelay(delay.min, delay.max), loss }
}
