import { setImmediate } from 'node:timers/promises'
import type { Libp2p, Stream } from '@libp2p/interface'
import {
  OverlayClosedError,
  type Overlay,
  type OverlayNotification,
  type PoolMember,
  type PoolRecord,
  type PoolReign,
  type PublishOptions,
  type QueryOptions,
} from '@jel/overlay'

export function member(id: string, incarnation = 1): PoolMember {
  return {
    id,
    incarnation,
    addresses: [`/ip4/127.0.0.1/tcp/1/p2p/${id}`],
    location: 'here',
    tag: new Uint8Array(),
    constants: new Map(),
    reach: 'direct',
    joinedAt: 0,
  }
}

/**
 * An overlay in memory. It records most calls in `asked`. It notifies its subscribers of the
 * effects of `publish`, `setTag`, `setConstant`, `broadcast` and `leave`.
 */
export class FakeOverlay implements Overlay {
  readonly pool = 'test'
  self = member('B')
  readonly libp2p = {} as Libp2p
  readonly asked: string[] = []
  /** Handlers of protocols, in the order of their registration. */
  readonly handlers: Parameters<Overlay['handle']>[1][] = []
  readonly keys = {
    install: async () => ({ id: 'k', primary: false }),
    use: async () => ({ id: 'k', primary: true }),
    remove: async () => {},
    list: async () => [],
  }
  readonly #members = new Map<string, PoolMember>()
  readonly #reigns = new Map<string, PoolReign>()
  readonly #records: PoolRecord[] = []
  readonly #listeners = new Set<(notification: OverlayNotification) => void>()
  readonly #end = Promise.withResolvers<Awaited<Overlay['closed']>>()
  readonly closed = this.#end.promise
  #isOver = false

  constructor(...others: PoolMember[]) {
    for (const one of [this.self, ...others]) this.#members.set(one.id, one)
  }

  /** Applies a change of the pool, and notifies the subscribers. */
  tell(notification: OverlayNotification): void {
    if (notification.type === 'joined' || notification.type === 'updated') this.#members.set(notification.member.id, notification.member)
    if (notification.type === 'left' || notification.type === 'died') this.#members.delete(notification.member.id)
    if (notification.type === 'record') this.#records.push(notification.record)
    if (notification.type === 'elected') this.#reigns.set(notification.reign.election, notification.reign)
    for (const listener of this.#listeners) listener(notification)
  }

  /** Ends the overlay, but does not resolve `closed` yet. */
  end(): void {
    this.#isOver = true
  }

  /** Forgets the reign of an election, as a real overlay does if there are too many elections. */
  forget(election: string): void {
    this.#reigns.delete(election)
  }

  fail(error: Error): void {
    this.#end.resolve({ reason: 'failed', error })
  }

  members(): PoolMember[] {
    return [...this.#members.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }

  reign(election: string): PoolReign | undefined {
    return this.#reigns.get(election)
  }

  reigns(): PoolReign[] {
    return [...this.#reigns.values()]
  }

  health(): ReturnType<Overlay['health']> {
    return {
      links: 0,
      members: this.#members.size,
      suspectedShare: 0,
      relayed: 0,
      alone: true,
      minority: false,
      lastReconciliation: undefined,
      introducers: [],
    }
  }

  async links(): ReturnType<Overlay['links']> {
    return [{ id: 'A', roundTrip: 3 }]
  }

  async linksOf(id: string): ReturnType<Overlay['linksOf']> {
    this.#checkOpen()
    this.asked.push(`linksOf ${id}`)
    return [{ id: this.self.id, roundTrip: undefined }]
  }

  async allowList(): ReturnType<Overlay['allowList']> {
    return undefined
  }

  async allow(): Promise<void> {}

  async disallow(): Promise<void> {}

  async traffic(): ReturnType<Overlay['traffic']> {
    return { sent: 1_000, received: 2_000, connections: 3 }
  }

  subscribe(listener: (notification: OverlayNotification) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  get listeners(): number {
    return this.#listeners.size
  }

  async elect(election: string): Promise<void> {
    this.#checkOpen()
    this.asked.push(`elect ${election}`)
  }

  withdraw(election: string): void {
    this.#checkOpen()
    this.asked.push(`withdraw ${election}`)
  }

  maybeDead(id: string): void {
    this.#checkOpen()
    this.asked.push(`maybeDead ${id}`)
  }

  rejoin(incarnation: number): void {
    this.#checkOpen()
    this.asked.push(`rejoin ${incarnation}`)
  }

  async signal(name: string, ids: readonly string[], options: { signal?: AbortSignal } = {}): Promise<void> {
    this.#checkOpen()
    this.asked.push(`signal ${name} ${ids.join(' ')}${options.signal === undefined ? '' : ' abortable'}`)
  }

  async publish(name: string, value: Uint8Array, { ttl }: PublishOptions): Promise<PoolRecord> {
    this.#checkOpen()
    this.asked.push(`publish ${name} ${value.length} ${ttl}`)
    const record = { name, owner: this.self.id, version: 1, expires: Date.now() + ttl, value }
    this.tell({ type: 'record', record })
    return record
  }

  async unpublish(name: string): Promise<void> {
    this.#checkOpen()
    this.asked.push(`unpublish ${name}`)
  }

  async setTag(tag: Uint8Array): Promise<void> {
    this.#checkOpen()
    this.self = { ...this.self, tag }
    this.tell({ type: 'updated', member: this.self })
  }

  async sign(message: Uint8Array): Promise<Uint8Array> {
    this.#checkOpen()
    return message
  }

  async setConstant(name: string, value: Uint8Array | undefined): Promise<void> {
    this.#checkOpen()
    const constants = new Map(this.self.constants)
    if (value === undefined) constants.delete(name)
    else constants.set(name, value)
    this.self = { ...this.self, constants }
    this.tell({ type: 'updated', member: this.self })
  }

  async broadcast(name: string, payload: Uint8Array, query?: QueryOptions): Promise<void> {
    this.#checkOpen()
    this.asked.push(`broadcast ${name} ${payload.length}${query === undefined ? '' : ` ${query.timeout} ${query.to?.join(' ') ?? 'all'}`}`)
    if (query === undefined) this.tell({ type: 'event', name, payload, from: this.self })
    else this.tell({ type: 'query', name, payload, from: this.self, id: query.id, timeout: query.timeout, asked: 1 })
  }

  records(prefix = ''): PoolRecord[] {
    return this.#records.filter(({ name }) => name.startsWith(prefix))
  }

  async open(id: string, protocol: string): Promise<Stream> {
    this.#checkOpen()
    this.asked.push(`open ${id} ${protocol}`)
    return {} as Stream
  }

  async handle(protocol: string, handler: Parameters<Overlay['handle']>[1]): Promise<void> {
    this.#checkOpen()
    this.handlers.push(handler)
    this.asked.push(`handle ${protocol}`)
  }

  async unhandle(protocol: string): Promise<void> {
    this.#checkOpen()
    this.asked.push(`unhandle ${protocol}`)
  }

  async leave(): Promise<void> {
    this.asked.push('leave')
    this.tell({ type: 'left', member: this.self })
    await setImmediate()
    this.#end.resolve({ reason: 'left' })
  }

  #checkOpen(): void {
    if (this.#isOver) throw new OverlayClosedError('this node has ended')
  }
}
