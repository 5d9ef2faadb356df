import type { ListedStart } from '../core/listed-groups.ts'
import { Agreement } from './agreement.ts'
import { Candidates } from './candidates.ts'
import type { Said } from './messages.ts'
import { fromStarter, holdFor, STARTER, type Layout, type Send, type StartResult, type Wanted } from './wanted.ts'

/**
 * If some reports are still missing after this number of checks, the start goes on without the
 * members that do not answer. A guess.
 */
export const MAX_CHECKS = 5

/**
 * The start of a group, at its starter. It asks candidates for holds, all at once. When enough
 * places hold, it locks their holds, and decides. If a candidate refuses or dies, the next one
 * takes its role.
 */
export class Starting {
  readonly wanted: Wanted
  readonly #layout: Layout
  readonly #candidates: Candidates
  #attempt = 0
  #locking: { readonly ranks: readonly string[]; readonly agreement: Agreement<string, string>; checks: number } | undefined
  #sends: Send[] = []
  #result: StartResult | undefined

  constructor(wanted: Wanted, layout: Layout) {
    this.wanted = wanted
    this.#layout = layout
    this.#candidates = new Candidates(wanted.candidates, wanted.count)
  }

  /** Undefined: the start goes on. */
  get result(): StartResult | undefined {
    return this.#result
  }

  /** The number of the last lock. */
  get attempt(): number {
    return this.#attempt
  }

  /** The progress of the start, for a list. */
  get progress(): Pick<ListedStart, 'program' | 'title' | 'state' | 'count' | 'held' | 'waits' | 'refused'> {
    const { program, title, count } = this.wanted
    const { held, waits, refused } = this.#candidates.counts()
    return { program, title, state: this.#locking === undefined ? 'holding' : 'locked', count, held, waits, refused }
  }

  begin(): readonly Send[] {
    return this.#turn(() => {})
  }

  /** A candidate tells the state of its hold. */
  holds(from: string, state: 'held' | 'waits', places: number): readonly Send[] {
    return this.#turn(() => this.#candidates.holds(from, state, places))
  }

  refused(from: string, message: string): readonly Send[] {
    return this.#turn(() => this.#candidates.drop(from, message))
  }

  said(from: string, attempt: number, said: Said): readonly Send[] {
    return this.#turn(() => {
      if (attempt !== this.#attempt || this.#locking?.ranks.includes(from) !== true) return
      if ('report' in said && said.report === 'lost') this.#candidates.failedAt(from)
      this.#forward(this.#locking.agreement.take(from, said as never))
    })
  }

  gone(member: string): readonly Send[] {
    return this.#turn(() => {
      for (const each of this.#candidates.placesOf(member)) {
        this.#candidates.drop(each, 'died or left')
        if (this.#locking !== undefined) this.#forward(this.#locking.agreement.gone(each))
      }
    })
  }

  /** Called each second. The start goes on without members that do not answer. */
  check(): readonly Send[] {
    return this.#turn(() => {
      this.#candidates.silent()
      const locking = this.#locking
      if (locking === undefined || ++locking.checks < MAX_CHECKS) return
      for (const each of locking.agreement.awaited) this.#candidates.failedAt(each)
      this.#forward(locking.agreement.decide('retry'))
    })
  }

  /** The time for the start is over, or the user cancels it. */
  stop(code: 'TIMEOUT' | 'STOPPED', why: string): readonly Send[] {
    return this.#turn(() => {
      const { held, waits } = this.#candidates.counts()
      // At the timeout the group starts with the places that hold, if these are enough. While a
      // lock is under way this is not possible, since only one lock decides at a time.
      if (code === 'TIMEOUT' && held >= this.wanted.atLeast && this.#locking === undefined) this.#lock(held)
      else
        this.#fail(code, `${why}: ${held} of ${this.wanted.count} held, ${waits} wait for capacity that others have${this.#candidates.why}`)
    })
  }

  #turn(act: () => void): readonly Send[] {
    this.#sends = []
    if (this.#result !== undefined) return []
    act()
    this.#settle()
    this.#review()
    return this.#sends
  }

  #review(): void {
    if (this.#result !== undefined || this.#locking !== undefined) return
    const { count, atLeast, spares, grows } = this.wanted
    for (const to of this.#candidates.ask(count + spares)) this.#sends.push({ to, content: holdFor(this.wanted) })
    const { asked, silent, held, waits, unasked } = this.#candidates.counts()
    if (held >= count) this.#lock(count)
    // A member that has not answered may have capacity for several ranks.
    else if (asked > 0 || (silent > 0 && !(grows && held >= atLeast))) return
    else if (held + waits + unasked < atLeast)
      this.#fail('NEVER', `${atLeast} ranks wanted, the members can take ${held + waits}${this.#candidates.why}`)
    else if ((waits === 0 || grows) && held >= atLeast) this.#lock(held)
  }

  #lock(count: number): void {
    const { input, grows } = this.wanted
    const ranks = this.#layout.inOrder(this.#candidates.held.slice(0, count))
    const attempt = ++this.#attempt
    const agreement = new Agreement<string, string>(STARTER, [STARTER, ...ranks], (reports) =>
      ranks.every((each) => reports.get(each) === 'locked') ? 'start' : 'retry',
    )
    this.#locking = { ranks, agreement, checks: 0 }
    const lock = { attempt, ranks: [...ranks], sites: this.#layout.sitesOf(ranks), input, ...(grows && { grows }) }
    for (const to of ranks) this.#sends.push({ to, content: { lock } })
    this.#forward(agreement.report('locked'))
  }

  /** Acts on the decision about a lock. */
  #settle(): void {
    const decision = this.#locking?.agreement.decision
    if (this.#locking === undefined || decision === undefined) return
    const { ranks } = this.#locking
    this.#locking = undefined
    if (decision.value !== 'start') return
    this.#letGo((place) => !ranks.includes(place))
    this.#result = { ranks }
  }

  #fail(code: 'NEVER' | 'TIMEOUT' | 'STOPPED', message: string): void {
    this.#letGo(() => true)
    this.#result = { code, message }
  }

  #letGo(which: (place: string) => boolean): void {
    for (const to of this.#candidates.open) if (which(to)) this.#sends.push({ to, content: { letGo: true } })
  }

  #forward(sends: Parameters<typeof fromStarter>[2]): void {
    this.#sends.push(...fromStarter('start', this.#attempt, sends))
  }
}
