import { Timers, type Machine, type Milliseconds, type TimerEffect, type TimerInput } from '@jel/machine'
import type { ListedStart } from '../core/listed-groups.ts'
import type { GroupEffect, GroupInput } from './group-input.ts'
import { OwnGroups } from './own-groups.ts'
import { Parts, type ListedPart } from './parts.ts'
import { placeOf } from './place.ts'
import { STARTER } from './wanted.ts'

/** Starts and agreements that wait are checked at this interval, ms. A guess. */
const CHECK_TIME: Milliseconds = 1000
/** Maximum number of gone members that a member remembers. A guess. */
const REMEMBERED = 4096

/** All groups of a member: the groups that it starts, and the groups in which it has ranks. */
export class Groups implements Machine<GroupInput, GroupEffect> {
  readonly #own: OwnGroups
  readonly #parts: Parts
  /** Members that are gone. */
  readonly #gone = new Set<string>()
  /**
   * `starts`: checks the starts of this member, and its groups that grow. `ranks`: checks its
   * ranks.
   */
  readonly #timers = new Timers(['starts', 'ranks'])
  #now: Milliseconds = 0
  #effects: (GroupEffect | TimerEffect)[] = []

  /** @param takes whether a member may start a program here */
  constructor(self: string, takes: (program: string, starter: string) => boolean) {
    const isGone = (member: string): boolean => this.#gone.has(member)
    const emit = (effect: GroupEffect): void => void this.#effects.push(effect)
    const checkIf = (name: 'starts' | 'ranks', mustWait: boolean): void => {
      if (mustWait) this.#timers.advance(name, this.#now + CHECK_TIME)
      else this.#timers.set(name, Infinity)
    }
    this.#own = new OwnGroups(isGone, emit, (mustWait) => checkIf('starts', mustWait))
    this.#parts = new Parts(self, takes, isGone, emit, (mustWait) => checkIf('ranks', mustWait))
  }

  /** The groups that this member starts or has started. */
  starts(): ListedStart[] {
    return this.#own.list()
  }

  /** Whether a group of this member grows, and has fewer ranks than wanted. */
  lacks(group: string): boolean {
    return this.#own.lacks(group)
  }

  /** The holds and ranks of this member. `Leases` knows the states of the holds. */
  ranks(): ListedPart[] {
    return this.#parts.list()
  }

  handle(input: GroupInput | TimerInput, now: Milliseconds): readonly (GroupEffect | TimerEffect)[] {
    const wakeAt = this.#timers.next
    this.#now = now
    this.#effects = []
    switch (input.type) {
      case 'timer':
        this.#timers.fire(now, (name) => (name === 'starts' ? this.#own : this.#parts).check())
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
        this.#parts.want(input.part, input.type)
        break
      case 'finish':
        this.#parts.finish(input.part, input.outcome)
        break
      case 'ask':
        this.#parts.ask(input.part, input.place)
        break
      case 'output':
        this.#parts.output(input.part, { output: input.output, stream: input.stream })
    }
    const { next } = this.#timers
    if (next !== wakeAt) this.#effects.push({ type: 'timer', at: next })
    return this.#effects
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
