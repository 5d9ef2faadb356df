import type { Member, Milliseconds } from '@jel/protocol'
import type { Contact } from '../network/contact.ts'
import { isActive, type Actor } from '../truth/actor.ts'
import { Distribution } from './quantile.ts'
import type { Views } from './views.ts'

/** The time of a loss, and the life and side of the lost member. */
interface Loss {
  readonly at: Milliseconds
  readonly life: number
  readonly side: number
}

/**
 * Measures how soon undisturbed survivors notice lost members: crashes, or hosts that fell silent.
 */
export class Deaths {
  readonly #actors: readonly Actor[]
  readonly #views: Views
  readonly #contact: Contact
  /** Losses by life. */
  readonly #losses = new Map<number, Loss>()
  /** The times from a loss to its notification, for each notified survivor. */
  readonly times = new Distribution()

  constructor(actors: readonly Actor[], views: Views, contact: Contact) {
    this.#actors = actors
    this.#views = views
    this.#contact = contact
  }

  /** Call it right after the loss. */
  lost(actor: Actor, at: Milliseconds): void {
    const life = this.#views.present(actor.number)
    if (life !== undefined) this.#losses.set(life, { at, life, side: actor.side })
  }

  /**
   * Discards the loss of a member that answers again. A survivor that has not noticed the loss by
   * now has nothing left to notice.
   */
  back(actor: Actor): void {
    const life = this.#views.present(actor.number)
    if (life !== undefined) this.#losses.delete(life)
  }

  notified(observer: Actor, { id, incarnation }: Member, now: Milliseconds): void {
    const loss = this.#losses.get(this.#views.life({ id, incarnation }))
    if (loss !== undefined && this.#counts(observer, loss)) this.times.add(now - loss.at)
  }

  /**
   * Counts pairs of a loss and a survivor that was never notified of the loss. Losses of the last
   * `atLeast` ms do not count.
   */
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
