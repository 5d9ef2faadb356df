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

/** A hold or a rank of this member, for a group of any member. */
interface Part {
  readonly starter: string
  readonly program: string
  rank: Rank | undefined
  /** The attempt of the lock that waits for the leases. */
  locking: Lock | undefined
  /** JSON */
  input: string
  /** Whether it has its capacity. */
  isHeld: boolean
}

/** A rank of this member, or a hold for one. `part`: its name among the holds. */
export type ListedPart = Pick<ListedRank, 'group' | 'program' | 'starter' | 'rank' | 'of'> & {
  readonly part: string
  readonly isRunning: boolean
}

/**
 * The holds and the ranks that this member has, in the groups of any member. `group` is the name of
 * a part here: the group, with the place if it is not the first one.
 */
export class Parts {
  readonly #self: string
  readonly #takes: (program: string, starter: string) => boolean
  readonly #isGone: (member: string) => boolean
  readonly #emit: (effect: GroupEffect) => void
  readonly #parts = new Map<string, Part>()
  readonly #settled = new Settled()

  constructor(
    self: string,
    takes: (program: string, starter: string) => boolean,
    isGone: (member: string) => boolean,
    emit: (effect: GroupEffect) => void,
  ) {
    this.#self = self
    this.#takes = takes
    this.#isGone = isGone
    this.#emit = emit
  }

  list(): ListedPart[] {
    return [...this.#parts].slice(0, MOST_LISTED).map(([part, { program, starter, rank }]) => ({
      part,
      group: ownerOf(part),
      program,
      starter,
      isRunning: rank?.hasStarted === true,
      ...(rank !== undefined && { rank: rank.ranks.indexOf(placeOf(this.#self, numberOf(part))), of: rank.ranks.length }),
    }))
  }

  /** Whether an agreement of a rank may wait. */
  get isBusy(): boolean {
    return [...this.#parts.values()].some(({ rank }) => rank !== undefined)
  }

  /**
   * A new leader may wait for ranks that never heard of it: the starter died before it told them.
   */
  check(): void {
    for (const [group, { rank }] of this.#parts) {
      if (rank === undefined) continue
      this.#carryOut(group, rank.check())
      for (const to of rank.awaited) this.#send(to, group, { asks: rank.attempt })
    }
  }

  /** Takes a message of the starter or of another rank. */
  take(from: string, group: string, content: GroupContent): void {
    const part = this.#parts.get(group)
    if ('hold' in content) this.#hold(from, group, content.hold)
    else if ('lock' in content) this.#lock(from, group, content.lock)
    else if ('letGo' in content) {
      if (part?.starter === from && part.rank?.hasStarted !== true) this.#letGo(group)
    } else if ('agreement' in content) this.#said(from, group, content)
    else if ('finished' in content) this.#carryOut(group, part?.rank?.gone(from) ?? [])
    else if ('asks' in content) {
      // A hold without a lock ends with its starter. Until then it may be locked, whoever asks.
      if (part !== undefined && part.rank?.isLost(from) !== true) return
      // The starter's lock may still be on its way. It comes too late now.
      if (part === undefined) this.#settled.add(group, content.asks)
      this.#send(from, group, { finished: true, ...(content.behind === true && { behind: true }) })
    } else if ('revoked' in content) this.#carryOut(group, part?.rank?.revokedBy(from, content.revoked) ?? [])
    else if ('stop' in content && part?.starter === from) this.#emit({ type: 'end', group, why: content.stop })
  }

  /** The program of a rank is loaded, or wants something. */
  want(group: string, what: 'ready' | 'shrink' | 'regroup' | 'revoke'): void {
    this.#carryOut(group, this.#parts.get(group)?.rank?.[what]() ?? [])
  }

  /** A call of a rank waits for another one, which may have sent messages before its end. */
  ask(group: string, place: string): void {
    const { rank } = this.#parts.get(group) ?? {}
    if (rank !== undefined) this.#send(place, group, { asks: rank.attempt, behind: true })
  }

  output(group: string, content: Extract<GroupContent, { output: unknown }>): void {
    const starter = this.#parts.get(group)?.starter
    if (starter !== undefined) this.#send(starter, group, content)
  }

  leased(effect: OfGroup): void {
    const group = effect.group ?? ''
    const part = this.#parts.get(group)
    if (part === undefined) return
    const { starter } = part
    if (effect.type === 'held') {
      part.isHeld = true
      this.#send(starter, group, { holds: 'held', places: effect.places })
    } else if (effect.type === 'waits') {
      part.isHeld = false
      this.#send(starter, group, { holds: effect.isTaken ? 'taken' : 'waits', places: effect.places })
    } else if (effect.type === 'noHold') {
      this.#parts.delete(group)
      this.#send(starter, group, { refused: effect.refusal.message })
    } else if (effect.type === 'locked') this.#locked(group, part, effect.attempt, effect.isHeld)
    else if (effect.type === 'started') {
      const { program, input, rank } = part
      if (rank === undefined) return
      this.#emit({ type: 'load', group, program, starter, ranks: rank.ranks, sites: rank.sites, input, startsIn: effect.startsIn })
    } else if (effect.type === 'ended' && effect.reason === 'term')
      this.#emit({ type: 'end', group, why: 'the longest time of the group is over' })
  }

  finish(group: string, outcome: Outcome): void {
    const part = this.#parts.get(group)
    if (part?.rank === undefined) return
    this.#send(part.starter, group, { outcome })
    part.rank.finish()
    this.#letGo(group)
  }

  gone(member: string, reason: string): void {
    for (const [group, part] of this.#parts) {
      if (part.rank !== undefined) this.#carryOut(group, part.rank.memberGone(member, reason))
      else if (part.starter === member) this.#letGo(group)
    }
  }

  #hold(from: string, group: string, { program, ...hold }: Extract<GroupContent, { hold: unknown }>['hold']): void {
    if (this.#isGone(from)) return
    const known = this.#parts.get(group)
    if (known !== undefined) {
      if (known.starter !== from) this.#send(from, group, { refused: 'the name of the group is taken' })
      return
    }
    if (!this.#takes(program, from)) {
      this.#send(from, group, { refused: `takes no ranks of ${program} from this member` })
      return
    }
    this.#parts.set(group, { starter: from, program, rank: undefined, locking: undefined, input: 'null', isHeld: false })
    // A program takes at least one of the places for programs.
    const amounts = { ...hold.amounts, ranks: Math.max(1, hold.amounts['ranks'] ?? 0) }
    this.#emit({ type: 'lease', input: { type: 'hold', asked: { ...hold, amounts, group, place: numberOf(group), holder: from } } })
  }

  #lock(from: string, group: string, lock: Lock): void {
    const part = this.#parts.get(group)
    const isOver = this.#settled.has(group, lock.attempt)
    if (part?.starter !== from || isOver) {
      const agreement = { about: 'start', number: lock.attempt, to: STARTER } as const
      this.#send(from, group, { agreement, said: { report: 'lost' } })
      if (part?.starter === from && part.isHeld) this.#send(from, group, { holds: 'held', places: 1 })
      return
    }
    if (part.rank !== undefined || !isList(lock.ranks, placeOf(this.#self, numberOf(group)))) return
    part.locking = { ...lock, sites: lock.sites?.length === lock.ranks.length ? lock.sites : undefined }
    this.#emit({ type: 'lease', input: { type: 'lock', group, attempt: lock.attempt } })
  }

  #locked(group: string, part: Part, attempt: number, isHeld: boolean): void {
    if (part.locking?.attempt !== attempt) return
    const { ranks, input } = part.locking
    const rank = new Rank(placeOf(this.#self, numberOf(group)), part.starter, part.locking)
    part.rank = rank
    // Others may take the hold, and it keeps nothing meanwhile.
    part.input = isHeld ? input : 'null'
    part.locking = undefined
    this.#tellGone(group, rank, [part.starter, ...ranks])
    this.#carryOut(group, rank.locked(isHeld))
  }

  #said(from: string, group: string, { agreement, said }: Extract<GroupContent, { agreement: unknown }>): void {
    const part = this.#parts.get(group)
    if (part?.rank !== undefined) this.#carryOut(group, part.rank.said(from, agreement, said))
    else if (agreement.about === 'start' && 'report' in said) {
      // It reports again. Until the starter is gone here, too, the lock may come, whoever reports.
      if (part !== undefined) return
      // This member has not locked its hold for this attempt, so nobody can have decided to start.
      this.#settled.add(group, agreement.number)
      this.#send(from, group, { agreement, said: { decided: 'retry' } })
    } else if (agreement.about !== 'start') this.#send(from, group, { finished: true })
  }

  #letGo(group: string): void {
    const part = this.#parts.get(group)
    this.#settled.add(group, part?.rank?.attempt ?? part?.locking?.attempt ?? 0)
    this.#parts.delete(group)
    this.#emit({ type: 'lease', input: { type: 'letGo', group } })
  }

  #carryOut(group: string, effects: readonly RankEffect[]): void {
    for (const effect of effects) {
      if (effect.type === 'send') this.#send(effect.to, group, effect.content)
      else if (effect.type === 'start') this.#emit({ type: 'lease', input: { type: 'start', group, self: this.#self } })
      else if (effect.type === 'retry') this.#retry(group)
      else if (effect.type === 'over') this.#emit({ type: 'end', group, why: effect.why })
      else this.#emit({ type: 'rank', group, effect })
      // A newcomer may be gone already.
      const rank = effect.type === 'next' ? this.#parts.get(group)?.rank : undefined
      if (rank !== undefined) this.#tellGone(group, rank, rank.ranks)
    }
  }

  #tellGone(group: string, rank: Rank, places: readonly string[]): void {
    for (const member of new Set(places.map(ownerOf)))
      if (this.#isGone(member)) this.#carryOut(group, rank.memberGone(member, 'died or left'))
  }

  /** The group does not start with these ranks. */
  #retry(group: string): void {
    const part = this.#parts.get(group)
    if (part?.rank === undefined) return
    this.#settled.add(group, part.rank.attempt)
    part.rank = undefined
    if (this.#isGone(part.starter)) this.#letGo(group)
    else {
      this.#emit({ type: 'lease', input: { type: 'unlock', group } })
      if (part.isHeld) this.#send(part.starter, group, { holds: 'held', places: 1 })
    }
  }

  #send(to: string, group: string, content: GroupContent): void {
    this.#emit({ type: 'send', to, group: ownerOf(group), from: numberOf(group), content })
  }
}
