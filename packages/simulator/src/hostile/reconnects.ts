import { createRandom } from '@jel/protocol'
import { cheapScheme } from '../protocol/identity.ts'
import type { Attack, Attacker } from './attacker.ts'
import { news, Words } from './words.ts'

/** The number of newcomers in a frame, and the number of frames until it reopens the link. */
const newcomers = 50
const frames = 10

/**
 * Makes up thousands of members. It reopens its link as soon as it has sent as many members as one
 * link allows.
 */
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
