import type { Member, Milliseconds } from '@jel/protocol'
import type { Contact } from '../network/contact.ts'
import { isActive, type Actor } from '../user/actor.ts'
import { Distribution } from './quantile.ts'
import type { Views } from './views.ts'

/** A crash, and who was there to notice. */
interface Crash {
  readonly at: Milliseconds
  readonly life: number
  readonly side: number
}

/** How soon crashes are noticed by those to whom nothing happened meanwhile. */
export class Deaths {
  readonly #actors: readonly Actor[]
  readonly #views: Views
  readonly #contact: Contact
  /** By life. */
  readonly #crashes = new Map<number, Crash>()
  /** From a crash to its news, for each survivor that was told. */
  readonly times = new Distribution()

  constructor(actors: readonly Actor[], views: Views, contact: Contact) {
    this.#actors = actors
    this.#views = views
    this.#contact = contact
  }

  /** To be called right after the crash. */
  crashed(actor: Actor, at: Milliseconds): void {
    const life = this.#views.present(actor.number)
    if (life !== undefined) this.#crashes.set(life, { at, life, side: actor.side })
  }

  told(observer: Actor, { id, incarnation }: Member, now: Milliseconds): void {
    const crash = this.#crashes.get(this.#views.life({ id, incarnation }))
    if (crash !== undefined && this.#counts(observer, crash)) this.times.add(now - crash.at)
  }

  /** Survivors that were never told, by now, of a crash at least so long ago. */
  missed(now: Milliseconds, atLeast: Milliseconds): number {
    let missed = 0
    for (const crash of this.#crashes.values()) {
      if (now - crash.at < atLeast) continue
      for (const actor of this.#actors) if (this.#views.sees(actor.number, crash.life) && this.#counts(actor, crash)) missed += 1
    }
    return missed
  }

  #counts(actor: Actor, { at, side }: Crash): boolean {
    return isActive(actor) && actor.side === side && this.#contact.steady(actor.node.endpoint, at)
  }
}
