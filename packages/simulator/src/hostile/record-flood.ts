import { cheapScheme } from '../protocol/identity.ts'
import type { Attack, Attacker } from './attacker.ts'
import { factsOf, news, Words } from './words.ts'

/** The number of records per turn. There are ten turns per second. */
const each = 40

/**
 * Publishes records of the greatest size and lifetime under keys that it makes up, on the topic and
 * over a link. It also repeats old versions of other members' records.
 */
export class RecordFlood implements Attack {
  readonly #pool: string
  readonly #heard = new Map<string, Parameters<typeof news>[0][number]>()

  constructor(pool: string) {
    this.#pool = pool
  }

  heard(message: Parameters<NonNullable<Attack['heard']>>[0]): void {
    for (const { fact } of message.facts?.facts ?? [])
      if (fact.isRecord && 'statement' in fact.content && this.#heard.size < each && !this.#heard.has(fact.key))
        this.#heard.set(fact.key, fact.content.statement)
  }

  turn(attacker: Attacker): void {
    const made = Array.from({ length: each }, () => this.#record(attacker))
    const [peer] = attacker.links
    if (attacker.turns % 2 === 0) attacker.publish(factsOf(made))
    else if (peer !== undefined) attacker.send(peer, news([...made, ...this.#heard.values()]))
  }

  #record(attacker: Attacker): ReturnType<Words['publishes']> {
    const words = new Words(this.#pool, cheapScheme.identity(Math.floor(attacker.random() * 2 ** 32)), cheapScheme)
    return words.publishes(`flood ${attacker.turns}`, attacker.today)
  }
}
