/**
 * Intake: facts from others, on their way into this node's knowledge.
 *
 * Cheap questions first: is it well-formed, within bounds, news at all? Only then are signatures checked, which cost a tenth of a
 * millisecond each. What fails a check changes nothing. What is true and about this node itself is not merged but answered:
 * by a new life, or, if somebody else runs under this key, by stopping.
 */
import { FrameError } from './base/errors.ts'
import type { Milliseconds, NodeId } from './base/io.ts'
import { Budgets } from './context/budgets.ts'
import type { Context, Timed } from './context/context.ts'
import type { Elections } from './election/elections.ts'
import type { Certificate, Witness } from './facts/certificate.ts'
import { factOf, type Evidence, type Fact, type Told } from './facts/fact.ts'
import { isKind } from './facts/statement.ts'
import type { Change } from './facts/view.ts'

export interface IntakeEvents {
  onChanges(changes: readonly Change[]): void
  /** A signed statement of this node's own key that this instance did not sign, of a life not before its own. */
  onImpersonated(incarnation: number): void
  /** This node's life was ended by others, or by itself in an earlier run. */
  onOwnEnd(incarnation: number): void
  /** A death that this node can't believe yet: too few witnesses, or it is in contact with the member. */
  onDoubtfulDeath(certificate: Certificate, sufficient: boolean): void
  /** Somebody told all what this node knows, under this key, by now: it need not. */
  onOverheard(key: string): void
}

export interface IntakeParts {
  readonly elections: Elections
  required(suspect: NodeId): number
  /** Refutations of the present life that this node knows. */
  refutationsOf(id: NodeId): number
  isInContact(id: NodeId): boolean
  /** True for a node that is new in the pool, which is told all of it at once. */
  isCredulous(): boolean
}

export class Intake implements Timed {
  readonly #context: Context
  readonly #parts: IntakeParts
  readonly #events: IntakeEvents
  /** Statements of kinds that this version does not know: since when they are told. */
  readonly #unknown = new Map<string, { readonly fact: Fact; readonly born: Milliseconds }>()
  #nextDue: Milliseconds = Infinity
  #warnedFull = false
  /** What those may cost whose word is being taken in. */
  #payer: Budgets | undefined
  readonly #topic = new Budgets()

  constructor(context: Context, parts: IntakeParts, events: IntakeEvents) {
    this.#context = context
    this.#parts = parts
    this.#events = events
  }

  get nextDue(): Milliseconds {
    return this.#nextDue
  }

  /** Forgets what is too old of what it passes on unread. As with ends, it is told for a shorter time, so that expiry reinfects nobody. */
  due(): void {
    const { now, config, facts } = this.#context
    if (now < this.#nextDue) return
    this.#nextDue = Infinity
    for (const [key, { fact, born }] of this.#unknown) {
      if (now - born >= config.limits.unknownLifetime) {
        this.#unknown.delete(key)
        facts.delete(fact)
        continue
      }
      if (now - born >= this.#toldFor) facts.silence(fact)
      this.#awaitAge(born)
    }
  }

  /**
   * Takes in each and returns those that were news, as they are held.
   * `how`: facts of a broadcast that is to be forwarded are checked even if they are no news, as a verdict for all must not hang on what this
   * node happens to know; those of one that was forwarded in other words before are only taken note of.
   */
  take(told: readonly Told[], from: NodeId | undefined, how: 'frame' | 'broadcast' | 'echo' = 'frame'): Fact[] {
    const news: Fact[] = []
    this.#payer = from === undefined ? this.#topic : this.#context.links.get(from)?.budgets
    for (const { fact, ageSeconds } of told) {
      const taken = this.#take(fact, ageSeconds * 1000, from)
      if (taken !== undefined) news.push(taken)
      // What this node holds, byte for byte, was checked before.
      else if (how === 'broadcast' && this.#context.facts.rival(fact)?.equals(fact) !== true) this.#check(fact)
      if (how !== 'frame') this.#overhear(fact)
    }
    this.#payer = undefined
    return news
  }

  /** Forgets what it passed on unread. */
  clear(): void {
    this.#unknown.clear()
    this.#nextDue = Infinity
  }

  /** Takes in what a claim proves; its signatures were checked. */
  evidence(evidence: Evidence): void {
    this.#take(factOf(evidence), 0, undefined)
  }

  /** Believes a death without further questions: this node took part in its making, or waited long enough. */
  believe(certificate: Certificate): Fact | undefined {
    const fact = factOf({ certificate })
    this.#merge(fact, 0)
    const { view } = this.#context
    return view.hasEnded(certificate.suspect, certificate.incarnation) ? view.fact(certificate.suspect) : undefined
  }

  #take(fact: Fact, age: Milliseconds, from: NodeId | undefined): Fact | undefined {
    switch (fact.says) {
      case 'joined':
        return this.#joined(fact)
      case 'left':
        return this.#left(fact, age)
      case 'died':
        return this.#died(fact, age)
      case undefined:
        return this.#other(fact, age, from)
    }
  }

  #joined(fact: Fact): Fact | undefined {
    const { view, id } = this.#context
    if (fact.about === id) {
      this.#own(fact)
      return undefined
    }
    if (!view.isNews(fact)) return undefined
    if (view.full && view.get(fact.about as NodeId) === undefined) {
      this.#warnFull()
      return undefined
    }
    if (!this.#isAffordable(fact) || !this.#mayBringIn(fact)) return undefined
    this.#check(fact)
    return this.#merge(fact, 0)
  }

  #left(fact: Fact, age: Milliseconds): Fact | undefined {
    const { view, id } = this.#context
    if (fact.about === id) {
      this.#own(fact)
      return undefined
    }
    if (!view.isNews(fact) || this.#isOneTooMany(fact) || !this.#isAffordable(fact)) return undefined
    this.#check(fact)
    return this.#merge(fact, age)
  }

  #died(fact: Fact, age: Milliseconds): Fact | undefined {
    if (!('certificate' in fact.content)) return undefined
    const { certificate } = fact.content
    const { view, id } = this.#context
    const { suspect, incarnation, witnesses } = certificate
    const present = view.get(suspect)
    if (suspect !== id && !view.isNews(fact)) return undefined
    if (suspect === id && incarnation < (present?.incarnation ?? 0)) return undefined
    // A made-up death far ahead would keep its victim out for as long as it is remembered.
    if (incarnation > view.known(suspect) + this.#context.config.limits.incarnationJump) return undefined
    if (this.#isOneTooMany(fact) || !this.#isAffordable(fact)) return undefined
    this.#check(fact)
    const refutations = present?.incarnation === incarnation ? this.#parts.refutationsOf(suspect) : 0
    const counts = (witness: Witness): boolean => witness.refutations >= refutations && view.knows(witness.signer)
    const known = witnesses.filter(counts).length
    const sufficient = known >= this.#parts.required(suspect)
    if (suspect === id) {
      if (known === 0 && !this.#mayBeBelieved(certificate)) return undefined
      if (sufficient) this.#events.onOwnEnd(incarnation)
      else this.#events.onDoubtfulDeath(certificate, false)
      return undefined
    }
    if (present !== undefined && (!sufficient || this.#parts.isInContact(suspect))) {
      this.#events.onDoubtfulDeath(certificate, sufficient)
      return undefined
    }
    return this.#merge(fact, age)
  }

  /**
   * This node refuted these witnesses, but who heard of the death first believes it and can't take it back. Counted as by one who suspects
   * nobody.
   */
  #mayBeBelieved({ witnesses }: Certificate): boolean {
    const { view, config } = this.#context
    return witnesses.filter(({ signer }) => view.knows(signer)).length >= config.detection.quorum
  }

  /** About elections, or of a kind that only later versions know. */
  #other(fact: Fact, age: Milliseconds, from: NodeId | undefined): Fact | undefined {
    if (!('statement' in fact.content)) return undefined
    const { statement, because } = fact.content
    const { elections } = this.#parts
    if (isKind(statement, 'candidacy')) {
      if (statement.signer === this.#context.id || !elections.wantsCandidacy(statement) || !this.#isAffordable(fact)) return undefined
      this.#check(fact)
      return elections.mergeCandidacy(statement)
    }
    if (isKind(statement, 'claim')) {
      if (!elections.wantsClaim(statement) || !this.#isAffordable(fact)) return undefined
      this.#check(fact)
      return elections.mergeClaim(statement, because, from)
    }
    const { config, view, now, facts } = this.#context
    if (this.#unknown.has(fact.key) || !view.knows(statement.signer)) return undefined
    if (this.#unknown.size >= config.limits.unknown || age >= this.#toldFor) return undefined
    if (!this.#isAffordable(fact)) return undefined
    this.#check(fact)
    const held = facts.put(fact, now - age)
    this.#unknown.set(held.key, { fact: held, born: now - age })
    this.#awaitAge(now - age)
    return held
  }

  /** So long statements of unknown kinds are told, ms. */
  get #toldFor(): Milliseconds {
    const { limits, tombstones } = this.#context.config
    return Math.floor(limits.unknownLifetime * tombstones.shareUntil)
  }

  /** Wakes this part when a statement of an unknown kind is no longer to be told, or kept. */
  #awaitAge(born: Milliseconds): void {
    const { now, config } = this.#context
    const end = now - born < this.#toldFor ? this.#toldFor : config.limits.unknownLifetime
    this.#nextDue = Math.min(this.#nextDue, born + end)
  }

  /** If this is what this node holds, or means the same, whoever listened knows it now. */
  #overhear(fact: Fact): void {
    if (fact.about === undefined) return
    const held = this.#context.facts.rival(fact)
    const isOver = fact.says === 'died' && this.#context.view.hasEnded(fact.about, fact.incarnation)
    if (isOver || held?.equals(fact) === true) this.#events.onOverheard(fact.key)
  }

  /** About this node itself. */
  #own(fact: Fact): void {
    const { view, id } = this.#context
    const mine = view.fact(id)
    if (mine?.member === undefined || fact.incarnation < mine.incarnation || fact.equals(mine)) return
    this.#check(fact)
    if (fact.says === 'joined') this.#events.onImpersonated(fact.incarnation)
    else this.#events.onOwnEnd(fact.incarnation)
  }

  /** Takes in a verified joined-statement or end, and returns it as it is held. */
  #merge(fact: Fact, age: Milliseconds): Fact | undefined {
    const { view, now, facts } = this.#context
    const changes = view.merge(fact, now, age)
    if (changes.length > 0) this.#events.onChanges(changes)
    return facts.rival(fact)
  }

  /** What is not affordable now is no offence: reconciliation brings it again. */
  #isAffordable(fact: Fact): boolean {
    const { now, config } = this.#context
    if (this.#payer === undefined || this.#payer === this.#topic || this.#parts.isCredulous()) return true
    return this.#payer.spend('checks', now, config.limits.checksPerSecond, fact.signatures)
  }

  /** Members that one peer makes known come at a bounded rate. As many as are known may come at once: the other half of a pool that was cut. */
  #mayBringIn(fact: Fact): boolean {
    const { now, config, view, facts } = this.#context
    if (this.#payer === undefined || this.#parts.isCredulous() || facts.rival(fact) !== undefined) return true
    const { newcomersPerSecond } = config.limits
    return this.#payer.spend('newcomers', now, newcomersPerSecond, 1, Math.max(newcomersPerSecond * 10, view.size))
  }

  /**
   * Ends of those who were never heard of may be made up: they fill no more than half of what is remembered of ends. But a newcomer has heard of
   * nobody, and what it refused it would ask for again and again.
   */
  #isOneTooMany(fact: Fact): boolean {
    const { view, facts, wholeSince } = this.#context
    if (facts.rival(fact) !== undefined) return false
    return wholeSince === Infinity && this.#payer !== this.#topic ? view.isFullOfEnds : view.isHalfFullOfEnds
  }

  #check(fact: Fact): void {
    if (fact.isTrue(this.#context.codec)) return
    if (fact.says === 'died') throw new FrameError('a death certificate with a forged signature')
    throw new FrameError(`a forged signature under the key of ${'statement' in fact.content ? fact.content.statement.signer : fact.key}`)
  }

  #warnFull(): void {
    if (this.#warnedFull) return
    this.#warnedFull = true
    this.#context.warn('VIEW_FULL', `the view is full: it holds ${this.#context.config.limits.members} members and takes no more`)
  }
}
