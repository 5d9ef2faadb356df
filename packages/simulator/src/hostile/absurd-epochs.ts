import type { Attack, Attacker } from './attacker.ts'
import { news } from './words.ts'

/** Claims every election that it learns of, in epochs far above the epochs in use. */
export class AbsurdEpochs implements Attack {
  turn(attacker: Attacker): void {
    if (attacker.turns % 10 !== 1) return
    const epoch = 2 ** (3 + (Math.floor(attacker.turns / 10) % 45))
    for (const election of attacker.elections) {
      const claim = attacker.words.claims(election, attacker.self?.incarnation ?? 1, epoch)
      for (const link of attacker.links) attacker.send(link, news([claim]))
    }
  }
}
