import {
  createRandom,
  Registry,
  type Codec,
  type Command,
  type Input,
  type Introducer,
  type Member,
  type Milliseconds,
  type NodeId,
  type Notification,
} from '@jel/protocol'
import { VirtualClock } from './engine/clock.ts'
import { deriveSeed, Digest } from './engine/digest.ts'
import { processAddress, processOf, type AddressChange } from './network/address.ts'
import type { Bandwidth } from './network/bandwidth.ts'
import { Contact } from './network/contact.ts'
import type { Dialable } from './network/endpoint.ts'
import type { GossipOptions } from './network/gossip-options.ts'
import { Gossip } from './network/gossip.ts'
import { Machine } from './network/machine.ts'
import { siteNumber } from './network/site.ts'
import { cheapScheme, type Identity, type Scheme } from './protocol/identity.ts'
import { Network } from './network/network.ts'
import type { NetworkOptions } from './network/network-options.ts'
import type { CutKind } from './network/reachability.ts'
import type { Payload } from './network/payload.ts'
import { UnencodedCodec } from './protocol/unencoded.ts'
import { EndedLives, type FalseDeath } from './protocol/ended-lives.ts'
import { SimulatedNode, type NodeWorld } from './protocol/node.ts'
import { falseDeathError, Promises } from './protocol/promises.ts'
import type { Protocol, ProtocolParts } from './protocol/protocol.ts'

export interface SimulationOptions<P extends Protocol> {
  /** The seed. One seed gives one history. */
  readonly seed: number
  readonly createProtocol: (parts: ProtocolParts) => P
  readonly pool?: string
  readonly network?: Partial<NetworkOptions>
  readonly gossip?: Partial<GossipOptions>
  /** Default: signatures that cost next to nothing. */
  readonly scheme?: Scheme
  /** The encoding of messages. Default: none, which is fast. All real hosts send bytes. */
  readonly codec?: Codec<Payload>
  /**
   * The time between a left-statement and the end of the process, in which pending data goes out.
   */
  readonly leaveFlush?: Milliseconds
  /**
   * Each node keeps its notifications. Default: yes. With thousands of nodes they take most of the
   * memory.
   */
  readonly keepNews?: boolean
  /** Checks the promises of the protocol as it runs. Default: yes. */
  readonly checkPromises?: boolean
  /**
   * Called when the life of a running member ends falsely. Default: that breaks a promise and
   * throws.
   */
  readonly onFalseDeath?: (death: FalseDeath) => void
}

export interface SpawnOptions {
  /** Another protocol for this node, such as a hostile one. Nothing is promised to it. */
  readonly createProtocol?: (parts: ProtocolParts) => Protocol
  /** Nodes or addresses to enter through. With none the node founds a pool. */
  readonly introducers?: readonly (SimulatedNode | Introducer)[]
  readonly location?: string
  readonly tag?: Uint8Array
  /** A key pair that exists already, as from an identity file. Default: a new one. */
  readonly identity?: Identity
  /** The incarnation in the identity file. */
  readonly storedIncarnation?: number
  /** Default: the setting of its site, or else `everybody`. */
  readonly dialable?: Dialable
  /** Default: a machine of its own, with the defaults of {@link MachineOptions}. */
  readonly machine?: Machine
  /** The site of its own machine. Default: the first site of the topology. */
  readonly site?: string
  /** The bandwidth of this node alone, beside the load of its machine's cable. */
  readonly bandwidth?: Bandwidth
  /** Takes over the machine and address of a node that is gone. */
  readonly machineOf?: SimulatedNode
  /** The delay until it starts. */
  readonly after?: Milliseconds
}

export interface MachineOptions {
  /** Default: the first site of the topology. */
  readonly site?: string | undefined
  /** The bandwidth of its cable, which all its nodes share. Default: never full. */
  readonly bandwidth?: Bandwidth | undefined
  /**
   * The speed of each of its processors, relative to the one on which costs were measured. All its
   * nodes share them. Default: nothing takes time.
   */
  readonly speed?: number | undefined
  /** The number of its processors. A node uses one. Default: one. */
  readonly processors?: number | undefined
}

/** The faults of one node's own line. An omitted field ends that fault. */
export interface Impairment {
  /** The share of its packets that are lost, both ways, 0 to below 1. */
  readonly loss?: number
  /** The additional delay of each of its packets, both ways, ms. */
  readonly lag?: Milliseconds
}

/** A link that comes and goes. */
export interface Flapping {
  /** The times of each cut and of each interval between cuts, ms. */
  readonly down: Milliseconds
  readonly up: Milliseconds
  /** After this the link works for good, ms. */
  readonly duration: Milliseconds
  /** Only the way from the first node to the second. Default: both ways. */
  readonly oneWay?: boolean
}

/** An expected event did not happen in the virtual time allowed. */
export class SimulationTimeoutError extends Error {
  readonly code = 'SIMULATION_TIMEOUT'
  override readonly name = 'SimulationTimeoutError'
}

/** The longest virtual time between two looks at a condition when no notification comes, ms. */
const lookAgain = 10

/** The calendar time of all nodes at the start, ms since 1970: 2026-01-01. */
const calendarStart = 1_767_225_600_000

const inputCodes: Record<Input['type'], number> = {
  start: 1,
  command: 2,
  frame: 3,
  broadcast: 4,
  connected: 5,
  disconnected: 6,
  unreachable: 7,
  hostProbed: 8,
  discovered: 9,
  addresses: 10,
  timer: 11,
  misbehaved: 12,
}

/** The code of an input to a node's application, beside the codes of inputs. */
const applied = 13

/**
 * A pool on a virtual clock and network. The seed and the order of calls determine everything that
 * happens.
 */
export class Simulation<P extends Protocol> {
  readonly seed: number
  /** Random numbers for the caller's choices. */
  readonly random: () => number
  readonly nodes: SimulatedNode<P>[] = []
  /** Record which nodes could communicate, and which lives ended although their processes ran. */
  readonly contact = new Contact()
  readonly endedLives: EndedLives
  readonly #options: SimulationOptions<P>
  readonly #clock = new VirtualClock()
  readonly #network: Network
  readonly #gossip: Gossip
  readonly #scheme: Scheme
  readonly #codec: Codec<Payload>
  readonly #registry = new Registry()
  readonly #identities: () => number
  readonly #promises: Promises | undefined
  /** The latest process of each node id. */
  readonly #processes = new Map<NodeId, SimulatedNode<P>>()
  readonly #trace = new Digest()
  readonly #listeners = new Set<(node: SimulatedNode<P>, notification: Notification, time: Milliseconds) => void>()
  readonly #world: NodeWorld
  #machines = 0
  #notices = 0

  constructor(options: SimulationOptions<P>) {
    this.seed = options.seed
    this.#options = options
    this.random = this.#stream('user')
    this.#identities = this.#stream('identities')
    this.#scheme = options.scheme ?? cheapScheme
    this.#codec = options.codec ?? new UnencodedCodec()
    this.#network = new Network(this.#clock, this.#stream('network'), options.network)
    this.#gossip = new Gossip(this.#clock, this.#network, this.#stream('gossip'), options.gossip)
    this.#promises = options.checkPromises === false ? undefined : new Promises(options.seed)
    this.endedLives = new EndedLives(this.nodes, this.contact, this.#network.reachability)
    this.#world = {
      clock: this.#clock,
      network: this.#network,
      gossip: this.#gossip,
      keepsNews: options.keepNews ?? true,
      traced: (node, input, sender) => this.#traced(node, input, sender),
      noticed: (node, notification) => this.#noticed(node as SimulatedNode<P>, notification),
      applied: (node, word, about) => this.#applied(node, word, about),
      stood: (node) => this.#noteWorks(node),
      ended: (node) => this.#trace.text(`ended ${node.index}`),
    }
  }

  get now(): Milliseconds {
    return this.#clock.now
  }

  /** The calendar time of all nodes, ms since 1970. */
  get today(): Milliseconds {
    return calendarStart + this.now
  }

  /** The number of events so far. */
  get events(): number {
    return this.#clock.events
  }

  /**
   * The digest of every input to every node in order, with its time. Equal histories have equal
   * digests.
   */
  get traceHash(): string {
    return this.#trace.hex()
  }

  /** Creates a key pair for a later spawn. Two spawns may share it. */
  createIdentity(): Identity {
    return this.#scheme.identity(Math.floor(this.#identities() * 2 ** 32))
  }

  /**
   * Creates a computer for nodes to share. Throws RangeError for an impossible site, bandwidth or
   * speed.
   */
  createMachine({ site, bandwidth, speed, processors }: MachineOptions = {}): Machine {
    const at = site === undefined ? 0 : siteNumber(this.#options.network?.topology, site)
    return new Machine({ number: this.#machines++, site: at, bandwidth, speed, processors })
  }

  spawn(options: SpawnOptions = {}): SimulatedNode<P> {
    const index = this.nodes.length
    const identity = options.identity ?? this.createIdentity()
    const random = this.#stream(`node ${index}`)
    const storedIncarnation = options.storedIncarnation ?? 0
    const parts: ProtocolParts = {
      id: identity.id,
      pool: this.#options.pool ?? 'simulated',
      location: options.location ?? `node${index}@simulated`,
      tag: options.tag ?? new Uint8Array(),
      storedIncarnation,
      services: {
        random,
        sign: (message) => identity.sign(message),
        verify: (...parts) => this.#scheme.verify(...parts),
        today: () => calendarStart + this.now,
        codec: this.#codec,
        registry: this.#registry,
      },
    }
    const protocol = options.createProtocol === undefined ? this.#options.createProtocol(parts) : (options.createProtocol(parts) as P)
    const former = options.machineOf?.endpoint
    const machine = former?.machine ?? options.machine ?? this.createMachine({ site: options.site })
    const process = former?.process ?? machine.nextProcess()
    const clockOffset = Math.floor(random() * 1_000_000)
    const dialable = options.dialable ?? this.#options.network?.topology?.sites[machine.site]?.dialable ?? true
    const { bandwidth } = options
    const startedAt = this.now + (options.after ?? 0)
    const fields = {
      index,
      id: identity.id,
      machine,
      process,
      dialable,
      bandwidth,
      storedIncarnation,
      startedAt,
      honest: options.createProtocol === undefined,
      clockOffset,
    }
    const node = new SimulatedNode<P>(this.#world, fields, protocol)
    this.nodes.push(node)
    this.#processes.set(node.id, node)
    this.#promises?.started(node)
    const introducers = (options.introducers ?? []).map(toIntroducer)
    this.#clock.after(options.after ?? 0, () => node.start(introducers))
    return node
  }

  command(node: SimulatedNode<P>, command: Command): void {
    node.command(command)
  }

  /** Leaves gracefully. The process ends after its left-statement had time to go out. */
  leave(node: SimulatedNode<P>): void {
    node.command({ type: 'leave' })
    this.#clock.after(this.#options.leaveFlush ?? 100, () => node.kill())
  }

  kill(node: SimulatedNode<P>): void {
    node.kill()
  }

  /** SIGSTOP. */
  stopProcess(node: SimulatedNode<P>): void {
    node.stop()
  }

  /** SIGCONT. */
  continueProcess(node: SimulatedNode<P>): void {
    node.continue()
  }

  /** Keeps the node's event loop busy. Its timers are late, and arriving data waits. */
  stall(node: SimulatedNode<P>, ms: Milliseconds): void {
    node.stall(ms)
  }

  /** Pulls the cable of the node's machine, or plugs it in again. */
  silence(node: SimulatedNode<P>, silent = true): void {
    node.endpoint.silent = silent
    this.#noteWorks(node)
    if (!silent) this.#network.mended()
  }

  /**
   * Suspends the node's machine, or wakes it. The node and its kernel do nothing meanwhile, but its
   * clock goes on.
   */
  sleep(node: SimulatedNode<P>, asleep = true): void {
    if (asleep) node.stop()
    this.silence(node, asleep)
    if (!asleep) node.continue()
  }

  /**
   * Gives the node one more address, or another one instead. Returns a function that removes the
   * new one.
   */
  changeAddress(node: SimulatedNode<P>, change: AddressChange): () => void {
    const { endpoint } = node
    const process = endpoint.machine.nextProcess()
    const address = processAddress(endpoint.machine.number, process)
    this.#network.listen(endpoint, process)
    if (change === 'replace') {
      for (const old of node.addresses) this.#network.listen(endpoint, processOf(old), false)
      this.#network.abandon(endpoint)
    }
    node.move(change === 'add' ? [...node.addresses, address] : [address])
    return () => {
      if (node.state === 'gone') return
      this.#network.listen(endpoint, process, false)
      node.move(node.addresses.filter((each) => each !== address))
    }
  }

  /**
   * Drops all packets from one node to the other, or rejects each with RST as a firewall does. The
   * way back stays as it is.
   */
  cut(from: SimulatedNode<P>, to: SimulatedNode<P>, kind: CutKind = 'drop'): void {
    this.#network.reachability.cut(from.endpoint, to.endpoint, kind)
    this.contact.path(from.endpoint, to.endpoint, false, this.now)
    if (kind === 'reject') this.#network.mended()
  }

  /** Ends one such cut. */
  mend(from: SimulatedNode<P>, to: SimulatedNode<P>, kind: CutKind = 'drop'): void {
    const { reachability } = this.#network
    reachability.mend(from.endpoint, to.endpoint, kind)
    if (!reachability.isCut(from.endpoint, to.endpoint)) this.contact.path(from.endpoint, to.endpoint, true, this.now)
    this.#network.mended()
  }

  /** Sets the loss and the delay of one node's own line. */
  impair(node: SimulatedNode<P>, { loss = 0, lag = 0 }: Impairment): void {
    if (!(loss >= 0 && loss < 1) || !(lag >= 0))
      throw new RangeError(`a line loses from 0 to less than 1 and lags by 0 ms or more, not ${loss} and ${lag}`)
    node.endpoint.loss = loss
    node.endpoint.lag = lag
    this.#noteWorks(node)
  }

  /** Makes the path between two nodes come and go. The first cut begins at once. */
  flap(a: SimulatedNode<P>, b: SimulatedNode<P>, { down, up, duration, oneWay = false }: Flapping): void {
    if (!(down > 0) || !(up > 0)) throw new RangeError(`a flapping link is down and up for more than 0 ms each, not ${down} and ${up}`)
    const end = this.now + duration
    const cut = (): void => {
      if (this.now >= end) return
      this.cut(a, b)
      if (!oneWay) this.cut(b, a)
      this.#clock.at(Math.min(this.now + down, end), mend)
    }
    const mend = (): void => {
      this.mend(a, b)
      if (!oneWay) this.mend(b, a)
      this.#clock.after(up, cut)
    }
    cut()
  }

  /** Splits the network. Nodes in no group, and later nodes, are on the side of the first group. */
  partition(...groups: readonly (readonly SimulatedNode<P>[])[]): void {
    const sides = new Map<SimulatedNode<P>, number>()
    for (const [side, group] of groups.entries()) for (const node of group) if (!sides.has(node)) sides.set(node, side)
    for (const node of this.nodes) node.endpoint.side = sides.get(node) ?? 0
    this.#noteSides()
    this.#network.mended()
  }

  /** Ends partitions and cuts; silenced machines stay silent. */
  heal(): void {
    for (const node of this.nodes) node.endpoint.side = 0
    this.#noteSides()
    this.contact.mended(this.now)
    this.#network.reachability.mendAll()
    this.#network.mended()
  }

  /** Lets virtual time pass. */
  run(forMs: Milliseconds): void {
    const until = this.#clock.now + forMs
    while (this.#clock.step(until));
  }

  /**
   * Runs until the condition holds and returns the time that took. Checks it after each
   * notification and at least every 10 ms.
   */
  runUntil(condition: () => boolean, timeout: Milliseconds, what = 'what was waited for'): Milliseconds {
    const start = this.#clock.now
    const end = start + timeout
    let looked = -1
    let lookAt = start
    for (;;) {
      if (looked !== this.#notices || this.#clock.now >= Math.min(lookAt, end)) {
        looked = this.#notices
        lookAt = this.#clock.now + lookAgain
        if (condition()) return this.#clock.now - start
        if (this.#clock.now >= end) throw new SimulationTimeoutError(`seed ${this.seed}: ${what} did not happen within ${timeout} ms`)
      }
      this.#clock.step(Math.min(end, lookAt))
    }
  }

  /** Calls the action after a virtual time. */
  after(ms: Milliseconds, action: () => void): void {
    this.#clock.after(ms, action)
  }

  /**
   * Calls the listener for every notification to every node. Returns a function that unsubscribes
   * it.
   */
  subscribe(listener: (node: SimulatedNode<P>, notification: Notification, time: Milliseconds) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Returns the node of this id that started last. */
  node(id: NodeId): SimulatedNode<P> | undefined {
    return this.nodes.findLast((node) => node.id === id)
  }

  #stream(concern: string): () => number {
    return createRandom(deriveSeed(this.#options.seed, concern))
  }

  #lifeEnded(node: SimulatedNode<P>, subject: SimulatedNode<P> | undefined, member: Member): void {
    const death = this.endedLives.told(node, subject, member, this.now)
    if (death === undefined) return
    if (this.#options.onFalseDeath !== undefined) this.#options.onFalseDeath(death)
    else if (this.#promises !== undefined) throw falseDeathError(this.seed, death)
  }

  /** Call it after any change that makes a node stand still or takes its network away. */
  #noteWorks({ state, endpoint }: SimulatedNode): void {
    this.contact.node(
      endpoint,
      state === 'running' && !endpoint.silent && endpoint.loss <= uselessLoss && endpoint.lag < uselessLag,
      this.now,
    )
  }

  #noteSides(): void {
    this.contact.split(
      this.nodes.map(({ endpoint }) => endpoint),
      this.now,
    )
  }

  #traced(node: SimulatedNode, input: Input<Payload>, sender: number | undefined): void {
    this.#trace.number(this.#clock.now)
    this.#trace.word(node.index * 16 + inputCodes[input.type])
    if (input.type === 'frame' || input.type === 'broadcast') this.#trace.content(input.data)
    if (sender !== undefined) this.#trace.word(sender)
    else if (input.type === 'frame') this.#trace.text(input.from)
    else if ('peer' in input) this.#trace.text(input.peer ?? '')
  }

  #applied(node: SimulatedNode, word: number, about: string): void {
    this.#trace.number(this.#clock.now)
    this.#trace.word(node.index * 16 + applied)
    this.#trace.word(word)
    this.#trace.text(about)
  }

  #noticed(node: SimulatedNode<P>, notification: Notification): void {
    this.#notices += 1
    const subject = 'member' in notification ? this.#processes.get(notification.member.id) : undefined
    this.#promises?.check(node, this.now, notification, subject)
    if (notification.type === 'died') this.#lifeEnded(node, subject, notification.member)
    for (const listener of this.#listeners) listener(node, notification, this.#clock.now)
  }
}

/**
 * The loss and lag above which a node counts as cut off, because TCP waits ever longer. A guess.
 */
const uselessLoss = 0.5
const uselessLag: Milliseconds = 1_000

function toIntroducer(introducer: SimulatedNode | Introducer): Introducer {
  if (!(introducer instanceof SimulatedNode)) return introducer
  const [address] = introducer.addresses
  if (address === undefined) throw new Error('a simulated node has an address')
  return { id: introducer.id, address }
}
