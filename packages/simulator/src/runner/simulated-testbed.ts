import type { Milliseconds } from '@jel/protocol'
import { Attacker, type AttackerOptions } from '../hostile/attacker.ts'
import { attacks, type AttackName } from '../hostile/index.ts'
import type { AddressChange } from '../network/address.ts'
import type { CutKind } from '../network/reachability.ts'
import type { SimulatedNode } from '../protocol/node.ts'
import type { Protocol } from '../protocol/protocol.ts'
import type { ScenarioNetwork } from '../scenario/network.ts'
import type { Simulation } from '../simulation.ts'
import type { Testbed, TestbedSpawn } from '../testbed.ts'
import { Machines } from './machines.ts'

/** Keys cost nothing, so an attacker takes the lowest of this many. */
const hostileKeys = 256

type Listener = Parameters<Simulation<Protocol>['subscribe']>[0]

/** Makes a simulation usable by the runner of a scenario. */
export class SimulatedTestbed implements Testbed<SimulatedNode> {
  readonly #simulation: Simulation<Protocol>
  readonly #machines: Machines
  readonly #service: SimulatedNode | undefined

  /** `hasService`: the first node is a server and no member. */
  constructor(simulation: Simulation<Protocol>, network: ScenarioNetwork, hasService = false) {
    this.#simulation = simulation
    this.#machines = new Machines(simulation, network)
    if (hasService) this.#service = simulation.spawn(this.#machines.service())
  }

  get now(): Milliseconds {
    return this.#simulation.now
  }

  get seed(): number {
    return this.#simulation.seed
  }

  get random(): () => number {
    return this.#simulation.random
  }

  get contact(): Simulation<Protocol>['contact'] {
    return this.#simulation.contact
  }

  get endedLives(): Simulation<Protocol>['endedLives'] {
    return this.#simulation.endedLives
  }

  after(ms: Milliseconds, action: () => void): void {
    this.#simulation.after(ms, action)
  }

  subscribe(listener: Listener): void {
    this.#simulation.subscribe(listener)
  }

  spawn({ place, nat, introducer, location }: TestbedSpawn<SimulatedNode>): SimulatedNode {
    const known = this.#service ?? introducer
    return this.#simulation.spawn({ introducers: known === undefined ? [] : [known], location, ...this.#machines.of(place, nat) })
  }

  /**
   * The attacker has a machine of its own. Its id is the lowest of all, so that it matters in
   * elections.
   */
  spawnAttacker(name: AttackName, options: Omit<AttackerOptions, 'attack'>, introducer: SimulatedNode | undefined): SimulatedNode {
    const identities = Array.from({ length: hostileKeys }, () => this.#simulation.createIdentity())
    return this.#simulation.spawn({
      introducers: introducer === undefined ? [] : [introducer],
      identity: identities.reduce((lowest, each) => (each.id < lowest.id ? each : lowest)),
      createProtocol: (parts) => new Attacker(parts, { ...options, attack: attacks[name](parts.pool) }),
    })
  }

  kill(node: SimulatedNode): void {
    this.#simulation.kill(node)
  }

  leave(node: SimulatedNode): void {
    this.#simulation.leave(node)
  }

  stopProcess(node: SimulatedNode): void {
    this.#simulation.stopProcess(node)
  }

  continueProcess(node: SimulatedNode): void {
    this.#simulation.continueProcess(node)
  }

  stall(node: SimulatedNode, ms: Milliseconds): void {
    this.#simulation.stall(node, ms)
  }

  sleep(node: SimulatedNode, asleep: boolean): void {
    this.#simulation.sleep(node, asleep)
  }

  silence(node: SimulatedNode, silent: boolean): void {
    this.#simulation.silence(node, silent)
  }

  changeAddress(node: SimulatedNode, change: AddressChange): () => void {
    return this.#simulation.changeAddress(node, change)
  }

  impair(node: SimulatedNode, line: { readonly loss: number }): void {
    this.#simulation.impair(node, line)
  }

  cut(from: SimulatedNode, to: SimulatedNode, kind: CutKind): void {
    this.#simulation.cut(from, to, kind)
  }

  mend(from: SimulatedNode, to: SimulatedNode, kind: CutKind): void {
    this.#simulation.mend(from, to, kind)
  }

  partition(...groups: readonly (readonly SimulatedNode[])[]): void {
    this.#simulation.partition(...groups)
  }

  heal(): void {
    this.#simulation.heal()
  }
}
