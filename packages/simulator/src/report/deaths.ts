import type { Member, Milliseconds } from '@jel/protocol'
import { isActive, type Actor } from '../user/actor.ts'
import { Distribution } from './quantile.ts'
import type { Views } from './views.ts'

/** A crash, and who was there to notice. */
interface Crash {
  readonly at: Milliseconds
  readonly life: number
  readonly side: number
}

/** How soon crashes are noticed, and who is taken for dead who is not. */
export class Deaths {
  readonly #actors: readonly Actor[]
  readonly #views: Views
  /** By life. */
  readonly #crashes = new Map<number, Crash>()
  /** From a crash to its news, for each survivor that was told. */
  readonly times = new Distribution()
  /** News of the death of a node that runs and was never stopped, cut off or made to lose packets. */
  falseOfHealthy = 0
  /** News of the death of another node that lives. */
  falseOfDisturbed = 0
  /** The first of the former, for people. */
  firstFalse: string | undefined

  constructor(actors: readonly Actor[], views: Views) {
    this.#actors = actors
    this.#views = views
  }

  /** To be called right after the crash. */
  crashed(actor: Actor, at: Milliseconds): void {
    const life = this.#views.present(actor.number)
    if (life !== undefined) this.#crashes.set(life, { at, life, side: actor.side })
  }

  told(observer: Actor, { id, incarnation }: Member, subject: Actor | undefined, now: Milliseconds): void {
    const life = this.#views.life({ id, incarnation })
    const crash = this.#crashes.get(life)
    if (crash !== undefined) {
      if (isActive(observer) && observer.side === crash.side && !observer.node.disturbed) this.times.add(now - crash.at)
      return
    }
    // Who is cut off is right to believe so.
    if (observer.silent || subject === undefined || subject.silent || observer.side !== subject.side) return
    if (subject.endedAt !== undefined || this.#views.present(subject.number) !== life || observer === subject) return
    if (subject.node.disturbed) this.falseOfDisturbed += 1
    else {
      this.falseOfHealthy += 1
      this.firstFalse ??= `node ${observer.number} was told at ${(now / 1_000).toFixed(3)}s that node ${subject.number} died`
    }
  }

  /** Survivors that were never told, by now, of a crash at least so long ago. */
  missed(now: Milliseconds, atLeast: Milliseconds): number {
    let missed = 0
    for (const crash of this.#crashes.values()) {
      if (now - crash.at < atLeast) continue
      for (const actor of this.#actors) {
        if (isActive(actor) && !actor.node.disturbed && actor.side === crash.side && this.#views.sees(actor.number, crash.life)) missed += 1
      }
    }
    return missed
  }
}
