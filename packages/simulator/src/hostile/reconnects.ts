import { createRandom } from '@jel/protocol'
import { cheapScheme } from '../protocol/identity.ts'
import type { Attack, Attacker } from './attacker.ts'
import { news, Words } from './words.ts'

/** Newcomers in one frame, and frames until it opens the link anew. */
const newcomers = 50
const frames = 10

/** Makes up members by the thousand, and opens each link anew as soon as what it may say on one is used up. */
export class Reconnects implements Attack {
  readonly #pool: string
  #made = 0

  constructor(pool: string) {
    this.#pool = pool
  }

  turn(attacker: Attacker): void {
    const [peer] = attacker.targets().filter(({ id }) => attacker.links.has(id))
    if (peer === undefined) return
    attacker.send(peer.id, news(Array.from({ length: newcomers }, () => this.#newcomer(attacker))))
    if (attacker.turns % frames === 0) attacker.reconnect(peer)
  }

  #newcomer(attacker: Attacker): ReturnType<Words['joins']> {
    const random = createRandom(Math.floor(attacker.random() * 2 ** 32))
    const words = new Words(this.#pool, cheapScheme.identity(Math.floor(random() * 2 ** 32)), cheapScheme)
    return words.joins(this.#made++)
  }
}
