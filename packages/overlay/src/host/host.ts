/**
 * The libp2p host. It has TCP, Noise, yamux, gossipsub and identify. mDNS and UPnP are options. The
 * host never dials by itself.
 */
import { portMapperOf, webListenerOf } from '#platform/environment'
import { holePunchingOf, transports } from '#platform/network'
import { noise } from '@chainsafe/libp2p-noise'
import type { GossipSub, GossipSubComponents } from '@libp2p/gossipsub'
import { identify, type Identify, type IdentifyComponents } from '@libp2p/identify'
import type { ComponentLogger, Connection, Libp2p, Logger, PrivateKey, ServiceMap, Upgrader } from '@libp2p/interface'
import type { AddressManager, Registrar, TransportManager } from '@libp2p/interface-internal'
import type { MulticastDNSComponents } from '@libp2p/mdns'
import type { UPnPNATComponents } from '@libp2p/upnp-nat'
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { announceable, tcpEndpoint } from '../base/addresses.ts'
import { ListenError, reasonOf } from '../base/errors.ts'
import { handshakeTimeout } from '../base/timeouts.ts'
import { circuitTransport, type CircuitOptions } from '../circuits/circuit-transport.ts'
import { longestStretch } from '../base/turn-timeout.ts'
import type { WebListenerOptions } from '../web/web-listener.ts'
import type { PoolKey, PoolKeys } from '../identity/pool-keys.ts'
import type { HolePunching } from '../platform/types.ts'
import type { MdnsDiscovery } from './mdns-discovery.ts'
import { connectionGater, type AllowList } from './allow-list.ts'
import { muxer } from './muxer.ts'
import { Protector } from './protector.ts'
import { Records } from './records.ts'
import type { Refusals } from './refusals.ts'
import { Topic, router } from './gossipsub.ts'
import { TrafficMeter } from './traffic.ts'
import { tuned } from './upgrades.ts'

/**
 * The largest number of connections of one host. Guess: a node has fewer than 30 links, and
 * newcomers connect as well.
 */
const maxConnections = 1_024

/**
 * The largest number of inbound handshakes at a time. Each holds a socket and some memory until it
 * ends or times out. Guess: hundreds of nodes may join at once.
 */
const maxPendingConnections = 512

/**
 * The largest number of inbound connections a second from one IP address. With libp2p's default of
 * 5, many nodes behind one address could not join: of 30 nodes that dialled the same node, 5 got in
 * (measured). A link takes 11 ms of processor time. So the processor is the tighter limit: it
 * manages about 90 links a second.
 */
const maxConnectionsPerSecond = 1_000

/** Time that libp2p has to close all connections, ms. Guess. */
const stopTime = 3_000

/**
 * The largest number of connections of one peer. Guess: simultaneous dials give two, and some may
 * be dead.
 */
const maxConnectionsOfPeer = 8

/**
 * libp2p makes a logger for each connection and stream. Each logger asks the terminal whether it
 * shows colours: 0.4 ms a link (measured). Nobody reads these logs unless the environment has
 * `DEBUG`, as in `DEBUG=libp2p:*`.
 */
const silence: Logger = Object.assign(() => {}, { error: () => {}, trace: () => {}, enabled: false, newScope: () => silence })
const silentLogger: ComponentLogger = { forComponent: () => silence }

export interface HostOptions {
  readonly privateKey: PrivateKey
  /**
   * Undefined: a free port on all interfaces, on IPv4 and IPv6. It is the same port on both, if
   * possible. Without IPv6 the host listens on IPv4 alone.
   */
  readonly listen: readonly Multiaddr[] | undefined
  /** The addresses to announce instead of the listen addresses. */
  readonly announce?: readonly Multiaddr[]
  readonly keys: PoolKeys
  readonly allowed: AllowList
  readonly refusals: Refusals
  /** Whether to make the router map a port (UPnP). */
  readonly portMapping?: boolean
  readonly circuits: CircuitOptions
  /** Where and how the host takes WebSockets of browsers. Undefined: it takes none. */
  readonly web?: WebOptions | undefined
  readonly topic: string
  readonly maxMessageBytes: number
  readonly discovery: MdnsDiscovery | undefined
}

export interface WebOptions extends WebListenerOptions {
  readonly listen: Multiaddr
}

interface Services extends ServiceMap {
  readonly pubsub: GossipSub
  readonly identify: Identify
}

/** The default listen address. {@link Host.start} adds IPv6, if possible on the same port. */
const anyIPv4 = '/ip4/0.0.0.0/tcp/0'

interface Components {
  readonly registrar: Registrar
  readonly addressManager: AddressManager
  readonly transportManager: TransportManager
}

export class Host {
  readonly libp2p: Libp2p<Services>
  readonly topic: Topic
  readonly traffic: TrafficMeter
  readonly #components: Components
  readonly #listen: readonly Multiaddr[] | undefined
  readonly #announce: readonly Multiaddr[]
  readonly #protector: Protector

  private constructor(libp2p: Libp2p<Services>, components: Components, traffic: TrafficMeter, protector: Protector, options: HostOptions) {
    const { topic, maxMessageBytes, listen, announce = [] } = options
    this.libp2p = libp2p
    this.traffic = traffic
    this.topic = new Topic(topic, maxMessageBytes, libp2p.services.pubsub, components.registrar)
    this.#components = components
    this.#listen = listen
    this.#announce = announce
    this.#protector = protector
  }

  /** Creates a host that does not listen yet. */
  static async create(options: HostOptions): Promise<Host> {
    let parts: Components | undefined
    const traffic = new TrafficMeter()
    const { listen = [anyIPv4], announce = [], allowed, discovery, keys, refusals, circuits, web } = options
    const onRefused = (address: Multiaddr, reason: string): void => refusals.add(address, reason)
    const protector = new Protector(keys)
    const watched = (upgrader: Upgrader): Upgrader => tuned(upgrader, traffic, onRefused)
    const webTransports = web === undefined ? [] : [await webListenerOf(web, watched)]
    const mapPort = options.portMapping === true ? await portMapperOf() : undefined
    const libp2p = await createLibp2p<Services>({
      start: false,
      ...((globalThis as { process?: NodeJS.Process }).process?.env['DEBUG'] === undefined && { logger: silentLogger }),
      privateKey: options.privateKey,
      addresses: {
        listen: [...listen, ...(web === undefined ? [] : [web.listen])].map(String),
        announce: announce.map(String),
        announceFilter: announceable,
      },
      datastore: new Records(),
      transports: [...transports(watched), circuitTransport(circuits, watched), ...webTransports],
      connectionEncrypters: [noise()],
      streamMuxers: [muxer()],
      connectionProtector: () => protector,
      connectionGater: connectionGater(allowed, refusals),
      connectionManager: {
        maxConnections,
        maxIncomingPendingConnections: maxPendingConnections,
        inboundConnectionThreshold: maxConnectionsPerSecond,
        // Handshakes and dials have stricter time-outs of their own. libp2p's time-outs must not
        // expire before them.
        inboundUpgradeTimeout: (longestStretch + 1) * handshakeTimeout,
        dialTimeout: (longestStretch + 1) * handshakeTimeout,
        addressDialTimeout: (longestStretch + 1) * handshakeTimeout,
      },
      // The monitor pings all links every 10 s: 31 % of a core for 200 idle nodes. It also aborts
      // links of busy nodes (both measured).
      connectionMonitor: { enabled: false },
      services: {
        // This host answers identify requests, but sends none by itself: see Topic.introduce.
        identify: (components: IdentifyComponents & Components) => {
          parts = components
          return identify({ runOnConnectionOpen: false })(components)
        },
        pubsub: (components: GossipSubComponents) => router(options.topic, options.maxMessageBytes)(components),
        ...(discovery && { discovery: (components: MulticastDNSComponents) => discovery.create(components) }),
        ...(mapPort && { portMapping: (components: UPnPNATComponents) => mapPort(components) }),
      },
    })
    if (!parts) throw new Error('libp2p did not create its services')
    const host = new Host(libp2p, parts, traffic, protector, options)
    // The application may have removed the peer from the allow list during the handshake.
    libp2p.addEventListener('connection:open', ({ detail: { remotePeer } }) => {
      const id = remotePeer.toString()
      if (!allowed.has(id)) host.refuse(id)
      // Aborts the oldest connections of the peer: they are the most likely to be dead.
      for (const extra of libp2p.getConnections(remotePeer).slice(0, -maxConnectionsOfPeer))
        extra.abort(new Error('the peer has too many connections'))
    })
    return host
  }

  /** Throws {@link ListenError}; in that case nothing stays open. */
  async start(): Promise<void> {
    try {
      await this.libp2p.start()
    } catch (error) {
      throw listenError(this.#listen ?? [multiaddr(anyIPv4)], error)
    }
    if (this.#listen === undefined) await this.#listenOnIPv6()
  }

  /** Also listens on IPv6, if possible at the port of IPv4. Then both have one port number. */
  async #listenOnIPv6(): Promise<void> {
    const { transportManager } = this.#components
    const [first] = transportManager.getAddrs()
    const port = first && tcpEndpoint(first.bytes)?.port
    for (const each of [port, 0]) {
      try {
        await transportManager.listen([multiaddr(`/ip6/::/tcp/${each}`)])
        return
      } catch {
        // The port is in use on IPv6, or this machine has no IPv6.
      }
    }
  }

  /** Returns the present addresses under which others may reach this host. */
  addresses(): Multiaddr[] {
    if (this.#announce.length > 0) return [...this.#announce]
    const { addressManager, transportManager } = this.#components
    // libp2p announces a public address of its own interfaces only after a peer has confirmed it
    // (AutoNAT). A host with a public address is reachable at once. So this method confirms all
    // listen addresses itself.
    for (const address of transportManager.getAddrs()) {
      addressManager.confirmObservedAddr(address, { type: 'transport', ttl: Number.MAX_SAFE_INTEGER })
    }
    return this.libp2p.getMultiaddrs()
  }

  /** Ends the connections of a peer that may no longer connect. */
  refuse(id: string): void {
    for (const connection of this.libp2p.getConnections()) {
      if (connection.remotePeer.toString() === id) connection.abort(new Error('the peer was removed from the allow list'))
    }
  }

  /** Ends the connections under a pool key that was removed. */
  drop(key: PoolKey): void {
    this.#protector.abort(key)
  }

  /** Asks a peer for its protocols. Throws if the peer does not answer in time. */
  async protocolsOf(connection: Connection, signal: AbortSignal): Promise<readonly string[]> {
    return (await this.libp2p.services.identify.identify(connection, { signal })).protocols
  }

  /** Returns the address at which a peer sees this host. Throws if the peer does not answer. */
  async seenBy(connection: Connection, signal: AbortSignal): Promise<Multiaddr | undefined> {
    return (await this.libp2p.services.identify.identify(connection, { signal })).observedAddr
  }

  /** Undefined: this platform can't make connections through NATs. */
  get punching(): HolePunching | undefined {
    return holePunchingOf(this.#components.transportManager.getTransports())
  }

  /**
   * Whether libp2p or gossipsub uses the protocol. False for protocols of links and the
   * application.
   */
  isOwnProtocol(protocol: string): boolean {
    return protocol.startsWith('/ipfs/') || this.libp2p.services.pubsub.protocols.includes(protocol)
  }

  /**
   * Forgets peers without a connection. libp2p keeps data about every peer for hours, and nothing
   * here uses that data. Without this method the store of a node grows while members come and go.
   */
  async forgetPeers(): Promise<void> {
    const { peerStore, peerId } = this.libp2p
    try {
      for (const { id } of await peerStore.all()) {
        if (!id.equals(peerId) && this.libp2p.getConnections(id).length === 0) await peerStore.delete(id)
      }
    } catch (error) {
      // The host is stopping, and its store with it.
      if (this.libp2p.status === 'started') throw error
    }
  }

  async stop(): Promise<void> {
    const { pubsub } = this.libp2p.services
    const heartbeat = (pubsub as { status?: { heartbeatTimeout?: NodeJS.Timeout } }).status?.heartbeatTimeout
    // A peer that takes no bytes must not keep this node from stopping.
    const timer = setTimeout(() => this.traffic.destroyAll(), stopTime)
    try {
      await this.libp2p.stop()
    } finally {
      clearTimeout(timer)
    }
    // Two timers survive the stop: gossipsub's heartbeat and the address manager's debouncing. They
    // would keep the process alive for 2 s.
    clearTimeout(heartbeat)
    const { _updatePeerStoreAddresses: update } = this.#components.addressManager as { _updatePeerStoreAddresses?: { stop?: () => void } }
    update?.stop?.()
  }
}

const listenProblems: Record<string, string> = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'the address is not one of this machine',
  EACCES: 'no permission to use that port',
}

/** libp2p reports all failed addresses in one message, each as `\n  <address>: <stack trace>`. */
function listenError(listen: readonly Multiaddr[], error: unknown): ListenError {
  const text = reasonOf(error)
  const problems = listen.map(String).flatMap((address) => {
    const line = text.split('\n').find((each) => each.trimStart().startsWith(`${address}: `))
    if (line === undefined) return []
    const code = Object.keys(listenProblems).find((each) => line.includes(each))
    return `can't listen on ${address}: ${code === undefined ? line.slice(line.indexOf(': ') + 2) : listenProblems[code]}`
  })
  return new ListenError(problems.length > 0 ? problems.join('; ') : `can't listen: ${text}`, { cause: error })
}
