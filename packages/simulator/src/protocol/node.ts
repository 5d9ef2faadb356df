import { relayCount, relaysOf, type Address, type Command, type Effect, type Input, type Milliseconds, type NodeId } from '@jel/protocol'
import { processAddress } from '../network/address.ts'
import { failureReasons } from '../network/dial-failure.ts'
import type { Paths } from '../network/dialling.ts'
import { Endpoint, type EndpointEvents } from '../network/endpoint.ts'
import type { GossipMessage } from '../network/gossip-message.ts'
import type { Payload } from '../network/payload.ts'
import { Traffic } from '../network/traffic.ts'
import type { Application } from './application.ts'
import { EventLoop } from './event-loop.ts'
import type { News, NodeFields, NodeWorld } from './node-world.ts'
import { PausedLinks } from './paused-links.ts'
import type { Protocol } from './protocol.ts'
import { frameClass } from './frame-class.ts'

/**
 * Time from the first link with a member that can't dial this host until the host knows its reach,
 * ms. The overlay's value (`settle`).
 */
const reachKnownAfter = 1_000

/**
 * One process. It runs the protocol, and carries out the protocol's effects on the network. A test
 * can stop, stall and kill the process. While the process is stopped, its kernel accepts
 * connections. Arriving data waits until the process continues.
 */
export class SimulatedNode<P extends Protocol = Protocol> {
  readonly index: number
  readonly id: NodeId
  addresses: readonly Address[]
  readonly traffic = new Traffic()
  readonly endpoint: Endpoint
  readonly loop: EventLoop
  /** All notifications to the application. Empty if the simulation keeps none (`keepNews`). */
  readonly news: News[] = []
  /** The reason why the protocol ended the process. */
  failure: string | undefined
  /** The incarnation in the identity file of the node. */
  storedIncarnation: number
  readonly startedAt: Milliseconds
  readonly honest: boolean
  /** True if the application asked to leave. */
  leaves = false
  readonly #world: NodeWorld
  readonly #clockOffset: Milliseconds
  readonly #firstIncarnation: number
  /** Undefined once the process is gone, so that a run with churn does not fill the memory. */
  #protocol: P | undefined
  #lastIncarnation = 0
  #application: Application | undefined
  readonly #paused: PausedLinks
  #isHidden = false

  constructor(world: NodeWorld, fields: NodeFields, protocol: P) {
    this.index = fields.index
    this.id = fields.id
    this.storedIncarnation = fields.storedIncarnation
    this.addresses = [processAddress(fields.machine.number, fields.process)]
    this.#protocol = protocol
    this.#world = world
    this.#clockOffset = fields.clockOffset
    this.#firstIncarnation = fields.storedIncarnation + 1
    this.startedAt = fields.startedAt
    this.honest = fields.honest
    this.loop = new EventLoop(world.clock, {
      changed: () => {
        this.endpoint.awake = this.state === 'running'
        world.stood(this.index)
      },
      timer: () => this.#handle({ type: 'timer' }),
      woken: () => world.network.woken(this.endpoint),
    })
    this.#paused = new PausedLinks(world.clock, this.loop, (from, data) => this.#handle({ type: 'frame', from: from.id, data }, from.index))
    const events: EndpointEvents = {
      linkUp: (peer, dialable) => {
        world.gossip.linkUp(this.endpoint, peer)
        this.inject({ type: 'connected', peer: peer.id, dialable })
        if (!this.endpoint.dialableFrom(peer)) this.#learnReach()
      },
      linkDown: (peer) => {
        world.gossip.linkDown(this.endpoint, peer)
        this.loop.whenAwake(() => this.#paused.down(peer.id))
        this.inject({ type: 'disconnected', peer: peer.id })
      },
      frame: (from, data, urgent) => {
        if (this.state === 'running') this.#paused.arrived(from, data, urgent)
        else this.loop.whenAwake(() => this.#paused.arrived(from, data, urgent))
      },
      message: (from, message) => {
        if (this.state === 'running') this.#take(message, from)
        else this.loop.whenAwake(() => this.#take(message, from))
      },
      control: (from, control) => this.loop.whenAwake(() => world.gossip.controlled(this.endpoint, from, control)),
      applicationUp: (peer) => this.loop.whenAwake(() => this.#application?.connected(peer.id)),
      applicationDown: (peer) => this.loop.whenAwake(() => this.#application?.disconnected(peer.id)),
      application: (from, data) => this.loop.whenAwake(() => this.#application?.received(from.id, data)),
    }
    this.endpoint = new Endpoint({ ...fields, traffic: this.traffic, events })
    world.network.listen(this.endpoint)
  }

  /** `standing`: the process is stopped or busy. `gone`: it has ended. */
  get state(): 'running' | 'standing' | 'gone' {
    return this.loop.state
  }

  /** The protocol of the process. Throws if the process is gone. */
  get protocol(): P {
    if (this.#protocol === undefined) throw new Error(`node ${this.index} is gone, and what it knew with it`)
    return this.#protocol
  }

  /** Returns true if this process is or was the member of that incarnation. */
  lived(incarnation: number): boolean {
    return incarnation >= this.#firstIncarnation && incarnation <= (this.#protocol?.self?.incarnation ?? this.#lastIncarnation)
  }

  command(command: Command): void {
    if (command.type === 'leave') this.leaves = true
    this.inject({ type: 'command', command })
  }

  /**
   * Notes the new addresses of the host, and hands them to the protocol. The network must listen at
   * them already.
   */
  move(addresses: readonly Address[]): void {
    this.addresses = addresses
    this.inject({ type: 'addresses', addresses })
  }

  /** Runs an application beside the protocol. */
  attach(application: Application): void {
    this.#application = application
  }

  /** The time by the node's own clock. Each clock has its own zero point. */
  get now(): Milliseconds {
    return this.#world.clock.now + this.#clockOffset
  }

  /**
   * For the application: calls the action after a time. A stopped process calls the action after it
   * continues. A dead process never calls it.
   */
  later(after: Milliseconds, action: () => void): void {
    this.#world.clock.after(after, () => this.loop.whenAwake(action))
  }

  /**
   * For the application: opens a connection for streams. A call of `connected` or `failed` reports
   * the result.
   */
  dialApplication(peer: NodeId, addresses: readonly Address[], failed: () => void): void {
    this.#world.network.dialApplication(this.endpoint, peer, this.#pathsTo(peer, addresses), () => this.loop.whenAwake(failed))
  }

  /**
   * The time for which a packet to this process would wait now, ms: the longest of the queues of
   * its site, its machine and the process.
   */
  get backlog(): Milliseconds {
    return this.#world.network.backlogTo(this.endpoint)
  }

  /** For the application: sends data, see `Network.sendApplication`. */
  sendApplication(peer: NodeId, data: Payload): number | undefined {
    return this.#world.network.sendApplication(this.endpoint, peer, data)
  }

  /** For the application: closes its connections to this peer. */
  hangUp(peer: NodeId): void {
    this.#world.network.disconnect(this.endpoint, peer, 'application')
  }

  /** For the application: adds one of its inputs to the history. */
  trace(word: number, about: string): void {
    this.#world.history.applied(this.index, word, about)
  }

  /** Ends the process, as SIGKILL does. Every other end of the process uses this method, too. */
  kill(): void {
    if (this.state === 'gone') return
    this.loop.end()
    this.#world.network.exit(this.endpoint)
    this.#world.gossip.exit(this.endpoint)
    this.#world.history.ended(this.index)
    this.#lastIncarnation = this.protocol.self?.incarnation ?? 0
    this.#protocol = undefined
    this.#application = undefined
    this.#paused.clear()
  }

  /**
   * Takes any input. A test may also inject an input that the network never produces, such as one
   * that a hostile peer causes.
   */
  inject(input: Input<Payload>): void {
    if (this.state === 'running') this.#handle(input)
    else this.loop.whenAwake(() => this.#handle(input))
  }

  /** `sender` is the number of the node that sent a frame. */
  #handle(input: Input<Payload>, sender?: number): void {
    if (this.state === 'gone') return
    this.#world.history.input(this.index, input, sender)
    this.#carryOut(this.protocol.handle(input, this.now))
  }

  /**
   * Handles a link with a member that can't dial this host. `reachKnownAfter` later the host knows
   * that it is hidden, as a real host finds out.
   */
  #learnReach(): void {
    if (this.#isHidden) return
    this.#isHidden = true
    this.#world.clock.after(reachKnownAfter, () => this.inject({ type: 'reach', reach: 'hidden' }))
  }

  /** Returns the paths to a peer. The relays of a hidden member follow from the view. */
  #pathsTo(peer: NodeId | undefined, addresses: readonly Address[]): Paths {
    const member = peer === undefined ? undefined : this.protocol.member?.(peer)
    if (member === undefined || member.reach === 'direct') return { addresses }
    return { addresses, relays: relaysOf(member.id, this.protocol.members(), this.#world.today(), relayCount + 1) }
  }

  #take(message: GossipMessage, from: Endpoint): void {
    if (this.state === 'gone' || !this.#world.gossip.arrived(this.endpoint, message, from)) return
    this.#world.history.input(this.index, { type: 'broadcast', data: message.data })
    const { verdict, effects } = this.protocol.handleBroadcast(message.data, this.now)
    if (verdict === 'accept') this.#world.gossip.forward(this.endpoint, message, from)
    this.#carryOut(effects)
  }

  #carryOut(effects: readonly Effect<Payload>[]): void {
    for (const effect of effects) {
      if (this.state === 'gone') return
      this.#do(effect)
    }
  }

  #do(effect: Effect<Payload>): void {
    const { network, gossip } = this.#world
    switch (effect.type) {
      case 'send':
        network.send(this.endpoint, effect.to, effect.data, frameClass(effect.data), effect.urgent)
        return
      case 'broadcast':
        gossip.publish(this.endpoint, effect.data)
        return
      case 'connect': {
        const { peer, addresses } = effect
        network.dial(this.endpoint, peer, this.#pathsTo(peer, addresses), (failure) =>
          this.inject({ type: 'unreachable', peer, addresses, failure, reason: failureReasons[failure] }),
        )
        return
      }
      case 'pause':
        this.#paused.pause(effect.peer, effect.until - this.#clockOffset)
        return
      case 'disconnect':
        network.disconnect(this.endpoint, effect.peer)
        return
      case 'probeHost': {
        const { peer } = effect
        network.probeHost(this.endpoint, effect.addresses, (outcome) => this.inject({ type: 'hostProbed', peer, outcome }))
        return
      }
      case 'timer':
        this.loop.setTimer(effect.at - this.#clockOffset)
        return
      case 'persist':
        this.storedIncarnation = effect.incarnation
        return
      case 'notify':
        if (this.#world.keepsNews) this.news.push({ time: this.#world.clock.now, notification: effect.notification })
        this.#world.noticed(this.index, effect.notification)
        this.#application?.told(effect.notification)
        return
      case 'fail':
        this.failure = `${effect.code}: ${effect.message}`
        this.kill()
    }
  }
}
