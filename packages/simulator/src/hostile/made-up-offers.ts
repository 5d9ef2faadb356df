import type { Attack, Attacker } from './attacker.ts'
import { offer } from './words.ts'

/** So many facts at once. */
const items = 500

/** Offers facts that there are not, so that who asks for them waits, and has no room for what others offer. */
export class MadeUpOffers implements Attack {
  turn(attacker: Attacker): void {
    if (attacker.turns % 5 !== 1) return
    for (const link of attacker.links) attacker.send(link, offer(items, attacker.random))
  }
}
