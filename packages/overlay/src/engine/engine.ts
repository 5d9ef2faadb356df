/**
 * Runs the protocol on a host: turns the host's events into inputs, and executes the protocol's
 * effects.
 */
import {
  ProtocolNode,
  type Address,
  type BroadcastVerdict,
  type Command,
  type Config,
  type Effect,
  type HostProbeOutcome,
  type Input,
  type Introducer,
  type Measured,
  type Milliseconds,
  type NodeId,
  type Notification,
} from '@jel/protocol'
import { Driver, type EffectHandlers } from '@jel/machine'
import { raceSignal } from 'race-signal'
import { firstReach } from '#platform/network'
import type { Connection } from '@libp2p/interface'
import { isPublic, looksDialable } from '../base/addresses.ts'
import { Clock } from '../base/clock.ts'
import { isDirect } from '../circuits/circuit-transport.ts'
import { IdentityInUseError, OverlayClosedError, asError } from '../base/errors.ts'
import type { PoolNames } from '../base/names.ts'
import { Connector } from './connector.ts'
import { Dialer } from '../dialing/dialing.ts'
import { probeHost } from '../dialing/host-probe.ts'
import type { MdnsDiscovery } from '../host/mdns-discovery.ts'
import type { AllowList } from '../host/allow-list.ts'
import type { Host } from '../host/host.ts'
import { answers } from '../host/muxer.ts'
import type { Refusals } from '../host/refusals.ts'
import type { Identity } from '../identity/identity.ts'
import type { PeersFile } from '../identity/peers-file.ts'
import type { RecordsFile } from '../identity/records-file.ts'
import type { PoolKeys } from '../identity/pool-keys.ts'
import { createServices } from '../identity/signatures.ts'
import { Links } from '../links/links.ts'
import { Paths } from '../relay/paths.ts'
import { HolePunches } from '../relay/hole-punches.ts'
import { RelayConnections } from '../relay/relay-connections.ts'
import { handshakeTimeout } from '../base/timeouts.ts'
import { OwnAddresses } from './own-addresses.ts'
import { UnlinkedPeers } from './unlinked-peers.ts'

/** Time for an answer of a peer that has connected again, ms. Guess: that of a handshake. */
const answerTime = handshakeTimeout

export interface Parts {
  readonly pool: string
  readonly location: string
  readonly tag: Uint8Array
  readonly config: Config
  readonly names: PoolNames
  readonly host: Host
  readonly identity: Identity
  readonly discovery: MdnsDiscovery | undefined
  readonly keyed: boolean
  /** The addresses of introducers that the user gave. */
  readonly given: readonly Address[]
  readonly keys: PoolKeys
  readonly allowed: AllowList
  readonly peers: PeersFile | undefined
  readonly records: RecordsFile | undefined
  readonly refusals: Refusals
  /** Whether this node founds the pool if no introducer lets it in. */
  readonly founds: boolean
}

export interface EngineEvents {
  onNotification(notification: Notification): void
  /** Called while the node handles an input. The receiver must only note the measurement. */
  onMeasured(measured: Measured): void
  /** A link is up. */
  onLinked(): void
  /** The addresses of this node have changed. */
  onAddresses(): void
  /** The node can't go on. */
  onFailure(error: Error): void
}

export class Engine {
  readonly node: ProtocolNode
  readonly links: Links
  readonly dialer: Dialer
  readonly paths: Paths
  readonly relays: RelayConnections
  readonly #parts: Parts
  readonly #events: EngineEvents
  readonly #clock = new Clock()
  readonly #driver: Driver<Input, Effect>
  readonly #connector: Connector
  readonly #punches: HolePunches
  readonly #addresses: OwnAddresses
  readonly #unlinked: UnlinkedPeers
  /** Settled when the protocol has entered: it knows the pool, or goes on alone. */
  readonly #entered = Promise.withResolvers<void>()

  constructor(parts: Parts, events: EngineEvents) {
    const { pool, location, tag, config, names, host, identity, keyed, given, peers, refusals } = parts
    this.#parts = parts
    this.#events = events
    this.node = new ProtocolNode({
      id: identity.id,
      pool,
      location,
      tag,
      storedIncarnation: identity.incarnation,
      reach: firstReach,
      ...(peers && { storedEpochs: peers.epochs }),
      config,
      services: createServices(identity.privateKey, (measured) => events.onMeasured(measured)),
    })
    this.#entered.promise.catch(() => {}) // perhaps nobody waits for it
    this.#driver = new Driver(this.node, this.#handlers(), this.#clock)
    this.#addresses = new OwnAddresses(() => host.addresses(), config.limits.addresses)
    this.links = new Links(
      {
        maxFrameBytes: config.limits.frameBytes,
        urgent: names.urgent,
        answers: async (connection) => await answers(connection, answerTime),
        isOwn: (protocol) => [...names.links, ...names.urgent, names.punch].includes(protocol) || host.isOwnProtocol(protocol),
        keeps: (connection) => this.relays.keeps(connection),
      },
      {
        onUp: (peer, connection) => this.#linked(peer, connection),
        onFrame: (from, data) => this.deliver({ type: 'frame', from, data }),
        onDown: (peer) => this.deliver({ type: 'disconnected', peer }),
        onMoved: (connection) => host.topic.introduce(connection),
        onMisbehaviour: (peer, problem) => this.deliver({ type: 'misbehaved', peer, problem }),
      },
    )
    this.dialer = new Dialer(host.libp2p, { protocols: names.links, keyed, given })
    const { links, dialer, node } = this
    this.#unlinked = new UnlinkedPeers({ host, names, refusals, knows: (id) => links.has(id) || node.member(id) !== undefined })
    const { libp2p } = host
    const services = { libp2p, dialer, members: () => node.members(), today: () => Date.now() }
    this.relays = new RelayConnections({ ...services, self: () => node.self, find: (id) => node.member(id) })
    this.paths = new Paths({ ...services, self: identity.id, addresses: () => node.self?.addresses ?? [] })
    this.#connector = new Connector({
      host,
      links,
      dialer,
      paths: this.paths,
      names,
      find: (id) => node.member(id),
      deliver: (input) => this.deliver(input),
    })
    this.#punches = new HolePunches({
      host,
      protocol: names.punch,
      self: () => node.self,
      find: (id) => node.member(id),
      // The circuit stays if the new connection ends at once.
      onConnected: (connection) => void this.#connector.move(connection).catch(() => {}),
    })
  }

  get now(): Milliseconds {
    return this.#clock.now()
  }

  /** Resolves when this node has entered the pool. */
  async start(introducers: readonly Introducer[], signal: AbortSignal | undefined): Promise<void> {
    const { host, records } = this.#parts
    await this.#connector.listen()
    await this.#punches.start()
    await host.start()
    signal?.throwIfAborted()
    host.libp2p.addEventListener('connection:open', ({ detail }) => {
      this.links.closeIfUnusedLater(detail)
      this.#unlinked.watch(detail)
    })
    host.libp2p.addEventListener('self:peer:update', () => this.updateAddresses())
    host.libp2p.addEventListener('stop', () => this.#events.onFailure(new OverlayClosedError('the libp2p host was stopped')))
    host.topic.join(
      (data) => this.#judge(data),
      (peer, problem) => this.#connector.cutOff(peer, problem),
    )
    this.deliver({ type: 'start', addresses: this.#addresses.first(), introducers, ...(records && { saved: records.read() }) })
    await raceSignal(this.#entered.promise, signal)
  }

  /** Hands a broadcast to the protocol. Returns whether to forward it. */
  #judge(data: Uint8Array): BroadcastVerdict {
    const question = (now: Milliseconds): { answer: BroadcastVerdict; effects: Effect[] } => {
      const { verdict, effects } = this.node.handleBroadcast(data, now)
      return { answer: verdict, effects }
    }
    return this.#driver.ask(question) ?? 'ignore'
  }

  command(command: Command): void {
    this.deliver({ type: 'command', command })
  }

  deliver(input: Input): void {
    this.#driver.deliver(input)
  }

  /** Checks whether the addresses of the host have changed. */
  updateAddresses(): void {
    const addresses = this.#addresses.changed()
    if (addresses === undefined) return
    this.deliver({ type: 'addresses', addresses })
    this.#events.onAddresses()
  }

  /** Ends all links and stops the host. A pending start fails with `error`. */
  async stop(error: Error): Promise<void> {
    const { host } = this.#parts
    this.#driver.stop()
    this.dialer.stop()
    this.#entered.reject(error)
    await host.topic.flushed()
    await this.links.closeAll()
    await host.stop()
  }

  #handlers(): EffectHandlers<Effect> {
    const { host } = this.#parts
    const connect = (effect: Extract<Effect, { type: 'connect' }>): void => void this.#connector.connect(effect)
    return {
      connect,
      send: ({ to, data, urgent }) => this.links.send(to, data, urgent),
      pause: ({ peer, until }) => this.links.pause(peer, until - this.#clock.now()),
      broadcast: ({ data }) => host.topic.publish(data),
      disconnect: ({ peer }) => void this.links.close(peer),
      probeHost: ({ peer, addresses }) =>
        void this.#probe(peer, addresses).then((outcome) => this.deliver({ type: 'hostProbed', peer, outcome })),
      persist: ({ incarnation }) => this.#persist(incarnation),
      notify: ({ notification }) => {
        this.#events.onNotification(notification)
        if (notification.type === 'entered') this.#entered.resolve()
      },
      fail: ({ message }) => this.#events.onFailure(new IdentityInUseError(message)),
    }
  }

  /**
   * Probes the host of a member. A member behind relays has no host that this node could probe.
   * Such a probe counts as accepted. Then the protocol dials the member, and the dial shows whether
   * the member lives.
   */
  async #probe(peer: NodeId, addresses: readonly Address[]): Promise<HostProbeOutcome> {
    const member = this.node.member(peer)
    return member !== undefined && this.paths.needsRelay(member) ? 'accepted' : await probeHost(addresses)
  }

  #linked(peer: NodeId, connection: Connection): void {
    const { direction, remoteAddr } = connection
    const member = this.node.member(peer)
    // A hidden member with a public remote address is behind a NAT, so others can't dial it. If a
    // dial of this node reached it all the same, both sides dialled at once (hole punching). So the
    // outbound direction proves nothing here.
    const isHidden = member !== undefined && member.reach !== 'direct' && isPublic(remoteAddr)
    const dialable = isDirect(connection) && !isHidden && (direction === 'outbound' || looksDialable(remoteAddr, member?.addresses))
    this.#parts.host.topic.introduce(connection)
    this.deliver({ type: 'connected', peer, dialable })
    this.#events.onLinked()
  }

  #persist(incarnation: number): void {
    try {
      this.#parts.identity.persist(incarnation)
    } catch (error) {
      // This incarnation is not stored. So the next run could announce it a second time.
      this.#events.onFailure(asError(error))
    }
  }
}
