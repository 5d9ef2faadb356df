import type { OfGroup } from '../core/lease-input.ts'
import { MOST_LISTED, type ListedRank } from '../core/listed-groups.ts'
import type { GroupContent, Outcome } from './messages.ts'
import type { GroupEffect } from './group-input.ts'
import { numberOf, ownerOf, placeOf } from './place.ts'
import { Rank } from './rank.ts'
import type { Lock, RankEffect } from './rank-effect.ts'
import { isList } from './rank-list.ts'
import { Settled } from './settled.ts'
import { STARTER } from './wanted.ts'

/** A hold of this member, or its rank. It is a hold until the starter locks it. */
interface Part {
  readonly starter: string
  readonly program: string
  rank: Rank | undefined
  /** The lock that waits for the answer of `Leases`. */
  locking: Lock | undefined
  /** JSON */
  input: string
  /** Whether it has its capacity. */
  isHeld: boolean
}

/** A part as this member lists it. `part`: its name. */
export type ListedPart = Pick<ListedRank, 'group' | 'program' | 'starter' | 'rank' | 'of'> & {
  readonly part: string
  readonly isRunning: boolean
}

/**
 * The parts that this member has in the groups of any member. A part is capacity that is reserved
 * for one rank (a hold), and later that rank itself.
 *
 * An example: the member `s` starts the group `g` with three ranks, and this member, `m`, has
 * capacity for two of them. So `s` asks for two holds here, at the places `m` and `m/1`. They are
 * two parts, with the names `g` and `g/1`. A part goes through these steps:
 *
 * 1. `hold`: the part begins. `Leases` reserves its capacity. It says `held`, or `waits` while
 *    others have the capacity, and this class tells `s`.
 * 2. `lock`: `s` has enough holds, and names the ranks. `Leases` locks the hold, so that no older
 *    group takes it away any more. The part gets a `Rank`, which reports whether the hold is
 *    locked.
 * 3. `start`: the holds of all ranks are locked. The hold becomes a lease, and the program is
 *    loaded. Or `retry`: some hold was lost. Then the part is a mere hold again, and `s` may lock
 *    it once more, with a higher number of the attempt.
 * 4. The program ends, or `s` needs the hold no more (`letGo`). The part ends.
 *
 * If `s` dies, a part without a lock ends. The ranks with a lock agree without `s`: see `Rank`.
 *
 * `Settled` has, for each group, the last attempt that can't start here any more. A later attempt
 * still can. If a message about a settled attempt comes late, this class answers that the hold is
 * lost. So no rank waits for it.
 */
export class Parts {
  readonly #self: string
  readonly #takes: (program: string, starter: string) => boolean
  readonly #isGone: (member: string) => boolean
  readonly #emit: (effect: GroupEffect) => void
  readonly #checkIf: (mustWait: boolean) => void
  /** By name. */
  readonly #parts = new Map<string, Part>()
  readonly #settled = new Settled()

  /** @param checkIf told whether this member has a rank: `check` must be called while it has one */
  constructor(
    self: string,
    takes: (program: string, starter: string) => boolean,
    isGone: (member: string) => boolean,
    emit: (effect: GroupEffect) => void,
    checkIf: (mustWait: boolean) => void,
  ) {
    this.#self = self
    this.#takes = takes
    this.#isGone = isGone
    this.#emit = emit
    this.#checkIf = checkIf
  }

  list(): ListedPart[] {
    return [...this.#parts].slice(0, MOST_LISTED).map(([name, { program, starter, rank }]) => ({
      part: name,
      group: ownerOf(name),
      program,
      starter,
      isRunning: rank?.isActive === true,
      ...(rank !== undefined && { rank: rank.ranks.indexOf(placeOf(this.#self, numberOf(name))), of: rank.ranks.length }),
    }))
  }

  /**
   * Whether this member has a rank. Then `check` must be called, since an agreement of that rank
   * may wait for other ranks.
   */
  get #hasRanks(): boolean {
    return [...this.#parts.values()].some(({ rank }) => rank !== undefined)
  }

  /**
   * Some agreements wait for other ranks. Asks each of those ranks whether it takes part. The
   * starter may have died after its lock reached some ranks, and before it reached the others.
   */
  check(): void {
    for (const [name, { rank }] of this.#parts) {
      if (rank === undefined) continue
      this.#carryOut(name, rank.check())
      for (const to of rank.awaited) this.#send(to, name, { asks: rank.attempt })
    }
    this.#checkIf(this.#hasRanks)
  }

  /** Takes a message of the starter or of another rank, for the part of this name. */
  take(from: string, name: string, content: GroupContent): void {
    const part = this.#parts.get(name)
    if ('hold' in content) this.#hold(from, name, content.hold)
    else if ('lock' in content) this.#lock(from, name, content.lock)
    else if ('letGo' in content) {
      if (part?.starter === from && part.rank?.isActive !== true) this.#letGo(name)
    } else if ('agreement' in content) this.#said(from, name, content)
    else if ('finished' in content) this.#carryOut(name, part?.rank?.gone(from) ?? [])
    else if ('asks' in content) this.#asked(from, name, content)
    else if ('revoked' in content) this.#carryOut(name, part?.rank?.revokedBy(from, content.revoked) ?? [])
    else if ('stop' in content && part?.starter === from) this.#emit({ type: 'end', part: name, why: content.stop })
  }

  /** The program of a rank is loaded, or wants something. */
  want(name: string, what: 'ready' | 'shrink' | 'regroup' | 'revoke'): void {
    this.#carryOut(name, this.#parts.get(name)?.rank?.[what]() ?? [])
  }

  /**
   * A rank waits for a message of the rank at a place. Asks whether that rank still takes part.
   *
   * That rank may have sent the message and then ended. So the answer must not overtake the
   * message: `behind` makes the member of that rank send the answer after the messages of its
   * program.
   */
  ask(name: string, place: string): void {
    const { rank } = this.#parts.get(name) ?? {}
    if (rank !== undefined) this.#send(place, name, { asks: rank.attempt, behind: true })
  }

  output(name: string, content: Extract<GroupContent, { output: unknown }>): void {
    const starter = this.#parts.get(name)?.starter
    if (starter !== undefined) this.#send(starter, name, content)
  }

  /** News of `Leases`. To `Leases` the name of a part is the name of a group. */
  leased(effect: OfGroup): void {
    const name = effect.group ?? ''
    const part = this.#parts.get(name)
    if (part === undefined) return
    const { starter } = part
    if (effect.type === 'held') {
      part.isHeld = true
      this.#send(starter, name, { holds: 'held', places: effect.places })
    } else if (effect.type === 'waits') {
      part.isHeld = false
      this.#send(starter, name, { holds: effect.isTaken ? 'taken' : 'waits', places: effect.places })
    } else if (effect.type === 'noHold') {
      this.#parts.delete(name)
      this.#send(starter, name, { refused: effect.refusal.message })
    } else if (effect.type === 'locked') this.#locked(name, part, effect.attempt, effect.isHeld)
    else if (effect.type === 'started') {
      const { program, input, rank } = part
      if (rank === undefined) return
      this.#emit({ type: 'load', part: name, program, starter, ranks: rank.ranks, sites: rank.sites, input, startsIn: effect.startsIn })
    } else if (effect.type === 'ended' && effect.reason === 'term')
      this.#emit({ type: 'end', part: name, why: 'the longest time of the group is over' })
  }

  finish(name: string, outcome: Outcome): void {
    const part = this.#parts.get(name)
    if (part?.rank === undefined) return
    this.#send(part.starter, name, { outcome })
    part.rank.finish()
    this.#letGo(name)
  }

  gone(member: string, reason: string): void {
    for (const [name, part] of this.#parts) {
      if (part.rank !== undefined) this.#carryOut(name, part.rank.memberGone(member, reason))
      else if (part.starter === member) this.#letGo(name)
    }
  }

  #hold(from: string, name: string, { program, ...hold }: Extract<GroupContent, { hold: unknown }>['hold']): void {
    if (this.#isGone(from)) return
    const known = this.#parts.get(name)
    if (known !== undefined) {
      if (known.starter !== from) this.#send(from, name, { refused: 'the name of the group is taken' })
      return
    }
    if (!this.#takes(program, from)) {
      this.#send(from, name, { refused: `takes no ranks of ${program} from this member` })
      return
    }
    this.#parts.set(name, { starter: from, program, rank: undefined, locking: undefined, input: 'null', isHeld: false })
    // Each rank takes at least 1 of the capacity `ranks`.
    const amounts = { ...hold.amounts, ranks: Math.max(1, hold.amounts['ranks'] ?? 0) }
    this.#emit({ type: 'lease', input: { type: 'hold', asked: { ...hold, amounts, group: name, place: numberOf(name), holder: from } } })
  }

  /**
   * Handles the message `lock` of a starter.
   *
   * - If the part does not exist, or belongs to another starter, or the attempt is settled: the
   *   sender learns that the hold is lost. If the hold belongs to the sender and has its capacity,
   *   the sender learns that, too. Then it may lock the hold once more.
   * - If the part has a rank, or this place is not in the list of ranks: the lock has no effect.
   * - Otherwise `Leases` locks the hold, and `#locked` goes on with its answer.
   */
  #lock(from: string, name: string, lock: Lock): void {
    const part = this.#parts.get(name)
    const isOver = this.#settled.has(name, lock.attempt)
    if (part?.starter !== from || isOver) {
      const agreement = { about: 'start', number: lock.attempt, to: STARTER } as const
      this.#send(from, name, { agreement, said: { report: 'lost' } })
      if (part?.starter === from && part.isHeld) this.#send(from, name, { holds: 'held', places: 1 })
      return
    }
    if (part.rank !== undefined || !isList(lock.ranks, placeOf(this.#self, numberOf(name)))) return
    part.locking = lock
    this.#emit({ type: 'lease', input: { type: 'lock', group: name, attempt: lock.attempt } })
  }

  /** `Leases` has locked the hold, or the hold was lost before. */
  #locked(name: string, part: Part, attempt: number, isHeld: boolean): void {
    if (part.locking?.attempt !== attempt) return
    const { ranks, input } = part.locking
    const rank = new Rank(placeOf(this.#self, numberOf(name)), part.starter, part.locking)
    part.rank = rank
    // A part whose hold was lost only waits for the decision, so it keeps no input.
    part.input = isHeld ? input : 'null'
    part.locking = undefined
    this.#checkIf(true)
    this.#tellGone(name, rank, [part.starter, ...ranks])
    this.#carryOut(name, rank.locked(isHeld))
  }

  /**
   * A rank asks whether the rank at this place takes part in an attempt. Only a "no" is answered
   * (`finished`).
   *
   * - There is no part: the answer is no. The attempt is settled here, so a lock that arrives after
   *   this answer has no effect.
   * - The part is a hold: no answer. The starter lives, as far as this member knows, so its lock
   *   may still come.
   * - The part is a rank: it takes part, so there is no answer. But if it counts the asking rank as
   *   lost, the answer is no.
   */
  #asked(from: string, name: string, { asks, behind }: Extract<GroupContent, { asks: number }>): void {
    const part = this.#parts.get(name)
    if (part !== undefined && part.rank?.isLost(from) !== true) return
    if (part === undefined) this.#settled.add(name, asks)
    this.#send(from, name, behind === true ? { finished: true, behind } : { finished: true })
  }

  /**
   * Another member reports to an agreement, or sends its decision.
   *
   * - The part is a rank: the rank handles the message.
   * - The part is a hold, and the message is a report about the start: no answer. The starter
   *   lives, as far as this member knows, so its lock may still come. The sender repeats its
   *   report.
   * - There is no part, and the message is a report about the start: this member has not locked its
   *   hold for this attempt, so nobody can have decided to start. The attempt is settled, and the
   *   answer is the decision `retry`.
   * - There is no rank, and the message is about another agreement: the rank has ended
   *   (`finished`).
   */
  #said(from: string, name: string, { agreement, said }: Extract<GroupContent, { agreement: unknown }>): void {
    const part = this.#parts.get(name)
    if (part?.rank !== undefined) this.#carryOut(name, part.rank.said(from, agreement, said))
    else if (agreement.about === 'start' && 'report' in said) {
      if (part !== undefined) return
      this.#settled.add(name, agreement.number)
      this.#send(from, name, { agreement, said: { decided: 'retry' } })
    } else if (agreement.about !== 'start') this.#send(from, name, { finished: true })
  }

  /** Ends a part, with its hold or its lease. */
  #letGo(name: string): void {
    const part = this.#parts.get(name)
    this.#settled.add(name, part?.rank?.attempt ?? part?.locking?.attempt ?? 0)
    this.#parts.delete(name)
    this.#checkIf(this.#hasRanks)
    this.#emit({ type: 'lease', input: { type: 'letGo', group: name } })
  }

  #carryOut(name: string, effects: readonly RankEffect[]): void {
    for (const effect of effects) {
      if (effect.type === 'send') this.#send(effect.to, name, effect.content)
      else if (effect.type === 'start') this.#emit({ type: 'lease', input: { type: 'start', group: name, self: this.#self } })
      else if (effect.type === 'retry') this.#retry(name)
      else if (effect.type === 'over') this.#emit({ type: 'end', part: name, why: effect.why })
      else this.#emit({ type: 'rank', part: name, effect })
      // A newcomer may be gone already.
      const rank = effect.type === 'next' ? this.#parts.get(name)?.rank : undefined
      if (rank !== undefined) this.#tellGone(name, rank, rank.ranks)
    }
  }

  /** Tells a rank which members of these places are gone. */
  #tellGone(name: string, rank: Rank, places: readonly string[]): void {
    for (const member of new Set(places.map(ownerOf)))
      if (this.#isGone(member)) this.#carryOut(name, rank.memberGone(member, 'died or left'))
  }

  /** The group does not start with these ranks. The part is a mere hold again. */
  #retry(name: string): void {
    const part = this.#parts.get(name)
    if (part?.rank === undefined) return
    this.#settled.add(name, part.rank.attempt)
    part.rank = undefined
    this.#checkIf(this.#hasRanks)
    if (this.#isGone(part.starter)) this.#letGo(name)
    else {
      this.#emit({ type: 'lease', input: { type: 'unlock', group: name } })
      if (part.isHeld) this.#send(part.starter, name, { holds: 'held', places: 1 })
    }
  }

  #send(to: string, name: string, content: GroupContent): void {
    this.#emit({ type: 'send', to, group: ownerOf(name), from: numberOf(name), content })
  }
}
