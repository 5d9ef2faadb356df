import { constantsProblem, withConstant, type Owner, type PoolRecord } from '@jel/protocol'
import type { Libp2p, Stream } from '@libp2p/interface'
import type { Abortable, Closed, Overlay, OverlayKeys, PublishOptions, QueryOptions, StreamHandler } from '../api/port.ts'
import { showHealth, type OverlayHealth, type OverlayNotification, type PoolLink, type PoolMember, type PoolReign } from '../api/view.ts'
import { ElectionsFullError, RecordsFullError } from '../base/errors.ts'
import type { Traffic } from '../host/traffic.ts'
import type { RecordOwner } from '../identity/identity.ts'
import { createSigner } from '#platform/crypto'
import { applicationMessage } from '../identity/signatures.ts'
import type { RunningNode } from './node.ts'

/** The overlay of a node in the same thread. */
export class RunningOverlay implements Overlay {
  readonly #node: RunningNode

  constructor(node: RunningNode) {
    this.#node = node
  }

  get pool(): string {
    return this.#node.parts.pool
  }

  get keys(): OverlayKeys {
    return this.#node.keys
  }

  get closed(): Promise<Closed> {
    return this.#node.lifecycle.closed
  }

  get libp2p(): Libp2p {
    return this.#node.parts.host.libp2p
  }

  get self(): PoolMember {
    return this.#node.self
  }

  members(): readonly PoolMember[] {
    return this.#node.members()
  }

  reign(election: string): PoolReign | undefined {
    return this.#node.reigns.of(election)
  }

  reigns(): PoolReign[] {
    return this.#node.reigns.all()
  }

  health(): OverlayHealth {
    const { node, now } = this.#node.engine
    return showHealth(node.health(now), now)
  }

  async links(): Promise<PoolLink[]> {
    return this.#node.engine.node.linkStates()
  }

  async linksOf(id: string, { signal }: Abortable = {}): Promise<PoolLink[]> {
    this.#node.lifecycle.checkOpen()
    return await this.#node.reports.ask(id, signal)
  }

  async traffic(): Promise<Traffic> {
    return this.#node.parts.host.traffic.total
  }

  subscribe(subscriber: (notification: OverlayNotification) => void): () => void {
    return this.#node.notifications.subscribe(subscriber)
  }

  async elect(election: string): Promise<void> {
    this.#node.command({ type: 'elect', election })
    const { elections } = this.#node.parts.config.limits
    if (!this.#node.engine.node.stands(election))
      throw new ElectionsFullError(`no room for the election ${election}: this node stands in ${elections}, as many as it may`)
  }

  withdraw(election: string): void {
    this.#node.command({ type: 'withdraw', election })
  }

  maybeDead(id: string): void {
    this.#node.command({ type: 'maybeDead', id })
  }

  rejoin(incarnation: number): void {
    this.#node.command({ type: 'rejoin', incarnation })
  }

  async signal(name: string, ids: readonly string[], { signal }: Abortable = {}): Promise<void> {
    this.#node.lifecycle.checkOpen()
    await this.#node.signals.send(name, ids, signal)
  }

  async publish(name: string, value: Uint8Array, { ttl, owner }: PublishOptions): Promise<PoolRecord> {
    this.#node.command({ type: 'publish', name, value, lifetime: ttl, ...keyOf(owner) })
    const by = owner?.id ?? this.#node.parts.identity.id
    const record = this.records(name).find((each) => each.name === name && each.owner === by)
    if (record === undefined) throw new RecordsFullError('the pool holds as many records as it may, and this owner more than its share')
    return record
  }

  async unpublish(name: string, { owner }: Pick<PublishOptions, 'owner'> = {}): Promise<void> {
    this.#node.command({ type: 'unpublish', name, ...keyOf(owner) })
  }

  async allowList(): Promise<readonly string[] | undefined> {
    return this.#node.parts.allowed.ids
  }

  async allow(id: string): Promise<void> {
    this.#node.lifecycle.checkOpen()
    this.#node.parts.allowed.add(id)
  }

  async disallow(id: string): Promise<void> {
    this.#node.lifecycle.checkOpen()
    const { allowed, host } = this.#node.parts
    allowed.remove(id)
    host.refuse(id)
  }

  async setTag(tag: Uint8Array): Promise<void> {
    this.#node.command({ type: 'retag', tag })
  }

  async setConstant(name: string, value: Uint8Array | undefined): Promise<void> {
    this.#node.lifecycle.checkOpen()
    const problem = constantsProblem(withConstant(this.self.constants, name, value), this.#node.parts.config.limits)
    if (problem !== undefined) throw new RangeError(problem)
    this.#node.command({ type: 'setConstant', name, ...(value && { value }) })
  }

  async sign(message: Uint8Array): Promise<Uint8Array> {
    this.#node.lifecycle.checkOpen()
    const { privateKey } = this.#node.parts.identity
    return createSigner(privateKey.raw.subarray(0, 32))(applicationMessage(this.pool, message))
  }

  async broadcast(name: string, payload: Uint8Array, query?: QueryOptions): Promise<void> {
    this.#node.command({ type: 'broadcast', name, payload, ...(query && { query }) })
  }

  records(prefix?: string): PoolRecord[] {
    return this.#node.engine.node.records(prefix)
  }

  async open(id: string, protocol: string, { signal }: Abortable = {}): Promise<Stream> {
    this.#node.lifecycle.checkOpen()
    return await this.#node.streams.open(id, protocol, signal)
  }

  async handle(protocol: string, handler: StreamHandler): Promise<void> {
    this.#node.lifecycle.checkOpen()
    await this.#node.streams.handle(protocol, handler)
  }

  async unhandle(protocol: string): Promise<void> {
    this.#node.lifecycle.checkOpen()
    await this.#node.streams.unhandle(protocol)
  }

  async leave(): Promise<void> {
    await this.#node.lifecycle.leave()
  }
}

function keyOf(owner: RecordOwner | undefined): { readonly owner?: Owner } {
  return owner === undefined ? {} : { owner: { id: owner.id, sign: createSigner(owner.seed) } }
}
