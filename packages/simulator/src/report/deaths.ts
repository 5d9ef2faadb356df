import type { Member, Milliseconds } from '@jel/protocol'
import type { Contact } from '../network/contact.ts'
import { isActive, type Actor } from '../user/actor.ts'
import { Distribution } from './quantile.ts'
import type { Views } from './views.ts'

/** When a member fell silent for ever, and who was there to notice. */
interface Loss {
  readonly at: Milliseconds
  readonly life: number
  readonly side: number
}

/** How soon members that are gone are noticed by those to whom nothing happened meanwhile: crashes, or hosts that fell silent. */
export class Deaths {
  readonly #actors: readonly Actor[]
  readonly #views: Views
  readonly #contact: Contact
  /** By life. */
  readonly #losses = new Map<number, Loss>()
  /** From a loss to its news, for each survivor that was told. */
  readonly times = new Distribution()

  constructor(actors: readonly Actor[], views: Views, contact: Contact) {
    this.#actors = actors
    this.#views = views
    this.#contact = contact
  }

  /** To be called right after it. */
  lost(actor: Actor, at: Milliseconds): void {
    const life = this.#views.present(actor.number)
    if (life !== undefined) this.#losses.set(life, { at, life, side: actor.side })
  }

  /** It answers again: whoever was not told by now had nothing to notice. */
  back(actor: Actor): void {
    const life = this.#views.present(actor.number)
    if (life !== undefined) this.#losses.delete(life)
  }

  told(observer: Actor, { id, incarnation }: Member, now: Milliseconds): void {
    const loss = this.#losses.get(this.#views.life({ id, incarnation }))
    if (loss !== undefined && this.#counts(observer, loss)) this.times.add(now - loss.at)
  }

  /** Survivors that were never told, by now, of a loss at least so long ago. */
  missed(now: Milliseconds, atLeast: Milliseconds): number {
    let missed = 0
    for (const loss of this.#losses.values()) {
      if (now - loss.at < atLeast) continue
      for (const actor of this.#actors) if (this.#views.sees(actor.number, loss.life) && this.#counts(actor, loss)) missed += 1
    }
    return missed
  }

  #counts(actor: Actor, { at, side }: Loss): boolean {
    return isActive(actor) && actor.side === side && this.#contact.steady(actor.node.endpoint, at)
  }
}
