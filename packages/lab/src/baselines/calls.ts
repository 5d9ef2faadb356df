import type { Effect, Milliseconds, NodeId } from '@jel/protocol'
import type { EventHandle } from '@jel/machine'
import type { Payload } from '@jel/simulator'
import type { CallOptions, Message } from './call.ts'
import { Packet } from './packet.ts'

/**
 * Delay before a call tries an unreachable peer again. Guess: SmartSockets spreads its attempts
 * over about a second.
 */
const retryAfter: Milliseconds = 1_000

/** Maximum number of times that a call opens a broken connection again. */
const maxBreaks = 5

const refusal: Message = { type: 'refusal', bytes: 1 }

interface Call<M extends Message> {
  readonly number: number
  readonly options: CallOptions<M>
  readonly deadline: Milliseconds
  timeout: EventHandle | undefined
  retry: EventHandle | undefined
  breaks: number
}

interface Line<M extends Message> {
  /** True if this end dialled. The dialler closes the connection. The other end waits for that. */
  readonly dialled: boolean
  state: 'dialling' | 'up' | 'closing'
  /** The peer has dialled again while this end was closing. */
  reopened: boolean
  /** This node's calls that need the line, by number. */
  readonly calls: Map<number, Call<M>>
}

/** The node that makes the calls. */
export interface Caller {
  readonly now: Milliseconds
  effect(effect: Effect<Payload>): void
  after(delay: Milliseconds, action: () => void): EventHandle
  cancel(handle: EventHandle): void
}

/**
 * Requests and their answers. As in the original, each call opens a connection and closes it
 * afterwards. Two nodes have only one link, so overlapping calls between them share it. If one node
 * closes the link while the other still needs it, the other dials again.
 */
export class Calls<M extends Message> {
  readonly #caller: Caller
  readonly #serve: (request: M) => M | undefined
  readonly #lines = new Map<NodeId, Line<M>>()
  #numbers = 0
  #stopped = false

  constructor(caller: Caller, serve: (request: M) => M | undefined) {
    this.#caller = caller
    this.#serve = serve
  }

  /** Number of calls that have not ended. */
  get pending(): number {
    let pending = 0
    for (const line of this.#lines.values()) pending += line.calls.size
    return pending
  }

  call(options: CallOptions<M>): void {
    const call: Call<M> = {
      number: this.#numbers++,
      options,
      deadline: this.#caller.now + options.timeout,
      timeout: undefined,
      retry: undefined,
      breaks: 0,
    }
    call.timeout = this.#caller.after(options.timeout, () => {
      call.timeout = undefined
      // A slow transfer does not count as a failed connection.
      if (this.#lines.get(options.to.id)?.state !== 'up') this.#fail(call)
    })
    this.#start(call)
  }

  /** Stops answering. This node's own calls go on. */
  stop(): void {
    this.#stopped = true
  }

  connected(peer: NodeId): void {
    const line = this.#lines.get(peer)
    if (line === undefined) this.#lines.set(peer, { dialled: false, state: 'up', reopened: false, calls: new Map() })
    else if (line.state === 'closing') line.reopened = true
    else {
      line.state = 'up'
      for (const call of line.calls.values()) this.#request(peer, call)
      this.#closeIfIdle(peer, line)
    }
  }

  disconnected(peer: NodeId): void {
    const line = this.#lines.get(peer)
    this.#lines.delete(peer)
    if (line === undefined) return
    if (line.reopened) this.connected(peer)
    for (const call of line.calls.values()) {
      if (line.state === 'up') call.breaks += 1
      if (call.breaks > maxBreaks) this.#fail(call)
      else this.#start(call)
    }
  }

  unreachable(peer: NodeId | undefined): void {
    const line = peer === undefined ? undefined : this.#lines.get(peer)
    if (peer === undefined || line?.state !== 'dialling') return
    this.#lines.delete(peer)
    for (const call of line.calls.values()) {
      if (!call.options.persistent || this.#caller.now >= call.deadline) this.#fail(call)
      else if (this.#caller.now + retryAfter < call.deadline) call.retry = this.#caller.after(retryAfter, () => this.#start(call))
    }
  }

  received(from: NodeId, { call: number, kind, message }: Packet): void {
    if (kind === 'request') {
      if (this.#stopped) this.#send(from, new Packet(number, 'refusal', refusal))
      const reply = this.#stopped ? undefined : this.#serve(message as M)
      if (reply !== undefined) this.#send(from, new Packet(number, 'answer', reply))
      return
    }
    const call = this.#lines.get(from)?.calls.get(number)
    if (call === undefined) return
    if (kind === 'refusal') {
      this.#fail(call)
      return
    }
    const next = call.options.answered(message as M)
    if (next !== undefined) this.#send(from, new Packet(number, 'request', next))
    else this.#end(call)
  }

  #start(call: Call<M>): void {
    const { to } = call.options
    const line = this.#lines.get(to.id)
    if (line !== undefined) {
      line.calls.set(call.number, call)
      if (line.state === 'up') this.#request(to.id, call)
      return
    }
    this.#lines.set(to.id, { dialled: true, state: 'dialling', reopened: false, calls: new Map([[call.number, call]]) })
    this.#caller.effect({ type: 'connect', peer: to.id, addresses: [to.address] })
  }

  #request(to: NodeId, call: Call<M>): void {
    this.#send(to, new Packet(call.number, 'request', call.options.request))
  }

  #send(to: NodeId, data: Packet): void {
    this.#caller.effect({ type: 'send', to, data })
  }

  #fail(call: Call<M>): void {
    this.#end(call)
    call.options.failed()
  }

  #end(call: Call<M>): void {
    if (call.timeout !== undefined) this.#caller.cancel(call.timeout)
    if (call.retry !== undefined) this.#caller.cancel(call.retry)
    const { id } = call.options.to
    const line = this.#lines.get(id)
    if (line?.calls.delete(call.number) === true) this.#closeIfIdle(id, line)
  }

  #closeIfIdle(peer: NodeId, line: Line<M>): void {
    if (!line.dialled || line.state !== 'up' || line.calls.size > 0) return
    line.state = 'closing'
    this.#caller.effect({ type: 'disconnect', peer, reason: 'the call is over' })
  }
}
