/**
 * One member's orders and client over leaders that lose requests and answers, refuse, and change,
 * while lives of the member end and join. Time is that of fake timers.
 */
import { createRandom } from '@jel/protocol'
import { encode, toBase64 } from '../src/fold/bodies.ts'
import type { Life } from '../src/fold/events.ts'
import { Fold } from '../src/fold/fold.ts'
import type { Proposal, Request } from '../src/core/messages.ts'
import { Client } from '../src/shell/client.ts'
import { Orders } from '../src/shell/orders.ts'

const SEATS = ['a/1', 'b/1', 'c/1'] as const

export class LossyLeader {
  readonly client: Client
  readonly orders: Orders
  /** The payloads that have a place, in that order. */
  readonly placed: string[] = []
  readonly #random: () => number
  readonly #fold = new Fold((bytes) => ({ id: 'me', incarnation: Number(new TextDecoder().decode(bytes)) }))
  #index = 0
  #lives = 0
  #life: Life | undefined
  #leader: string | undefined = SEATS[0]
  #isHealed = false
  #waiting: { readonly index: number; readonly resolve: () => void }[] = []

  constructor(seed: number) {
    this.#random = createRandom(seed)
    this.client = new Client({
      leader: () => (this.#chance(0.5) ? this.#leader : undefined),
      seats: () => SEATS,
      send: (to, request) => this.#arrive(to, request),
    })
    this.orders = new Orders(
      () => this.#life,
      async (entry) => {
        const index = await this.client.propose(entry)
        if (index > this.#index) await new Promise<void>((resolve) => this.#waiting.push({ index, resolve }))
      },
    )
    this.#join()
  }

  /** Lets something happen to the leader, or to the life of the member. */
  disturb(): void {
    if (this.#life !== undefined && this.#chance(0.02)) this.#take(encode('gone', { id: 'me', incarnation: this.#lives, how: 'died' }))
    if (this.#life === undefined && this.#chance(0.1)) this.#join()
    if (!this.#chance(0.05)) return
    this.#leader = [...SEATS, undefined][Math.floor(this.#random() * 4)]
    this.client.led()
  }

  /** From now on nothing is lost. */
  heal(): void {
    this.#isHealed = true
    this.#leader = SEATS[1]
    if (this.#life === undefined) this.#join()
  }

  /** Whether something with this probability happens. Faults end with the heal. */
  #chance(probability: number): boolean {
    return !this.#isHealed && this.#random() < probability
  }

  #join(): void {
    this.#lives += 1
    this.#take(encode('join', { statement: toBase64(new TextEncoder().encode(String(this.#lives))) }))
  }

  #arrive(to: string, request: Request): void {
    const { number } = request
    const leader = this.#leader
    if (this.#chance(0.2)) return
    if (to !== leader) this.#later(() => this.client.take(to, { type: 'redirected', number, ...(leader !== undefined && { leader }) }))
    else if (this.#chance(0.2)) this.#later(() => this.client.take(to, { type: 'refused', number, reason: 'busy' }))
    else if (this.#chance(0.05)) this.#later(() => this.client.take(to, { type: 'refused', number, reason: 'invalid' }))
    else
      this.#later(() => {
        for (const entry of request.type === 'propose' ? request.entries : []) this.#take(entry)
        const index = this.#index
        if (!this.#chance(0.1)) this.#later(() => this.client.take(to, { type: 'proposed', number, index }))
      })
  }

  #later(action: () => void): void {
    setTimeout(action, this.#random() * 60)
  }

  #take(entry: Proposal): void {
    this.#index += 1
    for (const event of this.#fold.take(this.#index, entry)) {
      if (event.type === 'ended') this.#life = undefined
      else if (event.type === 'joined') {
        this.#life = event.member
        this.orders.joined()
      } else if (event.type === 'ordered') {
        this.placed.push(new TextDecoder().decode(event.payload))
        this.orders.take(event)
      }
    }
    const ready = this.#waiting.filter(({ index }) => index <= this.#index)
    this.#waiting = this.#waiting.filter(({ index }) => index > this.#index)
    for (const { resolve } of ready) resolve()
  }
}
