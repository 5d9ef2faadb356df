import type { Attack, Attacker } from './attacker.ts'
import { news } from './words.ts'

/** Sends left-statements in the names of other members, with false signatures. */
export class Forgeries implements Attack {
  turn(attacker: Attacker): void {
    if (attacker.turns % 20 !== 1) return
    const statements = attacker.targets().map((victim) => attacker.words.leavesAs(victim))
    for (const link of attacker.links) attacker.send(link, news(statements))
  }
}
