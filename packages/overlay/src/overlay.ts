/**
 * An overlay, as the application sees it.
 */
import {
  constantsProblem,
  withConstant,
  type Command,
  type Introducer,
  type Notification,
  type Owner,
  type PoolRecord,
  type Reign,
  type WarningCode,
} from '@jel/protocol'
import type { Libp2p, Stream } from '@libp2p/interface'
import type {
  Closed,
  Overlay,
  OverlayHealth,
  OverlayKeys,
  OverlayNotification,
  OverlayOptions,
  PoolLink,
  PoolMember,
  PoolReign,
  PublishOptions,
  QueryOptions,
  StreamHandler,
} from './api.ts'
import { Applications } from './applications.ts'
import { ElectionsFullError, OverlayClosedError, RecordsFullError, asError } from './base/errors.ts'
import { ElectionNames } from './election-names.ts'
import { Engine, type Parts } from './engine.ts'
import type { RecordOwner } from './identity/identity.ts'
import { peersInterval } from './identity/peers-file.ts'
import { applicationMessage, createSigner } from './identity/signatures.ts'
import type { Traffic } from './host/traffic.ts'
import { aloneInterval } from './host/discovery.ts'
import { LinkReports } from './link-reports.ts'
import { createKeys } from './keys.ts'
import { Lifecycle } from './lifecycle.ts'
import { Listeners } from './listeners.ts'
import { addressInterval } from './own-addresses.ts'
import { showHealth, showMember, showNotification, showReign } from './showing.ts'
import { Signals } from './signals.ts'

/**
 * How often libp2p is made to forget peers without a connection, ms. Guess: a pool has changed a
 * little in this time.
 */
const forgetInterval = 60_000

/** Warnings that are kept for the first subscriber. Guess: some of a start. */
const maxEarly = 64

type Abortable = Pick<OverlayOptions, 'signal'>

export class RunningOverlay implements Overlay {
  readonly pool: string
  readonly #parts: Parts
  readonly #engine: Engine
  readonly #applications: Applications
  readonly #reports: LinkReports
  readonly #signals: Signals
  readonly #elections: ElectionNames
  readonly #listeners = new Listeners()
  readonly #lifecycle: Lifecycle
  readonly keys: OverlayKeys
  /** Warnings from before the first subscription. */
  #early: OverlayNotification[] | undefined = []
  /** Settled when the peers file is written. */
  #saving: Promise<void> | undefined
  /** Members came, went or moved since the file was written. */
  #isPeersNews = false
  /** The latest life, also after it ended. */
  #self: PoolMember | undefined

  constructor(parts: Parts) {
    this.pool = parts.pool
    this.#parts = parts
    this.#engine = new Engine(parts, {
      onNotification: (notification) => this.#notify(notification),
      onMeasured: (measured) => queueMicrotask(() => this.#listeners.tell({ type: 'measured', ...measured })),
      onFailure: (error) => void this.abandon(error),
    })
    const { node, links, dialer } = this.#engine
    this.#applications = new Applications({
      libp2p: parts.host.libp2p,
      dialer,
      find: (id) => node.member(id),
      onUnused: (connection) => links.closeIfUnusedLater(connection),
    })
    this.#reports = new LinkReports(this.#applications, parts.names.reports, () => node.linkStates())
    this.#signals = new Signals((command) => this.#command(command))
    this.#elections = new ElectionNames(parts.config.limits.elections, (name) => this.reign(name) !== undefined)
    this.keys = createKeys(parts, () => this.#lifecycle.checkOpen())
    this.#lifecycle = new Lifecycle({
      pool: this.pool,
      sayGoodbye: () => {
        this.#savePeers()
        this.#command({ type: 'leave' })
        return node.links.size > 0
      },
      takeDown: async (error) => {
        this.#signals.close(error)
        try {
          await this.#engine.stop(error)
          await this.#saving
        } finally {
          parts.identity.release()
        }
      },
    })
  }

  /** Resolves when this node has entered the pool. */
  async start(introducers: readonly Introducer[], signal: AbortSignal | undefined): Promise<void> {
    const { host, discovery } = this.#parts
    const { links } = this.#engine
    this.#lifecycle.every(addressInterval, () => this.#engine.updateAddresses())
    this.#lifecycle.every(forgetInterval, () => void host.forgetPeers())
    this.#lifecycle.every(peersInterval, () => {
      if (this.#isPeersNews) this.#savePeers()
    })
    if (discovery) this.#lifecycle.every(aloneInterval, () => void (links.count === 0 && discovery.ask()))
    await this.#reports.start()
    await this.#engine.start(introducers, signal)
  }

  /** Handles a node found on the local network. */
  discovered(introducer: Introducer): void {
    this.#engine.deliver({ type: 'discovered', introducer })
  }

  /** Reports a problem in the host, after which the node goes on. */
  warn(code: WarningCode, message: string): void {
    const warning = { type: 'warning', code, message } as const
    if (this.#early === undefined) this.#listeners.tell(warning)
    else if (this.#early.length < maxEarly) this.#early.push(warning)
  }

  /** Takes everything down: the node can't start, or can't go on. */
  async abandon(error: unknown): Promise<void> {
    await this.#lifecycle.close({ reason: 'failed', error: asError(error) })
  }

  get closed(): Promise<Closed> {
    return this.#lifecycle.closed
  }

  get libp2p(): Libp2p {
    return this.#parts.host.libp2p
  }

  get self(): PoolMember {
    if (!this.#self) throw new OverlayClosedError('this node has not entered the pool yet')
    return this.#self
  }

  members(): PoolMember[] {
    return this.#engine.node.members().map(showMember)
  }

  reign(election: string): PoolReign | undefined {
    const reign = this.#engine.node.reign(election)
    return reign && showReign(reign)
  }

  reigns(): PoolReign[] {
    return [...this.#elections].sort().flatMap((election) => this.reign(election) ?? [])
  }

  health(): OverlayHealth {
    const { node, now } = this.#engine
    return showHealth(node.health(now), now)
  }

  async links(): Promise<PoolLink[]> {
    return this.#engine.node.linkStates()
  }

  async linksOf(id: string, { signal }: Abortable = {}): Promise<PoolLink[]> {
    this.#lifecycle.checkOpen()
    return await this.#reports.ask(id, signal)
  }

  async traffic(): Promise<Traffic> {
    return this.#parts.host.traffic.total
  }

  subscribe(listener: (notification: OverlayNotification) => void): () => void {
    // A subscriber gets the early warnings only after it has learned that the node is in.
    const early = this.#early
    this.#early = undefined
    if (early !== undefined) setImmediate(() => early.forEach((warning) => this.#listeners.tell(warning)))
    return this.#listeners.add(listener)
  }

  elect(election: string): void {
    this.#lifecycle.checkOpen()
    this.#command({ type: 'elect', election })
    const { node } = this.#engine
    if (!node.stands(election))
      throw new ElectionsFullError(
        `no room for the election ${election}: this node stands in ${this.#parts.config.limits.elections}, as many as it may`,
      )
  }

  withdraw(election: string): void {
    this.#lifecycle.checkOpen()
    this.#command({ type: 'withdraw', election })
  }

  maybeDead(id: string): void {
    this.#lifecycle.checkOpen()
    this.#command({ type: 'maybeDead', id })
  }

  async signal(name: string, ids: readonly string[], { signal }: Abortable = {}): Promise<void> {
    this.#lifecycle.checkOpen()
    await this.#signals.send(name, ids, signal)
  }

  async publish(name: string, value: Uint8Array, { ttl, owner }: PublishOptions): Promise<PoolRecord> {
    this.#lifecycle.checkOpen()
    this.#command({ type: 'publish', name, value, lifetime: ttl, ...keyOf(owner) })
    const by = owner?.id ?? this.#parts.identity.id
    const record = this.records(name).find((each) => each.name === name && each.owner === by)
    if (record === undefined) throw new RecordsFullError('the pool holds as many records as it may, and this owner more than its share')
    return record
  }

  async unpublish(name: string, { owner }: Pick<PublishOptions, 'owner'> = {}): Promise<void> {
    this.#lifecycle.checkOpen()
    this.#command({ type: 'unpublish', name, ...keyOf(owner) })
  }

  async setTag(tag: Uint8Array): Promise<void> {
    this.#lifecycle.checkOpen()
    this.#command({ type: 'retag', tag })
  }

  async setConstant(name: string, value: Uint8Array | undefined): Promise<void> {
    this.#lifecycle.checkOpen()
    const problem = constantsProblem(withConstant(this.self.constants, name, value), this.#parts.config.limits)
    if (problem !== undefined) throw new RangeError(problem)
    this.#command({ type: 'setConstant', name, ...(value && { value }) })
  }

  async sign(message: Uint8Array): Promise<Uint8Array> {
    this.#lifecycle.checkOpen()
    const { privateKey } = this.#parts.identity
    return createSigner(privateKey.raw.subarray(0, 32))(applicationMessage(this.pool, message))
  }

  async broadcast(name: string, payload: Uint8Array, query?: QueryOptions): Promise<void> {
    this.#lifecycle.checkOpen()
    this.#command({ type: 'broadcast', name, payload, ...(query && { query }) })
  }

  records(prefix?: string): PoolRecord[] {
    return this.#engine.node.records(prefix)
  }

  async open(id: string, protocol: string, { signal }: Abortable = {}): Promise<Stream> {
    this.#lifecycle.checkOpen()
    return await this.#applications.open(id, protocol, signal)
  }

  async handle(protocol: string, handler: StreamHandler): Promise<void> {
    this.#lifecycle.checkOpen()
    await this.#applications.handle(protocol, handler)
  }

  async unhandle(protocol: string): Promise<void> {
    this.#lifecycle.checkOpen()
    await this.#applications.unhandle(protocol)
  }

  async leave(): Promise<void> {
    await this.#lifecycle.leave()
  }

  /** Handles a start in which no introducer has let this node in. */
  #isAlone(): void {
    const { founds, peers } = this.#parts
    const remembered = peers?.introducers().length ?? 0
    const what = `none of the ${remembered} remembered addresses of members answers: this node goes on alone, and tries them for some minutes more`
    if (remembered > 0) this.warn('INTRODUCER_UNREACHABLE', what)
    if (founds) this.#command({ type: 'found' })
  }

  #savePeers(): void {
    this.#isPeersNews = false
    const { peers, identity } = this.#parts
    const saving = peers?.save(this.members().filter(({ id }) => id !== identity.id))
    this.#saving = saving?.then((isSaved) => void (this.#isPeersNews ||= !isSaved))
  }

  #elected({ election, epoch, winner }: Reign): void {
    this.#elections.add(election)
    this.#parts.peers?.elected(election, epoch)
    this.#isPeersNews = true
    // Saved at once: others may remember this node's fencing token for ever.
    if (winner.id === this.#parts.identity.id) this.#savePeers()
  }

  #command(command: Command): void {
    this.#engine.deliver({ type: 'command', command })
  }

  #notify(notification: Notification): void {
    const { type } = notification
    if (type === 'signalled') this.#signals.settle(notification)
    else if (type === 'elected') this.#elected(notification.reign)
    else if ((type === 'joined' || type === 'updated') && notification.member.id === this.#parts.identity.id) {
      this.#self = showMember(notification.member)
    }
    if (type === 'entered' && notification.alone) this.#isAlone()
    if (type === 'joined' || type === 'updated') this.#isPeersNews = true
    if (type === 'died') void this.#applications.died(notification.member.id)
    this.#listeners.tell(showNotification(notification, this.#engine.now))
  }
}

function keyOf(owner: RecordOwner | undefined): { readonly owner?: Owner } {
  return owner === undefined ? {} : { owner: { id: owner.id, sign: createSigner(owner.seed) } }
}
