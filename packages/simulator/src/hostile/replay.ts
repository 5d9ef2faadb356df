import type { Fact, Message } from '@jel/protocol'
import type { Attack, Attacker } from './attacker.ts'
import { accusationsIn, alarm, deathOf, factsIn, isEnd, freshFacts, type Accusation } from './words.ts'

/** No quorum needs more accusers than this. */
const quorum = 4

/** The most lives whose suspicions it keeps, and the most ends that it keeps. */
const kept = 1_000

/**
 * Keeps each suspicion that it receives, even if its subject refuted it long ago. Repeats all of
 * them. Once it has enough accusers of one life, it sends their suspicions as a death certificate.
 */
export class Replay implements Attack {
  readonly #accusations = new Map<string, Map<string, Accusation>>()
  readonly #ends = new Map<string, Fact>()

  heard(message: Message): void {
    for (const accusation of accusationsIn(message)) {
      const { suspect, incarnation } = accusation.content
      const life = `${suspect}#${incarnation}`
      const accusers = this.#accusations.get(life) ?? new Map<string, Accusation>()
      if (this.#accusations.size < kept) this.#accusations.set(life, accusers.set(accusation.signer, accusation))
    }
    for (const { fact } of factsIn(message)) if (isEnd(fact) && this.#ends.size < kept) this.#ends.set(fact.key + fact.incarnation, fact)
  }

  turn(attacker: Attacker): void {
    // One turn per second stays below all limits.
    if (attacker.turns % 10 !== 1) return
    for (const link of attacker.links) {
      for (const accusers of this.#accusations.values()) {
        const accusations = [...accusers.values()]
        attacker.send(link, alarm(accusations.slice(0, 8)))
        const own = attacker.members().find(({ id }) => id === accusations[0]?.content.suspect)
        // The attacker adds an accusation of its own.
        const all = own === undefined ? accusations : [...accusations, attacker.words.suspects(own, 0) as Accusation]
        if (all.length >= quorum) attacker.send(link, freshFacts([deathOf(all.slice(-quorum))]))
      }
      if (this.#ends.size > 0) attacker.send(link, freshFacts([...this.#ends.values()].slice(0, 50)))
    }
  }
}
