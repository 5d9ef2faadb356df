import type { MemberId } from '@jel/compute/internals'
import type { Milliseconds } from '@jel/protocol'
import type { VirtualClock } from '../engine/clock.ts'
import type { GridMember } from './grid-member.ts'
import type { GridNetwork } from './grid-network.ts'

/**
 * News of a newcomer, and the news for it, arrive in any order within this time, ms. Measured: a
 * record reaches all members within it.
 */
export const SPREAD = 200

/**
 * Membership without a protocol. It knows which members live, and notifies each other member of a
 * join, a death and a partition after a delay.
 */
export class MembershipOracle {
  readonly #clock: VirtualClock
  readonly #random: () => number
  readonly #network: GridNetwork
  readonly #members: () => readonly GridMember[]
  readonly #named: (id: MemberId) => GridMember | undefined

  constructor(
    clock: VirtualClock,
    random: () => number,
    network: GridNetwork,
    pool: { readonly members: () => readonly GridMember[]; readonly named: (id: MemberId) => GridMember | undefined },
  ) {
    this.#clock = clock
    this.#random = random
    this.#network = network
    this.#members = pool.members
    this.#named = pool.named
  }

  joined(member: GridMember): void {
    for (const other of this.#living) {
      if (other === member) continue
      this.#sees(other, member, this.#network.delay(member, other) + this.#random() * SPREAD)
      this.#sees(member, other, this.#random() * SPREAD)
    }
  }

  /** A visitor sees all members. They see it once it sends a message. */
  visited(visitor: GridMember): void {
    for (const other of this.#living) this.#sees(visitor, other, this.#random() * SPREAD)
  }

  /** Each other member detects its death within this range of times, ms. */
  died(member: GridMember, [least, most]: readonly [Milliseconds, Milliseconds]): void {
    for (const other of this.#living) {
      const after = least + this.#random() * (most - least) + this.#network.delay(member, other)
      this.#clock.after(after, () => this.#loses(other, member.id))
    }
  }

  /** @param after time until its statement is sent, ms */
  left(member: GridMember, after: Milliseconds): void {
    for (const other of this.#living) this.#clock.after(after + this.#network.delay(member, other), () => this.#loses(other, member.id))
  }

  /** One member sees another, because the other one sent it a message. */
  heard(member: GridMember, from: GridMember): void {
    if (from.lives && !member.view.has(from.id)) this.#see(member, from)
  }

  /** Cuts the members into two sides. They pronounce each other dead after a time. */
  cut(isOther: (member: GridMember) => boolean): void {
    for (const member of this.#members()) member.side = isOther(member) ? 1 : 0
    for (const [a, b] of this.#pairs()) {
      if (a.side !== b.side) this.#clock.after(1000 + this.#random() * 1000, () => a.side !== b.side && this.#loses(a, b.id))
    }
  }

  heal(): void {
    const pairs = this.#pairs().filter(([a, b]) => a.side !== b.side)
    for (const member of this.#members()) member.side = 0
    for (const [a, b] of pairs) this.#sees(a, b, 1000 + this.#random() * 3000)
  }

  /**
   * Heals as real members do. Each member re-enters once it learns that it was pronounced dead,
   * after up to `span` ms. Members that are back see one another. They pronounce dead the members
   * of their own half that are not back, and drop their messages. Meanwhile a stream takes up to
   * `dial` ms longer to open. Measured on two busy processors: `span` 10 s, `dial` 3 to 5 s.
   */
  healInWaves(span: Milliseconds, dial: Milliseconds): void {
    for (const member of this.#members()) member.side = 0
    for (const [a, b] of this.#pairs()) if (!a.view.has(b.id)) a.holdsDead.add(b.id)
    this.#network.dialling = dial
    this.#clock.after(2 * span, () => (this.#network.dialling = 0))
    const back = new Set<GridMember>()
    const lose = (member: GridMember, other: GridMember): void => {
      if (back.has(other)) return
      member.holdsDead.add(other.id)
      this.#loses(member, other.id)
    }
    const reenter = (member: GridMember): void => {
      member.heldDeadBy.clear()
      member.handle({ type: 'reentered' })
      for (const other of back) {
        this.#sees(member, other, this.#random() * SPREAD)
        this.#sees(other, member, this.#random() * SPREAD)
      }
      back.add(member)
      for (const other of this.#living) if (!back.has(other)) this.#clock.after((this.#random() * span) / 4, () => lose(member, other))
    }
    for (const member of this.#living) this.#clock.after(this.#random() * span, () => member.lives && reenter(member))
  }

  get #living(): GridMember[] {
    return this.#members().filter(({ lives }) => lives)
  }

  #pairs(): [GridMember, GridMember][] {
    const living = this.#living
    return living.flatMap((a) => living.filter((b) => b !== a).map((b): [GridMember, GridMember] => [a, b]))
  }

  #sees(member: GridMember, other: GridMember, after: Milliseconds): void {
    this.#clock.after(after, () => {
      if (member.lives && other.lives && member.side === other.side && !member.view.has(other.id)) this.#see(member, other)
    })
  }

  #see(member: GridMember, other: GridMember): void {
    member.view.add(other.id)
    member.holdsDead.delete(other.id)
    if (member.heldDeadBy.has(other.id)) {
      member.heldDeadBy.clear()
      member.handle({ type: 'reentered' })
    }
    const { id, location, visits } = other
    member.handle({ type: 'joined', member: { id, location, visits, computes: other.workers.length > 0 } })
  }

  #loses(member: GridMember, other: MemberId): void {
    if (!member.lives || !member.view.delete(other)) return
    this.#named(other)?.heldDeadBy.add(member.id)
    this.#network.close(member.id, other)
    member.handle({ type: 'gone', id: other })
  }
}
