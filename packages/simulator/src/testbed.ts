/**
 * What a scenario is carried out on: the simulator, or real processes on real hosts. The runner of scenarios (`user/`) knows nothing else of either.
 */
import type { Address, Command, Milliseconds, NodeId, Notification } from '@jel/protocol'
import type { AddressChange } from './network/address.ts'
import type { Contact } from './network/contact.ts'
import type { Dialable } from './network/endpoint.ts'
import type { CutKind, PathEnd } from './network/reachability.ts'
import type { AttackerOptions } from './hostile/attacker.ts'
import type { AttackName } from './hostile/index.ts'
import type { EndedLives } from './protocol/ended-lives.ts'
import type { Protocol } from './protocol/protocol.ts'
import type { Place } from './scenario/placement.ts'

/** Where a process stands in the network. */
export interface TestbedEndpoint extends PathEnd {
  readonly dialable: Dialable
  /** Its links, by peer. */
  readonly connections: ReadonlyMap<NodeId, readonly { readonly since: Milliseconds }[]>
  /** The most links that it ever had at once. */
  readonly mostLinks: number
}

/** One process of the pool. */
export interface TestbedNode {
  /** In the order of starting. */
  readonly index: number
  readonly id: NodeId
  /** Runs, stands still, or is gone. */
  readonly state: 'running' | 'standing' | 'gone'
  readonly startedAt: Milliseconds
  /** It does what the protocol says. */
  readonly honest: boolean
  /** Its application asked to leave. */
  readonly leaves: boolean
  readonly addresses: readonly Address[]
  readonly endpoint: TestbedEndpoint
  /** What it knows. */
  readonly protocol: Pick<Protocol, 'self' | 'members' | 'reign'>
  readonly traffic: { readonly received: { readonly bytes: number }; readonly dials: number; readonly hostProbes: number }
  /** True if this process has been the member of that incarnation, or is. */
  lived(incarnation: number): boolean
  command(command: Command): void
}

/** How a node is to be started. */
export interface TestbedSpawn<Node> {
  readonly place: Place
  /** Nobody can dial it. */
  readonly nat: boolean
  readonly introducer: Node | undefined
  readonly location: string
  /** Processes take time to start: to be called when this one has, where that is later than now. */
  readonly onStarted: () => void
}

/** Times are ms from the start of the scenario. */
export interface Testbed<Node extends TestbedNode = TestbedNode> {
  readonly now: Milliseconds
  readonly seed: number
  /** For the choices of the scenario. */
  readonly random: () => number
  /** Who could talk to whom, and whose lives ended although they ran. */
  readonly contact: Contact
  readonly endedLives: EndedLives
  /** Calls at a time from now. */
  after(ms: Milliseconds, action: () => void): void
  /** Calls for every notification to every node. */
  subscribe(listener: (node: Node, notification: Notification, time: Milliseconds) => void): void

  spawn(options: TestbedSpawn<Node>): Node
  /** An attacker enters, through this member. */
  spawnAttacker(name: AttackName, options: Omit<AttackerOptions, 'attack'>, introducer: Node | undefined): Node
  kill(node: Node): void
  leave(node: Node): void
  /** SIGSTOP and SIGCONT. */
  stopProcess(node: Node): void
  continueProcess(node: Node): void
  /** Its event loop is busy for so long. */
  stall(node: Node, ms: Milliseconds): void
  /** Its machine is suspended, or wakes up. */
  sleep(node: Node, asleep: boolean): void

  /** Its machine's cable is pulled, or plugged in again. */
  silence(node: Node, silent: boolean): void
  /** Returns the way to take the new address away again. */
  changeAddress(node: Node, change: AddressChange): () => void
  /** Loss on its own line. */
  impair(node: Node, line: { readonly loss: number }): void
  /** No packet gets from one to the other; the way back stays as it is. */
  cut(from: Node, to: Node, kind: CutKind): void
  mend(from: Node, to: Node, kind: CutKind): void
  /** Only nodes of one group reach each other. Later nodes are in the first. */
  partition(...groups: readonly (readonly Node[])[]): void
  /** Ends partitions and cuts. */
  heal(): void
}
