import { Agreement, type AgreementSend } from './agreement.ts'
import { CheckIn } from './check-in.ts'
import { Epochs, type Why } from './epochs.ts'
import type { AgreementName, GroupContent, Said } from './messages.ts'
import { ownerOf } from './place.ts'
import type { Lock, RankEffect, Sites } from './rank-effect.ts'
import { Revocation } from './revocation.ts'
import { STARTER, type Send } from './wanted.ts'

/**
 * One rank of a group, at one place of this member, from the lock of its hold until its program
 * ends. Three agreements of the ranks decide what must be the same at all survivors: whether the
 * group starts, when its programs run, and which ranks the next epoch has.
 *
 * An example: the starter `s` locks the holds of the ranks `a`, `b` and `c`.
 *
 * 1. `locked`: each rank reports to the leader of the agreement `start` whether its hold is locked.
 *    The leader is `s`, and after its death the first rank that is not lost. If all holds are
 *    locked, `s` decides `start`. Otherwise it decides `retry`, and these ranks end.
 * 2. `loading`: the program is loaded. Each rank then reports to the agreement `checkIn`. When all
 *    ranks that are not lost have reported, they decide `run`.
 * 3. `running`: the program runs. If the member of `b` dies, `a` and `c` are told that `b` is lost,
 *    and their calls that need `b` fail. When both programs have called `shrink`, the agreement
 *    `shrink` decides on the ranks of epoch 1: `a` and `c`.
 * 4. `over`: the program has ended, or the group did not start.
 *
 * In a group that grows a newcomer `d` has a lock of its own, with itself as the only rank. After
 * step 1 it is `waiting`, until the starter names it in the ranks of a next epoch. Then it loads,
 * checks in together with the others, and runs.
 */
export class Rank {
  readonly #self: string
  readonly #starter: string
  readonly #attempt: number
  readonly #start: Agreement<string, string>
  readonly #lost = new Set<string>()
  readonly #epochs: Epochs
  readonly #checkIn: CheckIn
  /** `waiting`: this rank is a newcomer, and the group has not taken it in yet. */
  #state: 'locked' | 'loading' | 'waiting' | 'running' | 'over' = 'locked'
  /** Whether this rank is a newcomer that has not run in any epoch yet. */
  #isNew: boolean
  /** Whether this member has locked its hold. */
  #isHeld = false
  #isLoaded = false
  readonly #revocation: Revocation
  #effects: RankEffect[] = []

  constructor(self: string, starter: string, { attempt, ranks, sites, grows = false, joins = false }: Lock) {
    this.#self = self
    this.#starter = starter
    this.#attempt = attempt
    this.#isNew = joins
    // A rank leads only after the end of the starter, and decides only if no report has the
    // decision `start`. Then nobody has started.
    this.#start = new Agreement<string, string>(self, [STARTER, ...ranks], () => 'retry')
    this.#epochs = new Epochs(self, { ranks, sites }, grows, this.#lost, (epoch, sends) => this.#forward('shrink', epoch, sends))
    this.#revocation = new Revocation(self, this.#epochs, this.#lost, (effect) => void this.#effects.push(effect))
    this.#checkIn = new CheckIn(self, this.#epochs, (epoch, sends) => this.#forward('checkIn', epoch, sends))
  }

  get ranks(): readonly string[] {
    return this.#epochs.ranks
  }

  get sites(): Sites {
    return this.#epochs.sites
  }

  get attempt(): number {
    return this.#attempt
  }

  isLost(place: string): boolean {
    return this.#lost.has(place)
  }

  /** Whether the group has started, as far as this member knows, and this rank has not ended. */
  get isActive(): boolean {
    return this.#state !== 'locked' && this.#state !== 'over'
  }

  /** The places whose messages an agreement of this rank waits for. */
  get awaited(): readonly string[] {
    const pending = [...this.#start.awaited, ...this.#checkIn.awaited, ...this.#epochs.awaited]
    return [...new Set(pending)].map((each) => (each === STARTER ? this.#starter : each))
  }

  /** The hold of this member is locked, or lost. */
  locked(isHeld: boolean): readonly RankEffect[] {
    this.#isHeld = isHeld
    return this.#turn(() => this.#forward('start', this.#attempt, this.#start.report(isHeld ? 'locked' : 'lost')))
  }

  /** Called each second. */
  check(): readonly RankEffect[] {
    return this.#turn(() => this.#forward('start', this.#attempt, this.#start.again()))
  }

  /** The program is loaded. */
  ready(): readonly RankEffect[] {
    return this.#turn(() => {
      this.#isLoaded = true
      if (this.#state === 'loading') this.#checkIn.report()
    })
  }

  /** The program wants to go on without the ranks that are lost. */
  shrink(): readonly RankEffect[] {
    return this.#ask('shrink')
  }

  /**
   * The program lets newcomers join. If a rank is lost, this is the same as `shrink`, and the calls
   * of other ranks fail. Otherwise their calls go on.
   */
  regroup(): readonly RankEffect[] {
    return this.#ask(this.ranks.some((each) => this.#lost.has(each)) ? 'shrink' : 'grow')
  }

  /** The program ends all calls of all ranks. */
  revoke(): readonly RankEffect[] {
    return this.#turn(() => {
      this.#revocation.begin()
    })
  }

  /** The program has ended. */
  finish(): void {
    this.#state = 'over'
  }

  revokedBy(from: string, epoch: number): readonly RankEffect[] {
    return this.#turn(() => {
      if ((this.ranks.includes(from) || from === this.#starter) && epoch === this.#epochs.epoch) this.#revocation.take()
    })
  }

  said(from: string, name: AgreementName, said: Said): readonly RankEffect[] {
    return this.#turn(() => {
      const speaker = name.by === STARTER && from === this.#starter ? STARTER : from
      if (name.about === 'start' && name.number === this.#attempt)
        this.#forward('start', name.number, this.#start.take(speaker, said as never))
      else if (name.about === 'checkIn') this.#checkIn.take({ from, epoch: name.number, said }, this.#isNew)
      else if (name.about === 'shrink' && this.#state === 'waiting') this.#join(speaker, name.number, said)
      else if (name.about === 'shrink') this.#epochs.take(speaker, name.number, said)
    })
  }

  /** A member died or left, or no message reaches it. */
  memberGone(member: string, reason: string): readonly RankEffect[] {
    return this.#turn(() => {
      if (member === this.#starter) this.#starterGone()
      for (const each of this.ranks) if (ownerOf(each) === member) this.#gone(each, reason)
    })
  }

  /** The program of a rank has ended. */
  gone(place: string): readonly RankEffect[] {
    return this.#turn(() => this.#gone(place, 'its program has ended'))
  }

  #gone(place: string, reason: string): void {
    if (!this.ranks.includes(place) || this.#lost.has(place)) return
    this.#lost.add(place)
    this.#forward('start', this.#attempt, this.#start.gone(place))
    this.#checkIn.gone(place)
    this.#epochs.gone(place)
    if (this.#state !== 'locked') this.#effects.push({ type: 'lost', place, reason })
  }

  #starterGone(): void {
    this.#lost.add(STARTER)
    this.#forward('start', this.#attempt, this.#start.gone(STARTER))
    this.#epochs.gone(STARTER)
    if (this.#state === 'waiting') this.#giveUp('the member that started the group is gone')
  }

  #turn(act: () => void): readonly RankEffect[] {
    this.#effects = []
    act()
    this.#review()
    return this.#effects
  }

  /** Acts on the decisions of the agreements. */
  #review(): void {
    if (this.#state === 'locked' && this.#start.decision !== undefined) {
      // An honest starter decides `start` only if all holds are locked. A false decision has no
      // effect.
      const isStart = this.#start.decision.value === 'start' && this.#isHeld
      this.#state = !isStart ? 'over' : this.#isNew ? 'waiting' : 'loading'
      this.#effects.push({ type: isStart ? 'start' : 'retry' })
      if (isStart) this.#tellLost()
    }
    this.#checkedIn()
    this.#revocation.review()
    if (this.#state === 'over' || this.#state === 'waiting') return
    const newcomers = this.#epochs.advance()
    if (newcomers === undefined) return
    // A member that was lost may be back, with another life.
    for (const each of newcomers) this.#lost.delete(each)
    this.#begin(newcomers.length > 0)
  }

  /**
   * The next epoch begins. If it has newcomers, all ranks check in first, so that no newcomer gets
   * a message before it is loaded.
   */
  #begin(hasNewcomers: boolean): void {
    const { epoch, ranks, sites } = this.#epochs
    this.#effects.push({ type: 'next', epoch, ranks, sites })
    this.#tellLost()
    if (!hasNewcomers) {
      if (this.#state === 'running') this.#effects.push({ type: 'run' })
      return
    }
    this.#state = 'loading'
    this.#checkIn.begin(this.#isNew, this.#lost)
    if (this.#isLoaded) this.#checkIn.report()
    this.#checkedIn()
  }

  #checkedIn(): void {
    const { decision } = this.#checkIn
    if (this.#state !== 'loading' || decision === undefined) return
    if (decision === 'over') this.#giveUp('the other ranks went on without this one')
    else {
      this.#state = 'running'
      this.#isNew = false
      this.#effects.push({ type: 'run' })
    }
  }

  /** The starter takes this newcomer in. */
  #join(speaker: string, epoch: number, said: Said): void {
    if (speaker !== STARTER || !('decided' in said) || !Array.isArray(said.decided) || !said.decided.includes(this.#self)) return
    this.#epochs.join(epoch, said)
    this.#begin(true)
  }

  #giveUp(why: string): void {
    this.#state = 'over'
    this.#effects.push({ type: 'over', why })
  }

  #ask(why: Why): readonly RankEffect[] {
    return this.#turn(() => {
      if (why === 'shrink') this.#revocation.take()
      this.#epochs.report(why)
    })
  }

  /** Tells the program which ranks of this epoch are lost already. */
  #tellLost(): void {
    for (const place of this.ranks) if (this.#lost.has(place)) this.#effects.push({ type: 'lost', place, reason: 'died or left' })
  }

  #forward(about: AgreementName['about'], number: number, sends: readonly AgreementSend<unknown, unknown>[]): void {
    for (const { to, message } of sends) {
      const agreement = { about, number, ...(to === STARTER && { to: STARTER as '' }) }
      this.#send(to === STARTER ? this.#starter : to, { agreement, said: message as Said })
    }
  }

  #send(to: string, content: GroupContent): void {
    this.#effects.push({ type: 'send', to, content } satisfies RankEffect & Send)
  }
}
