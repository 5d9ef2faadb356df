import type { Attack, Attacker } from './attacker.ts'
import { offer } from './words.ts'

/** The number of facts in one offer. */
const items = 500

/**
 * Offers facts that don't exist. A peer that requests them waits, and has no room for other offers.
 */
export class MadeUpOffers implements Attack {
  turn(attacker: Attacker): void {
    if (attacker.turns % 5 !== 1) return
    for (const link of attacker.links) attacker.send(link, offer(items, attacker.random))
  }
}
