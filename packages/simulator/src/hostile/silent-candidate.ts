import type { Attack, Attacker } from './attacker.ts'
import { news } from './words.ts'

/**
 * Is a candidate in every election that it learns of. Its id is the lowest of many that it made. It
 * never claims.
 */
export class SilentCandidate implements Attack {
  turn(attacker: Attacker): void {
    if (attacker.turns % 20 !== 1) return
    const statements = [...attacker.elections].map((election) => attacker.words.stands(election, attacker.self?.incarnation ?? 1))
    if (statements.length > 0) for (const link of attacker.links) attacker.send(link, news(statements))
  }
}
