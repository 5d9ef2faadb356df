/**
 * Joins a pool: puts together the host, the links and the protocol, and takes them apart again.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { hostname } from 'node:os'
import {
  ProtocolNode,
  makeConfig,
  nameProblem,
  type Address,
  type Config,
  type Effect,
  type Input,
  type NodeId,
  type Notification,
} from '@jel/protocol'
import type { Connection, Libp2p, Stream } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { Closed, Overlay, OverlayHealth, OverlayNotification, OverlayOptions, PoolMember, PoolReign } from './api.ts'
import { Applications } from './applications.ts'
import { introducerOf, isLoopbackAddress, looksDialable, parseIntroducer, parseListenAddress } from './base/addresses.ts'
import { Clock } from './base/clock.ts'
import { ElectionNames } from './election-names.ts'
import { IdentityInUseError, OverlayClosedError, SignalError, reasonOf } from './base/errors.ts'
import { poolNames, type PoolNames } from './base/names.ts'
import { DialError, Dialer } from './dialing/dialing.ts'
import { knock } from './dialing/knock.ts'
import { Driver, type Carrier } from './driver.ts'
import { Discovery, aloneInterval, wantsDiscovery } from './host/discovery.ts'
import { Host } from './host/host.ts'
import { ephemeralIdentity, openIdentity, type Identity } from './identity/identity.ts'
import { checkPoolKey } from './identity/poolkey.ts'
import { createServices } from './identity/signatures.ts'
import { Links } from './links/links.ts'
import { showHealth, showMember, showNotification, showReign } from './showing.ts'

/** Interfaces come and go without an event; this is how often the host's own addresses are looked up, ms. Measured: 40 µs each time. */
const addressInterval = 5_000

/** How often libp2p is made to forget peers without a connection, ms. Guess: a pool has changed a little in this time. */
const forgetInterval = 60_000

/** Between the left-statement and the stop of the host, ms. Guess: a few hops on a busy machine. */
const goodbyeTime = 100

type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>

/**
 * Starts a host and enters a pool. Resolves when this node is a member.
 *
 * Throws {@link InvalidPoolNameError}, {@link InvalidAddressError}, {@link PoolKeyError}, {@link IdentityFileError},
 * {@link CorruptIdentityError}, {@link IdentityInUseError}, {@link ListenError}, RangeError for an impossible `config`, location or tag,
 * or the reason of `options.signal`. Whatever was opened is closed then. An introducer that does not answer is no error: the protocol
 * goes on alone and keeps trying, with `warning` notifications and {@link Overlay.health} saying so.
 */
export async function startOverlay(options: OverlayOptions): Promise<Overlay> {
  const key = options.key && checkPoolKey(options.key)
  const names = poolNames(options.pool, key)
  const listen = (options.listen ?? ['/ip4/0.0.0.0/tcp/0']).map(parseListenAddress)
  const introducers = (options.bootstrap ?? []).map(parseIntroducer)
  const config = makeConfig(options.config)
  const location = options.location ?? hostname()
  const tag = options.tag ?? new Uint8Array()
  checkLength('location', Buffer.byteLength(location), config.limits.locationBytes)
  checkLength('tag', tag.length, config.limits.tagBytes)
  options.signal?.throwIfAborted()

  const identity = options.identityFile === undefined ? await ephemeralIdentity() : await openIdentity(options.identityFile)
  let overlay: RunningOverlay | undefined
  try {
    const started: { overlay?: RunningOverlay } = {}
    const discovery = wantsDiscovery(options.mdns, listen)
      ? new Discovery(names.service, (introducer) => started.overlay?.discovered(introducer))
      : undefined
    const host = await Host.create({
      privateKey: identity.privateKey,
      listen,
      key,
      topic: names.topic,
      maxMessageBytes: config.limits.frameBytes,
      discovery,
    })
    overlay = new RunningOverlay(options.pool, { config, names, location, tag, host, identity, discovery, keyed: key !== undefined })
    started.overlay = overlay
    await overlay.start(introducers, options.signal)
    return overlay
  } catch (error) {
    await overlay?.abandon(error)
    identity.release()
    throw error
  }
}

/** Others would refuse this node's statement, and it would wonder why nobody knows it. */
function checkLength(what: string, bytes: number, limit: number): void {
  if (bytes > limit) throw new RangeError(`the ${what} is ${bytes} bytes long, more than the ${limit} that are allowed`)
}

function checkName(what: string, name: string): void {
  const problem = nameProblem(name)
  if (problem !== undefined) throw new RangeError(`the name of the ${what} ${problem}`)
}

interface Parts {
  readonly location: string
  readonly tag: Uint8Array
  readonly config: Config
  readonly names: PoolNames
  readonly host: Host
  readonly identity: Identity
  readonly discovery: Discovery | undefined
  readonly keyed: boolean
}

class RunningOverlay implements Overlay {
  readonly pool: string
  readonly closed: Promise<Closed>
  readonly #clock = new Clock()
  readonly #node: ProtocolNode
  readonly #host: Host
  readonly #identity: Identity
  readonly #names: PoolNames
  readonly #limits: Config['limits']
  readonly #discovery: Discovery | undefined
  readonly #driver: Driver
  readonly #links: Links
  readonly #dialer: Dialer
  readonly #applications: Applications
  readonly #listeners = new Set<(notification: OverlayNotification) => void>()
  readonly #entered = Promise.withResolvers<void>()
  readonly #closed = Promise.withResolvers<Closed>()
  readonly #signals = new Map<number, PromiseWithResolvers<void> & { readonly name: string }>()
  readonly #timers: NodeJS.Timeout[] = []
  /** The latest life, also after it ended. */
  #self: PoolMember | undefined
  readonly #elections: ElectionNames
  #lastSignal = 0
  #announced = ''
  /** It has no address but loopback, and is meant for this machine. */
  #isLocal = false
  #closing: Promise<void> | undefined
  #leaving: Promise<void> | undefined

  constructor(pool: string, { location, tag, config, names, host, identity, discovery, keyed }: Parts) {
    this.pool = pool
    this.closed = this.#closed.promise
    this.#host = host
    this.#identity = identity
    this.#names = names
    this.#limits = config.limits
    this.#elections = new ElectionNames(config.limits.elections, (name) => this.reign(name) !== undefined)
    this.#discovery = discovery
    this.#node = new ProtocolNode({
      id: identity.id,
      pool,
      location,
      tag,
      storedIncarnation: identity.incarnation,
      config,
      services: createServices(identity.privateKey),
    })
    this.#driver = new Driver(this.#node, this.#carrier(), this.#clock)
    this.#links = new Links(
      { maxFrameBytes: config.limits.frameBytes, isOwn: (protocol) => names.links.includes(protocol) || host.isOwnProtocol(protocol) },
      {
        onUp: (peer, connection) => this.#linked(peer, connection),
        onFrame: (from, data) => this.#driver.deliver({ type: 'frame', from, data }),
        onDown: (peer) => this.#driver.deliver({ type: 'disconnected', peer }),
        onMoved: (connection) => host.topic.introduce(connection),
        onMisbehaviour: (peer, problem) => {
          this.#driver.deliver({ type: 'misbehaved', peer, problem })
        },
      },
    )
    this.#dialer = new Dialer(host.libp2p, { protocols: names.links, keyed })
    this.#applications = new Applications({
      libp2p: host.libp2p,
      dialer: this.#dialer,
      find: (id) => this.#node.member(id),
      onUnused: (connection) => this.#links.closeIfUnusedLater(connection),
    })
  }

  /** Resolves when this node has entered the pool. */
  async start(introducers: ReturnType<typeof parseIntroducer>[], signal: AbortSignal | undefined): Promise<void> {
    const { libp2p, topic } = this.#host
    await libp2p.handle([...this.#names.links], (stream, connection) => void this.#links.add(stream, connection), {
      maxInboundStreams: 2, // a connection: one in use and one that is just being closed
      maxOutboundStreams: 2,
    })
    await this.#host.start()
    signal?.throwIfAborted()
    libp2p.addEventListener('connection:open', ({ detail }) => this.#links.closeIfUnusedLater(detail))
    libp2p.addEventListener('self:peer:update', () => this.#updateAddresses())
    libp2p.addEventListener(
      'stop',
      () => void this.#close({ reason: 'failed', error: new OverlayClosedError('the libp2p host was stopped') }),
    )
    topic.join(
      (data) => this.#driver.judge(data),
      (peer, problem) => this.#cutOff(peer, problem),
    )
    this.#every(addressInterval, () => this.#updateAddresses())
    this.#every(forgetInterval, () => void this.#host.forgetPeers())
    if (this.#discovery) this.#every(aloneInterval, () => void (this.#links.count === 0 && this.#discovery?.ask()))
    const aborted = Promise.withResolvers<never>()
    const onAbort = (): void => aborted.reject(signal?.reason)
    signal?.addEventListener('abort', onAbort)
    try {
      const own = this.#host.addresses()
      const addresses = this.#protocolAddresses(own)
      this.#isLocal = own.every(isLoopbackAddress)
      this.#announced = addresses.join(' ')
      this.#driver.deliver({ type: 'start', addresses, introducers })
      await Promise.race([this.#entered.promise, aborted.promise])
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }

  /** Another node was found on the local network. */
  discovered(introducer: ReturnType<typeof introducerOf>): void {
    this.#driver.deliver({ type: 'discovered', introducer })
  }

  /** Takes everything down after a start that failed. */
  async abandon(error: unknown): Promise<void> {
    await this.#close({ reason: 'failed', error: error instanceof Error ? error : new OverlayClosedError(reasonOf(error)) })
  }

  get libp2p(): Libp2p {
    return this.#host.libp2p
  }

  get self(): PoolMember {
    if (!this.#self) throw new OverlayClosedError('this node has not entered the pool yet')
    return this.#self
  }

  members(): PoolMember[] {
    return this.#node.members().map(showMember)
  }

  reign(election: string): PoolReign | undefined {
    const reign = this.#node.reign(election)
    return reign && showReign(reign)
  }

  reigns(): PoolReign[] {
    return [...this.#elections].sort().flatMap((election) => this.reign(election) ?? [])
  }

  health(): OverlayHealth {
    const now = this.#clock.now()
    return showHealth(this.#node.health(now), now)
  }

  subscribe(listener: (notification: OverlayNotification) => void): () => void {
    const entry = (notification: OverlayNotification): void => listener(notification) // the same function may subscribe twice
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  elect(election: string): void {
    this.#checkOpen()
    checkName('election', election)
    this.#driver.deliver({ type: 'command', command: { type: 'elect', election } })
  }

  withdraw(election: string): void {
    this.#checkOpen()
    this.#driver.deliver({ type: 'command', command: { type: 'withdraw', election } })
  }

  maybeDead(id: string): void {
    this.#checkOpen()
    this.#driver.deliver({ type: 'command', command: { type: 'maybeDead', id } })
  }

  async signal(name: string, ids: readonly string[], { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    this.#checkOpen()
    checkName('signal', name)
    signal?.throwIfAborted()
    this.#lastSignal += 1
    const ref = this.#lastSignal
    const pending = { ...Promise.withResolvers<void>(), name }
    const onAbort = (): void => pending.reject(signal?.reason)
    this.#signals.set(ref, pending)
    signal?.addEventListener('abort', onAbort)
    try {
      this.#driver.deliver({ type: 'command', command: { type: 'signal', ref, name, to: ids } })
      await pending.promise
    } finally {
      signal?.removeEventListener('abort', onAbort)
      this.#signals.delete(ref)
    }
  }

  async open(id: string, protocol: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<Stream> {
    this.#checkOpen()
    return await this.#applications.open(id, protocol, signal)
  }

  async handle(protocol: string, handler: (stream: Stream, from: string) => void | Promise<void>): Promise<void> {
    this.#checkOpen()
    await this.#applications.handle(protocol, handler)
  }

  async unhandle(protocol: string): Promise<void> {
    this.#checkOpen()
    await this.#applications.unhandle(protocol)
  }

  async leave(): Promise<void> {
    this.#leaving ??= this.#sayGoodbye()
    await this.#leaving
  }

  async #sayGoodbye(): Promise<void> {
    if (!this.#closing) {
      this.#driver.deliver({ type: 'command', command: { type: 'leave' } })
      // Others may be leaving at this moment, too, and know nobody else: their word is passed on for a while.
      if (this.#node.links.size > 0) await delay(goodbyeTime)
    }
    await this.#close({ reason: 'left' })
  }

  #carrier(): Carrier {
    return {
      send: ({ to, data }) => this.#links.send(to, data),
      broadcast: ({ data }) => this.#host.topic.publish(data),
      connect: (effect) => void this.#connect(effect),
      disconnect: ({ peer }) => void this.#links.close(peer),
      knock: ({ peer, addresses }) => void knock(addresses).then((outcome) => this.#driver.deliver({ type: 'knocked', peer, outcome })),
      persist: ({ incarnation }) => this.#persist(incarnation),
      notify: ({ notification }) => this.#notify(notification),
      fail: ({ message }) => void this.#close({ reason: 'failed', error: new IdentityInUseError(message) }),
    }
  }

  async #connect({ peer, addresses }: EffectOf<'connect'>): Promise<void> {
    const isLinked = (id: NodeId | undefined): boolean => id !== undefined && this.#links.has(id)
    try {
      if (isLinked(peer)) return
      const connection = await this.#dialer.connect(peer, addresses)
      if (isLinked(connection.remotePeer.toString())) return // it was quicker
      const stream = await this.#dialer.open(connection)
      if (this.#links.add(stream, connection) || isLinked(connection.remotePeer.toString())) return
      throw new DialError('failed', `${connection.remoteAddr.toString()}: the link was closed while it was being opened`)
    } catch (error) {
      if (isLinked(peer)) return
      const failure = error instanceof DialError ? error.failure : 'failed'
      this.#driver.deliver({ type: 'unreachable', peer, addresses, failure, reason: reasonOf(error) })
    }
  }

  #linked(peer: NodeId, connection: Connection): void {
    const announced = this.#node.member(peer)?.addresses
    const dialable = connection.direction === 'outbound' || looksDialable(connection.remoteAddr, announced)
    this.#host.topic.introduce(connection)
    this.#driver.deliver({ type: 'connected', peer, dialable })
  }

  #persist(incarnation: number): void {
    try {
      this.#identity.persist(incarnation)
    } catch (error) {
      // A life that is announced but not written down might be lived twice.
      void this.#close({ reason: 'failed', error: error instanceof Error ? error : new OverlayClosedError(reasonOf(error)) })
    }
  }

  #notify(notification: Notification): void {
    if (notification.type === 'signalled') this.#settleSignal(notification)
    const isEntry = notification.type === 'joined' && notification.member.id === this.#identity.id
    if (isEntry) this.#self = showMember(notification.member)
    if (notification.type === 'elected') this.#elections.add(notification.reign.election)
    const shown = showNotification(notification, this.#clock.now())
    for (const listener of this.#listeners) {
      try {
        listener(shown)
      } catch (error) {
        // As an EventTarget does it: an error of one listener is the application's, not the pool's and not the other listeners'.
        process.nextTick(() => {
          throw error
        })
      }
    }
    if (isEntry) this.#entered.resolve()
  }

  #settleSignal({ ref, delivered, failed }: Extract<Notification, { type: 'signalled' }>): void {
    const pending = this.#signals.get(ref)
    if (failed.length === 0) pending?.resolve()
    else pending?.reject(new SignalError(pending.name, delivered, failed))
  }

  #protocolAddresses(own: readonly Multiaddr[]): Address[] {
    return own.map((address) => introducerOf(address).address).slice(0, this.#limits.addresses)
  }

  #updateAddresses(): void {
    const own = this.#host.addresses()
    const addresses = this.#protocolAddresses(own)
    const text = addresses.join(' ')
    if (text === this.#announced || this.#closing) return
    const isLocal = own.every(isLoopbackAddress)
    // Between two networks a host has loopback only, which nobody else could use: a life under it would be one more, for nothing.
    if (isLocal && !this.#isLocal) return
    this.#isLocal = isLocal
    this.#announced = text
    this.#driver.deliver({ type: 'addresses', addresses } satisfies Input)
  }

  #every(interval: number, action: () => void): void {
    this.#timers.push(setInterval(action, interval))
  }

  #checkOpen(): void {
    if (this.#closing ?? this.#leaving) throw new OverlayClosedError(`this node has left the pool ${JSON.stringify(this.pool)}`)
  }

  /** For what a peer does outside of its link. */
  #cutOff(peer: NodeId, problem: string): void {
    const connections = this.#host.libp2p
      .getConnections()
      .filter(({ remotePeer, status }) => status === 'open' && remotePeer.toString() === peer)
    if (connections.length === 0) return // told already
    this.#driver.deliver({ type: 'misbehaved', peer, problem })
    for (const connection of connections) connection.abort(new Error(problem))
  }

  async #close(closed: Closed): Promise<void> {
    this.#closing ??= this.#takeDown(closed)
    await this.#closing
  }

  async #takeDown(closed: Closed): Promise<void> {
    const error =
      closed.reason === 'failed' ? closed.error : new OverlayClosedError(`this node has left the pool ${JSON.stringify(this.pool)}`)
    this.#driver.stop()
    this.#dialer.stop()
    for (const timer of this.#timers) clearInterval(timer)
    for (const pending of this.#signals.values()) pending.reject(error)
    this.#entered.reject(error)
    this.#entered.promise.catch(() => {})
    try {
      await this.#host.topic.flushed()
      await this.#links.closeAll()
      await this.#host.stop()
    } finally {
      this.#identity.release()
      this.#closed.resolve(closed)
    }
  }
}
