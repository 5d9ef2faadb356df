import type { Milliseconds } from './ids.ts'
import { ALL_TICKETS, decayed, OTHERS, ticketsNow, type SharePolicy } from './shares.ts'

/**
 * Tickets are computed anew after this time, ms. A guess: a share changes little within a second.
 */
const RENEW = 1000
/**
 * Least tickets of an owner, of 1,000. Otherwise one task of an owner without a share would cost it
 * an endless time. It would get no other task, even if it is alone later. A guess.
 */
export const LEAST_TICKETS = 0.001
/** Maximum number of owners whose use is remembered. A guess: a pool has as many records. */
const MAX_OWNERS = 4096

const NOBODY: ReadonlyMap<string, number> = new Map()

interface Use {
  used: number
  at: Milliseconds
}

/** The use of this member's processor time by each owner, and the tickets that follow from it. */
export class ShareAccount {
  #policy: SharePolicy
  readonly #uses = new Map<string, Use>()
  #tickets: ReadonlyMap<string, number> | undefined
  #renewAt: Milliseconds = 0

  constructor(policy: SharePolicy) {
    this.#policy = policy
  }

  /** The policy changed. Earlier use still counts. */
  change(policy: SharePolicy): void {
    this.#policy = policy
    this.changed()
  }

  /** An owner came or went. */
  changed(): void {
    this.#tickets = undefined
  }

  /** An owner used processor time. Negative: less than estimated. */
  charge(owner: string, time: Milliseconds, now: Milliseconds): void {
    const { halfLife } = this.#policy
    const use = this.#uses.get(owner) ?? { used: 0, at: now }
    this.#uses.delete(owner)
    this.#uses.set(owner, { used: Math.max(0, decayed(use.used, now - use.at, halfLife) + time), at: now })
    if (this.#uses.size > MAX_OWNERS) this.#uses.delete(this.#uses.keys().next().value as string)
  }

  /** Returns the tickets of an owner among the owners whose jobs wait. */
  ticketsOf(owner: string, active: () => Iterable<string>, now: Milliseconds): number {
    if (this.#tickets === undefined || now >= this.#renewAt) {
      this.#tickets = this.#renew(new Set(active()), now)
      this.#renewAt = now + RENEW
    }
    return Math.max(LEAST_TICKETS, this.#tickets.get(owner) ?? ALL_TICKETS)
  }

  #renew(active: ReadonlySet<string>, now: Milliseconds): ReadonlyMap<string, number> {
    const { shares, override = NOBODY, halfLife } = this.#policy
    const used = new Map<string, number>()
    let all = 0
    for (const [owner, use] of this.#uses) {
      const each = decayed(use.used, now - use.at, halfLife)
      const party = nameIn(shares, owner) ?? OTHERS
      used.set(party, (used.get(party) ?? 0) + each)
      all += each
    }
    const members = Map.groupBy(active, (owner) => nameIn(shares, owner) ?? OTHERS)
    const parties = [...members.keys()].map((owner) => ({ owner, used: used.get(owner) ?? 0 }))
    const parts = ticketsNow(this.#policy, parties, all)
    // Owners of one party divide its tickets. Further tickets are for each owner by its own name.
    const tickets = new Map<string, number>()
    for (const [party, owners] of members) {
      for (const owner of owners) {
        const further = override.get(nameIn(override, owner) ?? '') ?? 0
        tickets.set(owner, (parts.get(party) as number) / owners.length + further)
      }
    }
    return tickets
  }
}

/** Returns the name of an owner in a policy: its id, or the end of its id. */
function nameIn(names: ReadonlyMap<string, number>, owner: string): string | undefined {
  if (names.has(owner)) return owner
  for (const name of names.keys()) if (owner.endsWith(name)) return name
  return undefined
}
