/**
 * The environment of a scenario: the simulator, or real processes on real hosts. The runner of
 * scenarios (`runner/`) depends on neither directly.
 */
import type { Milliseconds, Notification } from '@jel/protocol'
import type { AddressChange } from './network/address.ts'
import type { Contact } from './network/contact.ts'
import type { CutKind } from './network/reachability.ts'
import type { AttackerOptions } from './hostile/attacker.ts'
import type { AttackName } from './hostile/index.ts'
import type { EndedLives } from './protocol/ended-lives.ts'
import type { Place } from './scenario/placement.ts'
import type { TestbedNode } from './testbed-node.ts'

/** The options for starting a node. */
export interface StartOptions<Node> {
  readonly place: Place
  /** True if nobody can dial the node. */
  readonly nat: boolean
  readonly introducer: Node | undefined
  readonly location: string
  /**
   * Called when the process has started. The simulator never calls it: its processes start at once.
   */
  readonly onStarted: () => void
}

/** An environment for scenarios. Times are ms from the start of the scenario. */
export interface Testbed<Node extends TestbedNode = TestbedNode> {
  readonly now: Milliseconds
  readonly seed: number
  /** Random numbers for the choices of the scenario. */
  readonly random: () => number
  /** Records which nodes could communicate. */
  readonly contact: Contact
  /** Records which lives ended although their processes ran. */
  readonly endedLives: EndedLives
  /** Calls the action after a time. */
  after(ms: Milliseconds, action: () => void): void
  /** Calls the listener for every notification to every node. */
  subscribe(listener: (node: Node, notification: Notification, time: Milliseconds) => void): void

  start(options: StartOptions<Node>): Node
  /** Starts an attacker that enters through this member. */
  startAttacker(name: AttackName, options: Omit<AttackerOptions, 'attack'>, introducer: Node | undefined): Node
  kill(node: Node): void
  leave(node: Node): void
  /** SIGSTOP and SIGCONT. */
  stopProcess(node: Node): void
  continueProcess(node: Node): void
  /** Keeps the node's event loop busy for this time. */
  stall(node: Node, ms: Milliseconds): void
  /** Suspends the node's machine, or wakes it. */
  sleep(node: Node, asleep: boolean): void

  /** Pulls the cable of the node's machine, or plugs it in again. */
  silence(node: Node, silent: boolean): void
  /**
   * Adds an address, or replaces the addresses. Returns a function that removes the new address.
   */
  changeAddress(node: Node, change: AddressChange): () => void
  /** Sets the loss of the node's own line. */
  impair(node: Node, line: { readonly loss: number }): void
  /**
   * Drops or rejects all packets from one node to the other. The other direction does not change.
   */
  cut(from: Node, to: Node, kind: CutKind): void
  mend(from: Node, to: Node, kind: CutKind): void
  /**
   * Splits the network into groups that don't reach each other. Later nodes are in the first group.
   */
  partition(...groups: readonly (readonly Node[])[]): void
  /** Ends partitions and cuts. */
  heal(): void
}
