import { defaultConfig, type Fact, type Message } from '@jel/protocol'
import type { Attack, Attacker } from './attacker.ts'
import { aged, factsIn, isEnd, freshFacts } from './words.ts'

/** The time for which a node still remembers an end with the false old age, s. */
const before = 30

/**
 * Repeats ends with false ages. Every second end is almost old enough to be forgotten. The other
 * ends are new.
 */
export class FalseAges implements Attack {
  readonly #ends = new Map<string, Fact>()

  heard(message: Message): void {
    for (const { fact } of factsIn(message)) if (isEnd(fact)) this.#ends.set(fact.key, fact)
  }

  turn(attacker: Attacker): void {
    if (attacker.turns % 20 !== 1) return
    const old = defaultConfig.tombstones.lifetime / 1_000 - before
    const facts = [...this.#ends.values()].slice(0, 50).map((fact, i) => aged(fact, i % 2 === 0 ? old : 0))
    if (facts.length > 0) for (const link of attacker.links) attacker.send(link, freshFacts(facts))
  }
}
