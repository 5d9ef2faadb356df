/**
 * The libp2p host: TCP, Noise, yamux and gossipsub, and nothing that is not needed. It never dials by itself.
 */
import { noise } from '@chainsafe/libp2p-noise'
import type { GossipSub, GossipSubComponents } from '@libp2p/gossipsub'
import { identify, type Identify, type IdentifyComponents } from '@libp2p/identify'
import type { ComponentLogger, Libp2p, Logger, PrivateKey, ServiceMap } from '@libp2p/interface'
import type { AddressManager, Registrar, TransportManager } from '@libp2p/interface-internal'
import type { MulticastDNSComponents } from '@libp2p/mdns'
import { preSharedKey } from '@libp2p/pnet'
import type { Multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { announceable } from '../base/addresses.ts'
import { ListenError, reasonOf } from '../base/errors.ts'
import { longestStretch } from '../base/own-time.ts'
import type { Discovery } from './discovery.ts'
import { muxer } from './muxer.ts'
import { Records } from './records.ts'
import { Topic, router } from './gossipsub.ts'
import { TrafficMeter } from './traffic.ts'
import { handshakeTimeout, transport } from './transport.ts'

/** Connections of one host. Guess: links stay below 30, newcomers come on top. */
const maxConnections = 1_024

/** Inbound handshakes at a time: each holds a socket and some memory until it ends or times out. Guess: a flash join of hundreds. */
const maxPendingConnections = 512

/**
 * Inbound connections a second from one IP. libp2p's 5 keeps a laboratory, a NAT or the processes of one machine from joining: of 30 nodes
 * that dialled one, 5 got in (measured). A link costs 11 ms, so the processor gives in at 100.
 */
const maxConnectionsPerSecond = 1_000

/**
 * libp2p makes a logger for each connection and stream and asks the terminal each time whether it shows colours: 0.4 ms a link (measured),
 * for what nobody reads unless the environment has `DEBUG=libp2p:*`.
 */
const silence: Logger = Object.assign(() => {}, { error: () => {}, trace: () => {}, enabled: false, newScope: () => silence })
const silentLogger: ComponentLogger = { forComponent: () => silence }

export interface HostOptions {
  readonly privateKey: PrivateKey
  readonly listen: readonly Multiaddr[]
  /** The pool key, checked. */
  readonly key: Uint8Array | undefined
  readonly topic: string
  readonly maxMessageBytes: number
  readonly discovery: Discovery | undefined
}

interface Services extends ServiceMap {
  readonly pubsub: GossipSub
  readonly identify: Identify
}

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
  readonly #listen: readonly Multiaddr[]

  private constructor(
    libp2p: Libp2p<Services>,
    components: Components,
    traffic: TrafficMeter,
    { topic, maxMessageBytes, listen }: HostOptions,
  ) {
    this.libp2p = libp2p
    this.traffic = traffic
    this.topic = new Topic(topic, maxMessageBytes, libp2p.services.pubsub, components.registrar)
    this.#components = components
    this.#listen = listen
  }

  /** Not yet listening. */
  static async create(options: HostOptions): Promise<Host> {
    let parts: Components | undefined
    const { key, discovery } = options
    const traffic = new TrafficMeter()
    const libp2p = await createLibp2p<Services>({
      start: false,
      ...(process.env['DEBUG'] === undefined && { logger: silentLogger }),
      privateKey: options.privateKey,
      addresses: { listen: options.listen.map(String), announceFilter: announceable },
      datastore: new Records(),
      transports: [transport(traffic)],
      connectionEncrypters: [noise()],
      streamMuxers: [muxer()],
      ...(key && { connectionProtector: preSharedKey({ psk: key }) }),
      ...(discovery && { peerDiscovery: [(components: MulticastDNSComponents) => discovery.create(components)] }),
      connectionManager: {
        maxConnections,
        maxIncomingPendingConnections: maxPendingConnections,
        inboundConnectionThreshold: maxConnectionsPerSecond,
        // Handshakes and dials bring their own, more exact time-outs: these only must not come first.
        inboundUpgradeTimeout: (longestStretch + 1) * handshakeTimeout,
        dialTimeout: (longestStretch + 1) * handshakeTimeout,
        addressDialTimeout: (longestStretch + 1) * handshakeTimeout,
      },
      // It pings all links every 10 s: 31 % of a core for 200 idle nodes, and aborts links of busy ones (measured).
      connectionMonitor: { enabled: false },
      services: {
        // Answers whoever asks, but does not ask: see Topic.introduce.
        identify: (components: IdentifyComponents & Components) => {
          parts = components
          return identify({ runOnConnectionOpen: false })(components)
        },
        pubsub: (components: GossipSubComponents) => router(options.topic, options.maxMessageBytes)(components),
      },
    })
    if (!parts) throw new Error('libp2p did not create its services')
    return new Host(libp2p, parts, traffic, options)
  }

  /** Throws {@link ListenError}; nothing stays open then. */
  async start(): Promise<void> {
    try {
      await this.libp2p.start()
    } catch (error) {
      throw listenError(this.#listen, error)
    }
  }

  /** Addresses under which others may reach this host, as of now. */
  addresses(): Multiaddr[] {
    const { addressManager, transportManager } = this.#components
    // libp2p announces the public addresses of its own interfaces only once somebody confirmed them (AutoNAT). A server has no NAT.
    for (const address of transportManager.getAddrs()) {
      addressManager.confirmObservedAddr(address, { type: 'transport', ttl: Number.MAX_SAFE_INTEGER })
    }
    return this.libp2p.getMultiaddrs()
  }

  /** Protocols that this host speaks for itself, beside its links. */
  isOwnProtocol(protocol: string): boolean {
    return protocol.startsWith('/ipfs/') || this.libp2p.services.pubsub.protocols.includes(protocol)
  }

  /**
   * libp2p keeps for hours what it knows of every peer that it ever met or dialled. Nobody here asks for it, and in an hour of churn a node grew
   * by 14 MB (measured, with 64 KiB a record; see {@link Records}).
   */
  async forgetPeers(): Promise<void> {
    const { peerStore, peerId } = this.libp2p
    try {
      for (const { id } of await peerStore.all()) {
        if (!id.equals(peerId) && this.libp2p.getConnections(id).length === 0) await peerStore.delete(id)
      }
    } catch (error) {
      // The host stops meanwhile, and its store with it.
      if (this.libp2p.status === 'started') throw error
    }
  }

  async stop(): Promise<void> {
    const { pubsub } = this.libp2p.services
    const heartbeat = (pubsub as { status?: { heartbeatTimeout?: NodeJS.Timeout } }).status?.heartbeatTimeout
    await this.libp2p.stop()
    // Two timers survive the stop, gossipsub's heartbeat and the address manager's debouncing: they would keep the process for 2 s.
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

/** libp2p puts all addresses and their stack traces into one message: `\n  <address>: <stack>`. */
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
