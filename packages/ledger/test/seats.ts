/** A few seats without clock and network: a test delivers each message itself. */
import { Ledger } from '../src/core/ledger.ts'
import type { LedgerEffect, LedgerInput } from '../src/core/ledger-io.ts'
import type { LedgerMessage } from '../src/core/messages.ts'
import { fastDigest } from './digest.ts'
import { LEDGER, makeNode, type Start } from './seat-node.ts'

interface Sent {
  readonly from: string
  readonly to: string
  readonly message: LedgerMessage
}

export class Seats {
  readonly #ledgers = new Map<string, Ledger>()
  /** Messages that nobody got yet. */
  sent: Sent[] = []
  effects: LedgerEffect[] = []

  /** @param starts logs by id: all seats are voters */
  constructor(starts: Readonly<Record<string, Start>>, page = 64) {
    const options = { digest: fastDigest, random: () => 0.5, page, part: 2 }
    const seats = Object.keys(starts).map((id) => `${id}/0`)
    for (const [id, start] of Object.entries(starts)) {
      const { state } = makeNode(id, options, { groups: [{ seats }] }, [], start)
      if (state !== undefined) this.#ledgers.set(id, new Ledger(options, state))
    }
  }

  of(id: string): Ledger['state'] {
    return this.#ledger(id).state
  }

  /** Gives an input to a seat. Writes are synced at once, unless `isLate`. */
  feed(id: string, input: LedgerInput | { readonly type: 'timer' }, now = 0, isLate = false): void {
    const ledger = this.#ledger(id)
    for (const effect of ledger.handle(input, now)) {
      if (effect.type === 'timer') continue
      this.effects.push(effect)
      if (effect.type === 'send') this.sent.push({ from: ledger.state.seat, to: effect.to, message: effect.message })
    }
    if (!isLate && ledger.state.role !== 'stopped' && ledger.state.synced < ledger.state.written)
      this.feed(id, { type: 'written', number: ledger.state.written }, now)
  }

  say(id: string, from: string, message: LedgerMessage, now = 0): void {
    this.feed(id, { type: 'message', ledger: LEDGER, from, to: this.of(id).seat, message }, now)
  }

  /** Delivers the messages of this type between two members, `count` at most. */
  deliver(from: string, to: string, type: LedgerMessage['type'], count = Infinity, now = 0): number {
    const isMeant = (each: Sent): boolean => each.from === `${from}/0` && each.to === `${to}/0` && each.message.type === type
    const chosen = this.sent.filter((each) => isMeant(each)).slice(0, count)
    this.sent = this.sent.filter((each) => !chosen.includes(each))
    for (const each of chosen) this.say(to, each.from, each.message, now)
    return chosen.length
  }

  /** Lets a seat stand, and win with the vote of another one. */
  elect(id: string, voter: string, now = 0): void {
    this.say(id, 'x/0', { type: 'timeoutNow', term: this.of(id).term }, now)
    this.deliver(id, voter, 'vote', 1, now)
    this.deliver(voter, id, 'voted', 1, now)
  }

  /** Loses all messages on their way to a member. */
  lose(to: string): void {
    this.sent = this.sent.filter((each) => each.to !== `${to}/0`)
  }

  answersTo(client: string): LedgerMessage[] {
    return this.sent.filter(({ to }) => to === client).map(({ message }) => message)
  }

  #ledger(id: string): Ledger {
    const ledger = this.#ledgers.get(id)
    if (ledger === undefined) throw new Error(`no seat ${id}`)
    return ledger
  }
}
