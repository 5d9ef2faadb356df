import type { Pool, Stream } from '@jel/jel'
import { Driver } from '@jel/machine'
import { FrameStream, SendQueue } from '@jel/overlay'
import type { Amounts } from '../core/calendar.ts'
import { Leases, type LeaseEffect, type LeaseInput } from '../core/leases.ts'
import {
  fromBytes,
  holderMessage,
  MAX_ASK_BYTES,
  toBytes,
  type GranterMessage,
  type HolderMessage,
  type ListedLease,
} from '../core/messages.ts'

export const LEASE_PROTOCOL = '/jel-lease/1.0.0'
/** Maximum number of streams of one member: its leases, and some for lists. */
const MAX_STREAMS = 72
/** A message of a member is handled at least this long after its former one, ms. A guess. */
const PAUSE = 2
/** A member forgets idle peers above this number. A guess. */
const MAX_PEERS = 1024

/** Whether a member may have a lease. */
export type AllowLease = (asked: { readonly member: string; readonly amounts: Amounts }) => boolean

/** The way to the holder of a lease: a stream, or a call in this process. */
interface Outlet {
  readonly member: string
  send(message: GranterMessage): void
  /** The lease that the holder has over this outlet. */
  number?: number
}

/** Grants leases of this member's capacities: the shell of `Leases`. */
export class Granter {
  readonly #pool: Pool
  readonly #allow: AllowLease
  readonly #leases = new Leases()
  readonly #driver: Driver<LeaseInput, LeaseEffect>
  /** The outlet of each request that has no answer yet. */
  readonly #asking = new Map<number, Outlet>()
  readonly #outlets = new Map<number, Outlet>()
  readonly #peers = new Map<string, { streams: number; notBefore: number }>()
  #request = 0

  constructor(pool: Pool, allow: AllowLease) {
    this.#pool = pool
    this.#allow = allow
    this.#driver = new Driver<LeaseInput, LeaseEffect>(
      this.#leases,
      {
        granted: ({ request, lease }) => {
          const outlet = this.#answered(request)
          if (outlet === undefined) return
          outlet.number = lease.number
          this.#outlets.set(lease.number, outlet)
          outlet.send({ granted: lease, incarnation: pool.self.incarnation })
        },
        refused: ({ request, refusal }) => this.#answered(request)?.send({ refused: refusal }),
        changed: ({ number, amounts }) => this.#outlets.get(number)?.send({ changed: amounts }),
        ended: ({ number, reason }) => {
          this.#outlets.get(number)?.send({ ended: reason })
          this.#outlets.delete(number)
        },
      },
      performance,
    )
  }

  async start(signal: AbortSignal): Promise<void> {
    for (const type of ['died', 'left'] as const)
      this.#pool.addEventListener(type, ({ detail }) => this.#driver.deliver({ type: 'gone', holder: detail.id }), { signal })
    await this.#pool.handle(LEASE_PROTOCOL, (stream, from) => this.#serve(stream, from), { signal })
  }

  /** Returns false if leases take more. */
  offer(name: string, total: number): boolean {
    if (!this.#leases.mayOffer(name, total, performance.now())) return false
    this.#driver.deliver({ type: 'offer', name, total })
    return true
  }

  get totals(): Amounts {
    return Object.fromEntries(this.#leases.totals)
  }

  list(): ListedLease[] {
    const now = performance.now()
    return this.#leases.list().map(({ number, holder, background, reservation: { start, end }, amounts }) => ({
      number,
      holder,
      background,
      startsIn: Math.max(0, start - now),
      endsIn: Math.max(0, end - now),
      amounts,
    }))
  }

  /** Takes the messages of a holder in this process. */
  connect(send: (message: GranterMessage) => void): (message: HolderMessage) => void {
    const outlet: Outlet = { member: this.#pool.self.id, send }
    return (message) => this.#take(outlet, message)
  }

  close(): void {
    this.#driver.stop()
  }

  #serve(stream: Stream, from: string): void {
    const peer = this.#peers.get(from) ?? { streams: 0, notBefore: 0 }
    if (peer.streams >= MAX_STREAMS) {
      stream.abort(new Error('it has too many streams'))
      return
    }
    this.#peers.set(from, peer)
    if (this.#peers.size > MAX_PEERS) this.#forget()
    peer.streams++
    const queue = new SendQueue()
    const outlet: Outlet = { member: from, send: (message) => frames.send(toBytes(message)) }
    const frames: FrameStream = new FrameStream(
      stream,
      {
        maxFrameBytes: MAX_ASK_BYTES,
        queue,
        // A member that sends too fast waits: its stream is not read meanwhile.
        async *stage(received) {
          for await (const bytes of received) {
            const now = performance.now()
            const at = Math.max(now, peer.notBefore)
            peer.notBefore = at + PAUSE
            if (at > now) await new Promise((resolve) => setTimeout(resolve, at - now))
            yield bytes
          }
        },
      },
      {
        onFrame: (bytes) => {
          try {
            this.#take(outlet, fromBytes(holderMessage, bytes))
          } catch (error) {
            frames.abort(error)
          }
        },
        onEnd: () => {
          peer.streams--
          if (outlet.number !== undefined && this.#outlets.get(outlet.number) === outlet) this.#outlets.delete(outlet.number)
          void frames.close()
        },
      },
    )
  }

  #take(outlet: Outlet, message: HolderMessage): void {
    const { member: holder, number = 0 } = outlet
    if ('list' in message) {
      outlet.send({ leases: this.list(), totals: this.totals })
      return
    }
    if ('ask' in message && !this.#allow({ member: holder, amounts: message.ask.amounts })) {
      outlet.send({ refused: { code: 'DENIED', message: 'this member grants you no leases' } })
      return
    }
    const request = this.#request++
    this.#asking.set(request, outlet)
    if ('ask' in message) this.#driver.deliver({ type: 'ask', request, holder, asked: message.ask })
    else if ('renew' in message) this.#driver.deliver({ type: 'renew', request, holder, number, for: message.renew })
    else if ('change' in message) this.#driver.deliver({ type: 'change', request, holder, number, amounts: message.change })
    else this.#driver.deliver({ type: 'release', request, holder, number })
  }

  /** Forgets the peers that have no stream and need not wait. */
  #forget(): void {
    const now = performance.now()
    for (const [id, { streams, notBefore }] of this.#peers) if (streams === 0 && notBefore < now) this.#peers.delete(id)
  }

  #answered(request: number): Outlet | undefined {
    const outlet = this.#asking.get(request)
    this.#asking.delete(request)
    return outlet
  }
}
