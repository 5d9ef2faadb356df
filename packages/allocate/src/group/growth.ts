import { Agreement, type AgreementSend } from './agreement.ts'
import { Candidates } from './candidates.ts'
import type { Why } from './epochs.ts'
import type { Said } from './messages.ts'
import { fromSaid, toSaid, type RankList } from './rank-list.ts'
import { ownerOf } from './place.ts'
import { MAX_CHECKS } from './starting.ts'
import { fromStarter, holdFor, STARTER, type Layout, type Send, type Wanted } from './wanted.ts'

/** A place whose hold is locked for a rank that shall join. */
interface Newcomer {
  readonly attempt: number
  readonly start: Agreement<string, string>
  checks: number
}

/**
 * The ranks of a group that grows, at the starter. A newcomer has a start of its own, and then
 * waits. When all ranks of an epoch have asked for the next epoch, the starter decides on its
 * ranks: the ranks that are left, and the newcomers that wait.
 */
export class Growth {
  readonly #wanted: Wanted
  readonly #layout: Layout
  readonly #candidates: Candidates
  /** The number of the last lock of the start. */
  readonly #attempt: number
  readonly #newcomers = new Map<string, Newcomer>()
  #ranks: readonly string[]
  #epoch = 0
  /** Ranks whose programs have ended, or whose members are gone. */
  readonly #lost = new Set<string>()
  #next: Agreement<Why, RankList> | undefined
  #isUrgent = false
  #sends: Send[] = []

  constructor(wanted: Wanted, layout: Layout, attempt: number, ranks: readonly string[]) {
    this.#wanted = wanted
    this.#layout = layout
    this.#attempt = attempt
    this.#ranks = ranks
    this.#candidates = new Candidates([], wanted.count)
    for (const each of ranks) this.#candidates.take(each)
  }

  get ranks(): readonly string[] {
    return this.#ranks
  }

  /**
   * The number of ranks that are still wanted. Newcomers count as ranks, even before they have
   * joined.
   */
  get room(): number {
    return this.#wanted.count - this.#newcomers.size - this.#ranks.filter((each) => !this.#lost.has(each)).length
  }

  /** Members that may take ranks now, the best first. */
  offer(members: readonly string[]): readonly Send[] {
    return this.#turn(() => this.#candidates.offer(members))
  }

  holds(from: string, state: 'held' | 'waits', places: number): readonly Send[] {
    return this.#turn(() => this.#candidates.holds(from, state, places))
  }

  refused(from: string, message: string): readonly Send[] {
    return this.#turn(() => this.#candidates.drop(from, message))
  }

  /** A newcomer sends a message of the agreement about its start. */
  saidStart(from: string, attempt: number, said: Said): readonly Send[] {
    return this.#turn(() => {
      const newcomer = this.#newcomers.get(from)
      if (newcomer?.attempt === attempt) this.#forStart(from, newcomer, newcomer.start.take(from, said as never))
    })
  }

  /** A rank asks for the next epoch. */
  saidNext(from: string, epoch: number, said: Said): readonly Send[] {
    return this.#turn(() => {
      // This member has reported the outcome of this rank already, so the rank must not go on.
      if (!this.#ranks.includes(from) || this.#lost.has(from)) this.#send(from, { stop: 'the other ranks go on without this one' })
      else if (epoch === this.#epoch + 1 && 'report' in said) {
        const agreement = this.#open()
        this.#forNext(agreement.take(from, fromSaid(said)))
        if (said.report === 'shrink') this.#revoke()
      }
    })
  }

  /** A program has ended. */
  ended(place: string): readonly Send[] {
    return this.#turn(() => this.#lose(place))
  }

  gone(member: string): readonly Send[] {
    return this.#turn(() => {
      // The loss of a rank may complete a decision, which must not name a newcomer of this member.
      for (const each of this.#newcomers.keys()) if (ownerOf(each) === member) this.#newcomers.delete(each)
      for (const each of this.#ranks) if (ownerOf(each) === member) this.#lose(each)
      for (const each of this.#candidates.placesOf(member)) {
        this.#candidates.drop(each, 'died or left')
        // The member may come back, with another life.
        this.#candidates.free(each)
      }
    })
  }

  /** Called each second. */
  check(): readonly Send[] {
    return this.#turn(() => {
      this.#candidates.silent()
      for (const [place, newcomer] of this.#newcomers)
        if (newcomer.start.decision === undefined && ++newcomer.checks >= MAX_CHECKS)
          this.#forStart(place, newcomer, newcomer.start.decide('retry'))
    })
  }

  /** The group is over: nobody else joins. */
  end(): readonly Send[] {
    this.#sends = []
    for (const to of this.#candidates.open) this.#send(to, { letGo: true })
    for (const [to, { start }] of this.#newcomers)
      this.#send(to, start.decision === undefined ? { letGo: true } : { stop: 'the group has ended' })
    return this.#sends
  }

  #turn(act: () => void): readonly Send[] {
    this.#sends = []
    act()
    const decision = this.#next?.decision
    if (decision !== undefined) this.#begin(decision.value)
    this.#review()
    return this.#sends
  }

  #begin(decided: RankList): void {
    const { ranks } = decided
    this.#epoch++
    const newcomers = ranks.filter((each) => this.#newcomers.delete(each))
    const message = toSaid({ decided })
    this.#sends.push(
      ...fromStarter(
        'shrink',
        this.#epoch,
        newcomers.map((to) => ({ to, message })),
      ),
    )
    // A member that was lost may be back.
    for (const each of newcomers) this.#lost.delete(each)
    this.#ranks = ranks
    this.#next = undefined
    this.#isUrgent = false
  }

  /** Asks for more holds, and locks the holds that it gets. */
  #review(): void {
    const { input } = this.#wanted
    let { room } = this
    for (const place of this.#candidates.held) {
      if (room-- > 0) {
        const attempt = this.#attempt + 1 + this.#candidates.failures(place)
        const start = new Agreement<string, string>(STARTER, [STARTER, place], (reports) =>
          reports.get(place) === 'locked' ? 'start' : 'retry',
        )
        this.#newcomers.set(place, { attempt, start, checks: 0 })
        this.#candidates.take(place)
        this.#send(place, { lock: { attempt, ranks: [place], sites: this.#layout.sitesOf([place]), input, grows: true, joins: true } })
        start.report('locked')
      } else {
        this.#candidates.drop(place, 'is not needed')
        this.#send(place, { letGo: true })
      }
    }
    for (const to of this.#candidates.ask(Math.max(0, room))) this.#sends.push({ to, content: holdFor(this.#wanted) })
  }

  #forStart(place: string, { attempt, start }: Newcomer, sends: readonly AgreementSend<string, string>[]): void {
    this.#sends.push(...fromStarter('start', attempt, sends))
    if (start.decision === undefined || start.decision.value === 'start') return
    this.#newcomers.delete(place)
    this.#candidates.retry(place)
  }

  #open(): Agreement<Why, RankList> {
    if (this.#next !== undefined) return this.#next
    const ranks = this.#ranks
    this.#next = new Agreement<Why, RankList>(STARTER, [STARTER, ...ranks], (reports) => {
      const left = ranks.filter((each) => reports.has(each))
      const mayGrow = left.length > 0 && [...reports.values()].every((each) => each === 'grow')
      const next = mayGrow ? [...left, ...this.#layout.inOrder(this.#waiting)] : left
      return { ranks: next, sites: this.#layout.sitesOf(next) }
    })
    for (const each of this.#lost) this.#forNext(this.#next.gone(each))
    this.#forNext(this.#next.report('grow'))
    return this.#next
  }

  /** The newcomers that have started, and wait for the next epoch. */
  get #waiting(): string[] {
    return [...this.#newcomers].filter(([, { start }]) => start.decision !== undefined).map(([place]) => place)
  }

  /** A rank goes on without the lost ranks, so the calls of all ranks must fail. */
  #revoke(): void {
    if (this.#isUrgent) return
    this.#isUrgent = true
    for (const to of this.#ranks) if (!this.#lost.has(to)) this.#send(to, { revoked: this.#epoch })
  }

  #lose(place: string): void {
    this.#newcomers.delete(place)
    if (!this.#ranks.includes(place) || this.#lost.has(place)) return
    this.#lost.add(place)
    if (this.#next !== undefined) this.#forNext(this.#next.gone(place))
  }

  #forNext(sends: readonly AgreementSend<Why, RankList>[]): void {
    const said = sends.map(({ to, message }) => ({ to, message: toSaid(message) as never }))
    this.#sends.push(...fromStarter('shrink', this.#epoch + 1, said))
  }

  #send(to: string, content: Send['content']): void {
    this.#sends.push({ to, content })
  }
}
