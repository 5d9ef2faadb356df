import { Attacker, type AttackerOptions } from '../hostile/attacker.ts'
import { attacks, type AttackName } from '../hostile/index.ts'
import type { SimulatedNode } from '../protocol/node.ts'
import type { Protocol } from '../protocol/protocol.ts'
import type { ScenarioNetwork } from '../scenario/network.ts'
import { Simulation } from '../simulation.ts'
import type { SimulationOptions } from '../simulation-options.ts'
import type { StartOptions, Testbed } from '../testbed.ts'
import { Machines, networkOf } from './machines.ts'

/** An attacker takes the lowest of this many ids, because keys cost nothing. */
const hostileKeys = 256

/** A simulation with the network and the machines of a scenario. */
export class SimulatedTestbed extends Simulation<Protocol> implements Testbed<SimulatedNode> {
  readonly #machines: Machines
  readonly #service: SimulatedNode | undefined

  /**
   * `options.network` overrides the network of the scenario. `hasService`: the first node is a
   * server and no member.
   */
  constructor(network: ScenarioNetwork, options: SimulationOptions<Protocol>, hasService = false) {
    super({ ...options, network: { ...networkOf(network), ...options.network } })
    this.#machines = new Machines(this, network)
    if (hasService) this.#service = this.spawn(this.#machines.service())
  }

  start({ place, nat, introducer, location }: StartOptions<SimulatedNode>): SimulatedNode {
    const known = this.#service ?? introducer
    return this.spawn({ introducers: known === undefined ? [] : [known], location, ...this.#machines.of(place, nat) })
  }

  /**
   * The attacker has a machine of its own. Its id is the lowest of many, so that it matters in
   * elections.
   */
  startAttacker(name: AttackName, options: Omit<AttackerOptions, 'attack'>, introducer: SimulatedNode | undefined): SimulatedNode {
    const identities = Array.from({ length: hostileKeys }, () => this.createIdentity())
    return this.spawn({
      introducers: introducer === undefined ? [] : [introducer],
      identity: identities.reduce((lowest, each) => (each.id < lowest.id ? each : lowest)),
      createProtocol: (parts) => new Attacker(parts, { ...options, attack: attacks[name](parts.pool) }),
    })
  }
}
