import type { Attack, Attacker } from './attacker.ts'
import { alarm } from './words.ts'

/** The number of suspicions in a frame. */
const numbers = 10

/**
 * Sends suspicions of its victims to all peers, with ever new heartbeats. So the victims refute
 * without end.
 */
export class SuspicionFlood implements Attack {
  turn(attacker: Attacker): void {
    const first = attacker.turns * numbers
    for (const victim of attacker.targets()) {
      const accusations = Array.from({ length: numbers }, (_, i) => attacker.words.suspects(victim, first + i))
      for (const link of attacker.links) attacker.send(link, alarm(accusations))
    }
  }
}
