import { Driver, type Clock } from '@jel/machine'
import type { LedgerEffect, LedgerInput, LedgerOptions } from '../core/ledger-io.ts'
import { Ledger } from '../core/ledger.ts'
import type { LedgerMessage } from '../core/messages.ts'
import type { Address, Seat } from '../core/seat.ts'
import type { LedgerState } from '../core/state.ts'
import type { Durable, StoreRecord } from '../core/store.ts'
import { firstHash } from '../core/entry.ts'
import type { Store } from '../store/store.ts'

type Effect<Type extends LedgerEffect['type']> = Extract<LedgerEffect, { readonly type: Type }>

/** Carries out the effects of a seat that concern others. */
export interface SeatEvents {
  /** `to`: a seat, or the id of a member that sent a request. */
  send(to: Address, message: LedgerMessage): void
  committed(effect: Effect<'committed'>): void
  installed(effect: Effect<'installed'>): void
  /** The leader that this seat knows has changed. */
  led(): void
  noMajority(): void
  /** `error`: why a write failed. */
  stopped(code: Effect<'stopped'>['code'], error: Error | undefined): void
}

/**
 * Runs one seat in real time. A message that depends on a write leaves when that write is synced.
 */
export class SeatHost {
  readonly #ledger: Ledger
  readonly #driver: Driver<LedgerInput, LedgerEffect>
  readonly #store: Store
  readonly #first: StoreRecord
  readonly #events: SeatEvents
  #held: Effect<'send'>[] = []
  #synced = 0
  #failure: Error | undefined

  constructor(options: LedgerOptions & { readonly clock: Clock }, durable: Durable, store: Store, events: SeatEvents) {
    const { ledger, seat } = durable
    this.#ledger = new Ledger(options, durable)
    this.#store = store
    this.#events = events
    const nothing = { index: 0, term: 0, hash: firstHash(options.digest, ledger), configuration: { groups: [] }, state: new Uint8Array() }
    this.#first = { type: 'seat', ledger, seat, snapshot: nothing }
    this.#driver = new Driver<LedgerInput, LedgerEffect>(
      this.#ledger,
      {
        write: (effect) => this.#write(effect),
        send: (effect) => {
          if (effect.after > this.#synced) this.#held.push(effect)
          else events.send(effect.to, effect.message)
        },
        committed: (effect) => events.committed(effect),
        installed: (effect) => events.installed(effect),
        leader: () => events.led(),
        noMajority: () => events.noMajority(),
        stopped: ({ code }) => {
          this.#held = []
          events.stopped(code, this.#failure)
        },
      },
      options.clock,
    )
  }

  get seat(): Seat {
    return this.#ledger.state.seat
  }

  /** The state of the seat. Do not change it. */
  get state(): Readonly<LedgerState> {
    return this.#ledger.state
  }

  get isLeader(): boolean {
    return this.state.role === 'leader'
  }

  deliver(input: LedgerInput): void {
    this.#driver.deliver(input)
  }

  stop(): void {
    this.#driver.stop()
  }

  #write({ number, record }: Effect<'write'>): void {
    const written = this.#store.write(record, record.type === 'snapshot' ? this.#whole() : undefined)
    if (written === undefined) this.#settle(number)
    else {
      written.then(
        () => this.#settle(number),
        (error: unknown) => {
          this.#failure ??= error as Error
          this.#driver.deliver({ type: 'writeFailed' })
        },
      )
    }
  }

  /** All records that the store must have after a snapshot has replaced entries. */
  #whole(): readonly StoreRecord[] {
    const { term, votedFor, log } = this.#ledger.state
    return [
      this.#first,
      { type: 'vote', term, votedFor },
      { type: 'snapshot', snapshot: log.snapshot },
      { type: 'entries', first: log.snapshot.index + 1, entries: [...log.entries] },
    ]
  }

  #settle(number: number): void {
    this.#synced = Math.max(this.#synced, number)
    const released = this.#held.filter(({ after }) => after <= this.#synced)
    this.#held = this.#held.filter(({ after }) => after > this.#synced)
    for (const { to, message } of released) this.#events.send(to, message)
    this.#driver.deliver({ type: 'written', number })
  }
}
