import type { Attack, Attacker } from './attacker.ts'
import { news } from './words.ts'

/** The elections that it opens itself, in addition to the elections that it learns of. */
const opened = Array.from({ length: 16 }, (_, i) => `opened ${i}`)

/**
 * Signs two candidacies of equal rank in many elections: one stands, the other withdraws. Half of
 * its links receive the first candidacy, and the other half receive the second.
 */
export class DoubleSigner implements Attack {
  turn(attacker: Attacker): void {
    if (attacker.turns % 20 !== 1) return
    const elections = [...attacker.elections, ...opened]
    for (const [i, link] of [...attacker.links].entries()) {
      const statements = elections.map((election) => attacker.words.stands(election, attacker.self?.incarnation ?? 1, i % 2 === 0))
      attacker.send(link, news(statements))
    }
  }
}
