import type { BroadcastVerdict, Effect, Input, Introducer, Member, Milliseconds, Notification, Reign } from '@jel/protocol'
import { EventQueue, type EventHandle } from '@jel/machine'
import { type Payload, type Protocol, type ProtocolParts } from '@jel/simulator'
import type { Message } from './call.ts'
import { Calls } from './calls.ts'
import { Packet } from './packet.ts'

/**
 * The common part of all baselines. Threads that wait become timers, and connections that carry one
 * request become {@link Calls}. The first node has no introducer. It is the service (registry
 * server or bootstrap service), and not a member of the pool.
 */
export abstract class BaselineNode<M extends Message> implements Protocol {
  readonly parts: ProtocolParts
  readonly calls: Calls<M>
  self: Member | undefined
  #now: Milliseconds = 0
  #effects: Effect<Payload>[] = []
  readonly #agenda = new EventQueue()
  #wake: Milliseconds | undefined

  constructor(parts: ProtocolParts) {
    this.parts = parts
    this.calls = new Calls<M>(this, (message) => this.serve(message))
  }

  /**
   * Called when the node is up. `service`: the contact of the service; undefined if this node is
   * the service.
   */
  protected abstract started(self: Member, service: Introducer | undefined): void
  /** Returns the answer to a request; undefined for no answer. */
  protected abstract serve(request: M): M | undefined
  protected abstract left(): void
  abstract members(): Member[]

  get now(): Milliseconds {
    return this.#now
  }

  random(): number {
    return this.parts.services.random()
  }

  handle(input: Input<Payload>, now: Milliseconds): Effect<Payload>[] {
    this.#now = now
    this.#effects = []
    this.#take(input)
    while ((this.#agenda.nextTime ?? Infinity) <= now) this.#agenda.take()?.()
    const wake = this.#agenda.nextTime
    if (wake !== undefined && (wake !== this.#wake || input.type === 'timer')) this.#effects.push({ type: 'timer', at: wake })
    this.#wake = wake
    return this.#effects
  }

  handleBroadcast(): { verdict: BroadcastVerdict; effects: Effect<Payload>[] } {
    return { verdict: 'ignore', effects: [] }
  }

  reign(): Reign | undefined {
    return undefined
  }

  effect(effect: Effect<Payload>): void {
    this.#effects.push(effect)
  }

  notify(notification: Notification): void {
    this.#effects.push({ type: 'notify', notification })
  }

  /** Runs the action after this delay. Returns a handle to cancel it. */
  after(delay: Milliseconds, action: () => void): EventHandle {
    return this.#agenda.schedule(this.#now + delay, action)
  }

  cancel(handle: EventHandle): void {
    this.#agenda.cancel(handle)
  }

  #take(input: Input<Payload>): void {
    switch (input.type) {
      case 'start':
        this.#start(input.addresses, input.introducers[0])
        return
      case 'command':
        if (input.command.type === 'leave') this.left()
        return
      case 'frame':
        if (!(input.data instanceof Packet)) throw new TypeError('a baseline got a frame of another protocol')
        this.calls.received(input.from, input.data)
        return
      case 'connected':
        this.calls.connected(input.peer)
        return
      case 'disconnected':
        this.calls.disconnected(input.peer)
        return
      case 'unreachable':
        this.calls.unreachable(input.peer)
        return
      default:
    }
  }

  #start(addresses: Member['addresses'], service: Introducer | undefined): void {
    const { id, location, tag } = this.parts
    const member: Member = { id, incarnation: 1, addresses, location, tag, constants: new Map(), reach: 'direct', joinedAt: 0 }
    if (service !== undefined) this.self = member
    this.started(member, service)
  }
}
