import type { Address, Command, DialFailure, Effect, Input, Introducer, Milliseconds, NodeId, Notification } from '@jel/protocol'
import type { VirtualClock } from '../engine/clock.ts'
import { processAddress } from '../network/address.ts'
import type { Bandwidth } from '../network/bandwidth.ts'
import { Endpoint, type Dialable, type EndpointEvents } from '../network/endpoint.ts'
import type { EventHandle } from '../engine/event-queue.ts'
import type { Gossip } from '../network/gossip.ts'
import type { GossipMessage } from '../network/gossip-message.ts'
import type { Machine } from '../network/machine.ts'
import type { Network } from '../network/network.ts'
import type { Payload } from '../network/payload.ts'
import type { Application } from './application.ts'
import type { History } from './history.ts'
import type { Protocol } from './protocol.ts'
import { framePurpose } from './purpose.ts'
import { Traffic } from '../network/traffic.ts'

/** A notification and its virtual time. */
export interface News {
  readonly time: Milliseconds
  readonly notification: Notification
}

/** The surroundings of a node. */
export interface NodeWorld {
  readonly clock: VirtualClock
  readonly network: Network
  readonly gossip: Gossip
  readonly history: History
  /** Whether each node keeps its notifications. */
  readonly keepsNews: boolean
  noticed(node: SimulatedNode, notification: Notification): void
  /** Called when the node stands still, and when it goes on. */
  stood(node: SimulatedNode): void
}

export interface NodeFields {
  readonly index: number
  readonly id: NodeId
  readonly machine: Machine
  /** The number of the process on its machine. */
  readonly process: number
  readonly dialable: Dialable
  readonly bandwidth?: Bandwidth | undefined
  readonly storedIncarnation: number
  readonly startedAt: Milliseconds
  /** It follows the protocol. Nothing is promised to a node that does not. */
  readonly honest: boolean
  /** The lead of its clock over virtual time: nodes don't share a zero point. */
  readonly clockOffset: Milliseconds
}

/** A frame that waits until the node reads again. */
interface Waiting {
  readonly from: Endpoint
  readonly data: Payload
}

interface Pause {
  until: Milliseconds
  readonly waiting: Waiting[]
}

const addressesFailed: Record<DialFailure, string> = {
  refused: 'connection refused',
  silent: 'no answer',
  unresponsive: 'the connection was accepted, but nothing was said on it',
  impostor: 'another node answers at this address',
  self: 'that is this node itself',
  failed: 'the dial failed',
}

/**
 * One process. It runs the protocol, carries out its effects on the network, and can be stopped,
 * stalled and killed. While it stands still its kernel goes on: it accepts connections, and
 * arriving data waits until the process is back.
 */
export class SimulatedNode<P extends Protocol = Protocol> {
  readonly index: number
  readonly id: NodeId
  addresses: readonly Address[]
  readonly traffic = new Traffic()
  readonly endpoint: Endpoint
  /** All notifications of the application, unless the simulation was asked not to keep them. */
  readonly news: News[] = []
  /** Runs, stands still, or is gone. */
  state: 'running' | 'standing' | 'gone' = 'running'
  /** Why the protocol asked to stop the host. */
  failure: string | undefined
  /** The incarnation that its identity file holds. */
  storedIncarnation: number
  readonly startedAt: Milliseconds
  readonly honest: boolean
  /** Its application asked to leave. */
  leaves = false
  readonly #world: NodeWorld
  readonly #clockOffset: Milliseconds
  readonly #firstIncarnation: number
  /**
   * Undefined once the process is gone, so that a run with churn does not keep every protocol's
   * state.
   */
  #protocol: P | undefined
  #lastIncarnation = 0
  #application: Application | undefined
  readonly #inbox: (() => void)[] = []
  /** Peers that the node does not read from, with the frames that wait in their buffers. */
  readonly #paused = new Map<NodeId, Pause>()
  #timer: EventHandle | undefined
  #timerDue = false
  #stopped = false
  #stalledUntil: Milliseconds = 0

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
    const events: EndpointEvents = {
      linkUp: (peer, dialable) => {
        world.gossip.linkUp(this.endpoint, peer)
        this.#receive({ type: 'connected', peer: peer.id, dialable })
      },
      linkDown: (peer) => {
        world.gossip.linkDown(this.endpoint, peer)
        this.#whenAwake(() => this.#paused.delete(peer.id))
        this.#receive({ type: 'disconnected', peer: peer.id })
      },
      frame: (from, data, urgent) => {
        this.traffic.framesReceived += 1
        this.traffic.frameBytesReceived += data.length
        if (this.state === 'running') this.#frame(from, data, urgent)
        else this.#whenAwake(() => this.#frame(from, data, urgent))
      },
      message: (from, message) => {
        if (this.state === 'running') this.#take(message, from)
        else this.#whenAwake(() => this.#take(message, from))
      },
      control: (from, control) => this.#whenAwake(() => world.gossip.controlled(this.endpoint, from, control)),
      applicationUp: (peer) => this.#whenAwake(() => this.#application?.connected(peer.id)),
      applicationDown: (peer) => this.#whenAwake(() => this.#application?.disconnected(peer.id)),
      application: (from, data) => this.#whenAwake(() => this.#application?.received(from.id, data)),
    }
    this.endpoint = new Endpoint({ ...fields, traffic: this.traffic, events })
    world.network.listen(this.endpoint)
  }

  start(introducers: readonly Introducer[]): void {
    this.#receive({ type: 'start', addresses: this.addresses, introducers })
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
    this.#receive({ type: 'command', command })
  }

  /** Hands in an input that the network would not produce, as a hostile peer might. */
  inject(input: Input<Payload>): void {
    this.#receive(input)
  }

  /** Changes the addresses at which the host listens. */
  move(addresses: readonly Address[]): void {
    this.addresses = addresses
    this.#receive({ type: 'addresses', addresses })
  }

  /** Runs an application beside the protocol. */
  attach(application: Application): void {
    this.#application = application
  }

  /** The time by its own clock. Each node's clock has its own zero point. */
  get now(): Milliseconds {
    return this.#world.clock.now + this.#clockOffset
  }

  /**
   * For the application: calls the action after a time. A standing process calls it once it goes
   * on, a dead one never.
   */
  later(after: Milliseconds, action: () => void): void {
    this.#world.clock.after(after, () => this.#whenAwake(action))
  }

  /**
   * For the application: opens a connection for streams. It ends in `connected` or in a call of
   * `failed`.
   */
  dialApplication(peer: NodeId, addresses: readonly Address[], failed: () => void): void {
    this.#world.network.dialApplication(this.endpoint, peer, addresses, () => this.#whenAwake(failed))
  }

  /** For the application: sends data. Returns false if there is no connection to this peer. */
  sendApplication(peer: NodeId, data: Payload): boolean {
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

  /** SIGSTOP. */
  stop(): void {
    this.#stopped = true
    this.#standStill()
  }

  /** SIGCONT. */
  continue(): void {
    this.#stopped = false
    this.#wakeUp()
  }

  /** Keeps the event loop busy for so long. */
  stall(ms: Milliseconds): void {
    this.#stalledUntil = Math.max(this.#stalledUntil, this.#world.clock.now + ms)
    this.#world.clock.at(this.#stalledUntil, () => this.#wakeUp())
    this.#standStill()
  }

  /** SIGKILL. Also used for any other end of the process. */
  kill(): void {
    if (this.state === 'gone') return
    this.state = 'gone'
    this.#inbox.length = 0
    if (this.#timer !== undefined) this.#world.clock.cancel(this.#timer)
    this.#world.network.exit(this.endpoint)
    this.#world.gossip.exit(this.endpoint)
    this.#world.history.ended(this.index)
    this.#lastIncarnation = this.protocol.self?.incarnation ?? 0
    this.#protocol = undefined
    this.#application = undefined
    this.#paused.clear()
  }

  #standStill(): void {
    if (this.state !== 'running') return
    this.state = 'standing'
    this.endpoint.awake = false
    this.#world.stood(this)
  }

  #wakeUp(): void {
    if (this.state !== 'standing' || this.#stopped || this.#world.clock.now < this.#stalledUntil) return
    this.state = 'running'
    this.endpoint.awake = true
    this.#world.stood(this)
    // A resumed event loop looks at its timers first, then at its sockets.
    if (this.#timerDue) this.#handle({ type: 'timer' })
    for (const action of this.#inbox.splice(0)) action()
    this.#world.network.woken(this.endpoint)
  }

  /** `sender` is the number of the node that sent a frame. */
  #receive(input: Input<Payload>, sender?: number): void {
    if (this.state === 'running') this.#handle(input, sender)
    else this.#whenAwake(() => this.#handle(input, sender))
  }

  #whenAwake(action: () => void): void {
    if (this.state === 'running') action()
    else if (this.state === 'standing') this.#inbox.push(action)
  }

  #handle(input: Input<Payload>, sender?: number): void {
    if (this.state === 'gone') return
    if (input.type === 'timer') this.#timerDue = false
    this.#world.history.input(this.index, input, sender)
    this.#carryOut(this.protocol.handle(input, this.now))
  }

  #take(message: GossipMessage, from: Endpoint): void {
    if (this.state === 'gone') return
    this.traffic.broadcastsReceived += 1
    this.traffic.broadcastBytesReceived += message.data.length
    if (!this.#world.gossip.arrived(this.endpoint, message, from)) {
      this.traffic.broadcastDuplicates += 1
      return
    }
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
        if (!network.send(this.endpoint, effect.to, effect.data, framePurpose(effect.data), effect.urgent)) return
        this.traffic.framesSent += 1
        this.traffic.frameBytesSent += effect.data.length
        return
      case 'broadcast':
        gossip.publish(this.endpoint, effect.data)
        return
      case 'connect':
        this.#connect(effect.peer, effect.addresses)
        return
      case 'pause':
        this.#pause(effect.peer, effect.until - this.#clockOffset)
        return
      case 'disconnect':
        network.disconnect(this.endpoint, effect.peer)
        return
      case 'probeHost': {
        const { peer } = effect
        network.probeHost(this.endpoint, effect.addresses, (outcome) => this.#receive({ type: 'hostProbed', peer, outcome }))
        return
      }
      case 'timer':
        this.#setTimer(effect.at - this.#clockOffset)
        return
      case 'persist':
        this.storedIncarnation = effect.incarnation
        return
      case 'notify':
        if (this.#world.keepsNews) this.news.push({ time: this.#world.clock.now, notification: effect.notification })
        this.#world.noticed(this, effect.notification)
        this.#application?.told(effect.notification)
        return
      case 'fail':
        this.failure = `${effect.code}: ${effect.message}`
        this.kill()
    }
  }

  #frame(from: Endpoint, data: Payload, urgent: boolean): void {
    const pause = urgent ? undefined : this.#paused.get(from.id)
    if (pause !== undefined) pause.waiting.push({ from, data })
    else this.#handle({ type: 'frame', from: from.id, data }, from.index)
  }

  /** Frames of the peer wait in order. They are lost if the link breaks before. */
  #pause(peer: NodeId, until: Milliseconds): void {
    const pause = this.#paused.get(peer) ?? { until, waiting: [] }
    pause.until = Math.max(pause.until, until)
    this.#paused.set(peer, pause)
    this.#world.clock.at(pause.until, () => this.#whenAwake(() => this.#goOnReading(peer, pause)))
  }

  #goOnReading(peer: NodeId, pause: Pause): void {
    if (this.#paused.get(peer) !== pause || this.#world.clock.now < pause.until) return
    this.#paused.delete(peer)
    while (pause.waiting.length > 0) {
      const next = this.#paused.get(peer)
      // One of these frames paused the reading again.
      if (next !== undefined) {
        next.waiting.unshift(...pause.waiting)
        return
      }
      const { from, data } = pause.waiting.shift() as Waiting
      this.#handle({ type: 'frame', from: from.id, data }, from.index)
    }
  }

  #connect(peer: NodeId | undefined, addresses: readonly Address[]): void {
    this.#world.network.dial(this.endpoint, peer, addresses, (failure) =>
      this.#receive({ type: 'unreachable', peer, addresses, failure, reason: addressesFailed[failure] }),
    )
  }

  #setTimer(at: Milliseconds): void {
    if (this.#timer !== undefined) this.#world.clock.cancel(this.#timer)
    this.#timerDue = false
    this.#timer = this.#world.clock.at(at, this.#timerFired)
  }

  readonly #timerFired = (): void => {
    this.#timer = undefined
    if (this.state === 'running') this.#handle({ type: 'timer' })
    else this.#timerDue = true
  }
}
