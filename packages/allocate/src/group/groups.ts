import { Timers, type Machine, type Milliseconds, type TimerEffect, type TimerInput } from '@jel/machine'
import type { ListedStart } from '../core/listed-groups.ts'
import type { GroupEffect, GroupInput } from './group-input.ts'
import { OwnGroups } from './own-groups.ts'
import { Parts, type ListedPart } from './parts.ts'
import { placeOf } from './place.ts'
import { STARTER } from './wanted.ts'

/** Starts and agreements that wait are checked after this time, ms. A guess. */
const CHECK_TIME: Milliseconds = 1000
/** A member remembers so many members that are gone. A guess. */
const REMEMBERED = 4096

/** All groups of a member: those that it starts, and those in which it has a rank. */
export class Groups implements Machine<GroupInput, GroupEffect> {
  readonly #own: OwnGroups
  readonly #parts: Parts
  /** Members that are gone. */
  readonly #gone = new Set<string>()
  readonly #timers = new Timers(['check'])
  #effects: (GroupEffect | TimerEffect)[] = []

  /** @param takes whether this member takes ranks of a program for the member that starts it */
  constructor(self: string, takes: (program: string, starter: string) => boolean) {
    const isGone = (member: string): boolean => this.#gone.has(member)
    const emit = (effect: GroupEffect): void => void this.#effects.push(effect)
    this.#own = new OwnGroups(isGone, emit)
    this.#parts = new Parts(self, takes, isGone, emit)
  }

  /** The groups that this member starts or has started. */
  starts(): ListedStart[] {
    return this.#own.list()
  }

  /** Whether a group that this member has started lacks ranks, and takes others in. */
  lacks(group: string): boolean {
    return this.#own.lacks(group)
  }

  /** The ranks of this member. The leases know the state of those that do not run yet. */
  ranks(): ListedPart[] {
    return this.#parts.list()
  }

  handle(input: GroupInput | TimerInput, now: Milliseconds): readonly (GroupEffect | TimerEffect)[] {
    this.#effects = []
    switch (input.type) {
      case 'timer':
        this.#timers.fire(now, () => {
          this.#own.check()
          this.#parts.check()
        })
        break
      case 'message':
        this.#take(input)
        break
      case 'gone':
        remember(this.#gone, input.member)
        this.#memberGone(input.member, input.reason)
        break
      case 'back':
        this.#gone.delete(input.member)
        break
      case 'unreachable':
        this.#memberGone(input.member, input.reason)
        break
      case 'lease':
        this.#parts.leased(input.effect)
        break
      case 'want':
        this.#own.want(input.wanted, input.layout)
        break
      case 'offer':
        this.#own.offer(input.group, input.members)
        break
      case 'stop':
        this.#own.stop(input.group, input.code, input.why)
        break
      case 'ready':
      case 'shrink':
      case 'regroup':
      case 'revoke':
        this.#parts.want(input.group, input.type)
        break
      case 'finish':
        this.#parts.finish(input.group, input.outcome)
        break
      case 'ask':
        this.#parts.ask(input.group, input.place)
        break
      case 'output':
        this.#parts.output(input.group, { output: input.output, stream: input.stream })
    }
    this.#schedule(now)
    return this.#effects
  }

  /** Checks while something may wait. */
  #schedule(now: Milliseconds): void {
    const before = this.#timers.next
    if (this.#own.isBusy || this.#parts.isBusy) this.#timers.advance('check', now + CHECK_TIME)
    else this.#timers.set('check', Infinity)
    if (this.#timers.next !== before) this.#effects.push({ type: 'timer', at: this.#timers.next })
  }

  /** A message is for the starter of the group, or for a rank. */
  #take({ from, group, to, content }: Extract<GroupInput, { type: 'message' }>): void {
    const isOwn =
      'agreement' in content
        ? content.agreement.to === STARTER
        : 'holds' in content || 'refused' in content || 'outcome' in content || 'output' in content
    if (isOwn) this.#own.take(from, group, content)
    else this.#parts.take(from, placeOf(group, to), content)
  }

  #memberGone(member: string, reason: string): void {
    this.#own.gone(member, reason)
    this.#parts.gone(member, reason)
  }
}

/** Adds a value to a set that forgets its oldest ones. */
function remember(set: Set<string>, value: string): void {
  set.delete(value)
  set.add(value)
  const [oldest] = set
  if (set.size > REMEMBERED && oldest !== undefined) set.delete(oldest)
}
