import { longestDeparture, type Command, type Introducer, type Milliseconds, type NodeId, type Notification } from '@jel/protocol'
import { VirtualClock } from '@jel/machine'
import { runUntil } from './engine/run-until.ts'
import type { AddressChange } from './network/address.ts'
import { Contact } from './network/contact.ts'
import { Gossip } from './network/gossip.ts'
import type { Machine } from './network/machine.ts'
import { Network } from './network/network.ts'
import type { Impairment } from './network/path-faults.ts'
import type { CutKind } from './network/reachability.ts'
import { NetworkFaults, type Flapping } from './network-faults.ts'
import { EndedLives } from './protocol/ended-lives.ts'
import { History } from './protocol/history.ts'
import type { Identity } from './protocol/identity.ts'
import { SimulatedNode } from './protocol/node.ts'
import type { NodeWorld } from './protocol/node-world.ts'
import { falseDeathError, Promises } from './protocol/promises.ts'
import type { Protocol } from './protocol/protocol.ts'
import type { MachineOptions, SimulationOptions, SpawnOptions } from './simulation-options.ts'
import { Spawner, stream } from './spawner.ts'

type Listener<P extends Protocol> = (node: SimulatedNode<P>, notification: Notification, time: Milliseconds) => void

/** A leaver checks at this interval whether it may stop, ms. A real host has the same interval. */
const lookAgain = 20

/**
 * A pool on a virtual clock and network. The seed and the order of calls determine everything that
 * happens.
 */
export class Simulation<P extends Protocol> {
  readonly seed: number
  /** Random numbers for the caller's choices. */
  readonly random: () => number
  readonly nodes: SimulatedNode<P>[] = []
  /** Records which nodes could communicate. */
  readonly contact = new Contact()
  /** Lives that nodes reported as ended although their processes were running. */
  readonly endedLives: EndedLives
  readonly #options: SimulationOptions<P>
  readonly #clock = new VirtualClock()
  readonly #faults: NetworkFaults
  readonly #spawner: Spawner<P>
  readonly #promises: Promises | undefined
  /** The latest process of each node id. */
  readonly #processes = new Map<NodeId, SimulatedNode<P>>()
  readonly #history = new History(this.#clock)
  readonly #listeners = new Set<Listener<P>>()
  readonly #world: NodeWorld
  #notices = 0

  constructor(options: SimulationOptions<P>) {
    this.seed = options.seed
    this.#options = options
    this.random = stream(options.seed, 'user')
    this.#spawner = new Spawner(options, this.#clock)
    const network = new Network(this.#clock, stream(options.seed, 'network'), options.network)
    this.#faults = new NetworkFaults(this.#clock, network, this.nodes, this.contact)
    this.#promises = options.checkPromises === false ? undefined : new Promises(options.seed)
    this.endedLives = new EndedLives(this.nodes, this.contact, network.reachability)
    this.#world = {
      clock: this.#clock,
      network,
      gossip: new Gossip(this.#clock, network, stream(options.seed, 'gossip'), options.gossip),
      history: this.#history,
      today: () => this.today,
      keepsNews: options.keepNews ?? true,
      noticed: (index, notification) => this.#noticed(this.nodes[index] as SimulatedNode<P>, notification),
      stood: (index) => this.#faults.noteWorks(this.nodes[index] as SimulatedNode),
    }
  }

  get now(): Milliseconds {
    return this.#clock.now
  }

  /** The calendar time of all nodes, ms since 1970. */
  get today(): Milliseconds {
    return this.#spawner.today
  }

  /** The number of events so far. */
  get events(): number {
    return this.#clock.events
  }

  /**
   * The digest of all inputs of all nodes, in order and with their times. Equal histories have
   * equal digests.
   */
  get traceHash(): string {
    return this.#history.hash
  }

  /** Creates a key pair for a later spawn. Two spawns may share it. */
  createIdentity(): Identity {
    return this.#spawner.identity()
  }

  /**
   * Creates a computer for nodes to share. Throws RangeError for an impossible site, bandwidth or
   * speed.
   */
  createMachine(options: MachineOptions = {}): Machine {
    return this.#spawner.machine(options)
  }

  spawn(options: SpawnOptions = {}): SimulatedNode<P> {
    const node = this.#spawner.node(this.#world, this.nodes.length, options)
    this.nodes.push(node)
    this.#processes.set(node.id, node)
    this.#promises?.started(node)
    const introducers = (options.introducers ?? []).map(toIntroducer)
    this.#clock.after(options.after ?? 0, () => node.inject({ type: 'start', addresses: node.addresses, introducers }))
    return node
  }

  command(node: SimulatedNode<P>, command: Command): void {
    node.command(command)
  }

  /**
   * Leaves gracefully. The process ends after `leaveFlush` ms. The node may have dialled a member
   * in order to leave. If that member has not answered by then, the process waits for the answer.
   * It waits for at most `longestDeparture` ms from the call on.
   */
  leave(node: SimulatedNode<P>): void {
    node.command({ type: 'leave' })
    const { leaveFlush = 100 } = this.#options
    const end = this.now + Math.max(leaveFlush, longestDeparture)
    const stop = (): void => {
      // A test may have killed the node meanwhile.
      const isDeparting = node.state !== 'gone' && node.protocol.isDeparting === true
      if (isDeparting && this.now < end) this.#clock.after(lookAgain, stop)
      else node.kill()
    }
    this.#clock.after(leaveFlush, stop)
  }

  kill(node: SimulatedNode<P>): void {
    node.kill()
  }

  /** Stops the process with SIGSTOP. */
  stopProcess(node: SimulatedNode<P>): void {
    node.loop.stop()
  }

  /** Continues the process with SIGCONT. */
  continueProcess(node: SimulatedNode<P>): void {
    node.loop.continue()
  }

  /** Keeps the node's event loop busy. Its timers are late, and arriving data waits. */
  stall(node: SimulatedNode<P>, ms: Milliseconds): void {
    node.loop.stall(ms)
  }

  /** Pulls the cable of the node's machine, or plugs it in again. */
  silence(node: SimulatedNode<P>, silent = true): void {
    this.#faults.silence(node, silent)
  }

  /**
   * Suspends the node's machine, or wakes it. A suspended node and its kernel do nothing, but the
   * node's clock goes on.
   */
  sleep(node: SimulatedNode<P>, asleep = true): void {
    if (asleep) node.loop.stop()
    this.silence(node, asleep)
    if (!asleep) node.loop.continue()
  }

  /**
   * Adds an address to the node, or replaces its addresses. Returns a function that removes the new
   * address.
   */
  changeAddress(node: SimulatedNode<P>, change: AddressChange): () => void {
    return this.#faults.changeAddress(node, change)
  }

  /**
   * Drops all packets from one node to the other, or rejects each with RST as a firewall does. The
   * other direction does not change.
   */
  cut(from: SimulatedNode<P>, to: SimulatedNode<P>, kind: CutKind = 'drop'): void {
    this.#faults.cut(from, to, kind)
  }

  /** Ends a cut of this kind. */
  mend(from: SimulatedNode<P>, to: SimulatedNode<P>, kind: CutKind = 'drop'): void {
    this.#faults.mend(from, to, kind)
  }

  /** Sets the loss and the delay of one node's own line. */
  impair(node: SimulatedNode<P>, impairment: Impairment): void {
    this.#faults.impair(node, impairment)
  }

  /** Cuts and mends the path between two nodes, again and again. The first cut begins at once. */
  flap(a: SimulatedNode<P>, b: SimulatedNode<P>, flapping: Flapping): void {
    this.#faults.flap(a, b, flapping)
  }

  /** Splits the network. Nodes in no group, and later nodes, are on the side of the first group. */
  partition(...groups: readonly (readonly SimulatedNode<P>[])[]): void {
    this.#faults.partition(groups)
  }

  /** Ends partitions and cuts. Silenced machines stay silent. */
  heal(): void {
    this.#faults.heal()
  }

  /** Lets virtual time pass. */
  run(forMs: Milliseconds): void {
    const until = this.#clock.now + forMs
    while (this.#clock.step(until));
  }

  /**
   * Runs until the condition holds and returns the time that it took. Checks the condition after
   * each notification and at least every 10 ms. Throws SimulationTimeoutError after `timeout` ms.
   */
  runUntil(condition: () => boolean, timeout: Milliseconds, what = 'what was waited for'): Milliseconds {
    return runUntil(this.#clock, { condition, timeout, notices: () => this.#notices, what: `seed ${this.seed}: ${what}` })
  }

  /** Calls the action after this much virtual time. */
  after(ms: Milliseconds, action: () => void): void {
    this.#clock.after(ms, action)
  }

  /**
   * Calls the listener for every notification to every node. Returns a function that unsubscribes
   * the listener.
   */
  subscribe(listener: Listener<P>): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Returns the node of this id that was spawned last. */
  node(id: NodeId): SimulatedNode<P> | undefined {
    return this.#processes.get(id)
  }

  #noticed(node: SimulatedNode<P>, notification: Notification): void {
    this.#notices += 1
    const subject = 'member' in notification ? this.#processes.get(notification.member.id) : undefined
    this.#promises?.check(node, this.now, notification, subject)
    const death = notification.type === 'died' ? this.endedLives.told(node, subject, notification.member, this.now) : undefined
    if (death !== undefined) {
      if (this.#options.onFalseDeath !== undefined) this.#options.onFalseDeath(death)
      else if (this.#promises !== undefined) throw falseDeathError(this.seed, death)
    }
    for (const listener of this.#listeners) listener(node, notification, this.#clock.now)
  }
}

function toIntroducer(introducer: SimulatedNode | Introducer): Introducer {
  if (!(introducer instanceof SimulatedNode)) return introducer
  const [address] = introducer.addresses
  if (address === undefined) throw new Error('the introducer has no address')
  return { id: introducer.id, address }
}
