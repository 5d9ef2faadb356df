/**
 * Intake: checks facts from others and takes them into this node's knowledge.
 *
 * Cheap checks come first: form, bounds and novelty. Signatures come last, at a tenth of a
 * millisecond each. A fact that fails a check changes nothing. A true fact about this node itself
 * is never merged. This node answers it with a new life, or stops if another process runs under its
 * key.
 */
import type { Milliseconds, NodeId } from './base/values.ts'
import type { Context } from './context/context.ts'
import { Admission, type Source } from './admission.ts'
import type { Accusations } from './detection/verdict/accusations.ts'
import type { FailureDetector } from './detection/failure-detector.ts'
import type { Elections } from './election/elections.ts'
import type { Records } from './records/records.ts'
import { accusationsIn, type Accuser, type Certificate } from './facts/certificate.ts'
import { factOf, type Fact, type AgedFact } from './facts/fact.ts'
import { isKind } from './facts/statement.ts'
import type { UnknownStatements } from './unknown-statements.ts'

export interface IntakeParts {
  readonly elections: Elections
  readonly detector: FailureDetector
  readonly accusations: Accusations
  readonly records: Records
  readonly unknown: UnknownStatements
}

export class Intake {
  readonly #context: Context
  readonly #parts: IntakeParts
  readonly #admission: Admission
  #warnedFull = false

  constructor(context: Context, parts: IntakeParts) {
    this.#context = context
    this.#parts = parts
    this.#admission = new Admission(context, parts.records)
  }

  /**
   * Takes in one fact. Returns the held fact if it was news. A fact of a `broadcast` is checked
   * even if it is no news: the verdict on forwarding must not depend on what this node knows at
   * present. An `echo` is another form of a death that this node forwarded, and needs no check.
   * Throws {@link FrameError}.
   */
  take({ fact, ageSeconds }: AgedFact, source: Source, how: 'frame' | 'broadcast' | 'echo' = 'frame'): Fact | undefined {
    const taken = this.#take(fact, ageSeconds * 1000, source)
    // If this node holds the same bytes, it has checked them before.
    if (taken === undefined && how === 'broadcast' && this.#context.facts.rival(fact)?.equals(fact) !== true) this.#admission.check(fact)
    if (how !== 'frame') this.#overhear(fact)
    return taken
  }

  /**
   * Takes in a death without checks: its accusers were heard here, or this node waited long enough.
   */
  believe(certificate: Certificate): Fact | undefined {
    const { view } = this.#context
    if (view.hasEnded(certificate.suspect, certificate.incarnation)) return undefined
    this.#merge(factOf({ certificate }), 0)
    return view.hasEnded(certificate.suspect, certificate.incarnation) ? view.fact(certificate.suspect) : undefined
  }

  #take(fact: Fact, age: Milliseconds, source: Source): Fact | undefined {
    switch (fact.says) {
      case 'joined':
        return this.#joined(fact, source)
      case 'left':
        return this.#left(fact, age, source)
      case 'died':
        return this.#died(fact, age, source)
      case undefined:
        return this.#other(fact, age, source)
    }
  }

  #joined(fact: Fact, source: Source): Fact | undefined {
    const { view, id } = this.#context
    if (fact.about === id) {
      this.#own(fact)
      return undefined
    }
    if (!view.isNews(fact)) {
      const end = view.fact(fact.about as NodeId)
      if (end?.says === 'died' && end.incarnation === fact.incarnation)
        this.#context.outcomes.push({ type: 'contested', id: fact.about as NodeId })
      return undefined
    }
    if (view.full && view.get(fact.about as NodeId) === undefined) {
      this.#warnFull()
      return undefined
    }
    if (!this.#admission.isAffordable(fact, source) || !this.#admission.mayBringIn(fact, source)) return undefined
    this.#admission.check(fact)
    return this.#merge(fact, 0)
  }

  #left(fact: Fact, age: Milliseconds, source: Source): Fact | undefined {
    const { view, id } = this.#context
    if (fact.about === id) {
      this.#own(fact)
      return undefined
    }
    if (!view.isNews(fact)) {
      view.merge(fact, this.#context.now, age) // the youngest age of a known end counts
      return undefined
    }
    if (this.#admission.isOneTooMany(fact, source) || !this.#admission.isAffordable(fact, source)) return undefined
    this.#admission.check(fact)
    return this.#merge(fact, age)
  }

  #died(fact: Fact, age: Milliseconds, source: Source): Fact | undefined {
    if (!('certificate' in fact.content)) return undefined
    const { certificate } = fact.content
    const { view, id } = this.#context
    const { suspect, incarnation, accusers } = certificate
    const present = view.get(suspect)
    if (suspect === id) {
      if (incarnation >= (present?.incarnation ?? 0)) this.#ownDeath(fact, certificate, source)
      return undefined
    }
    if (!view.isNews(fact)) {
      view.merge(fact, this.#context.now, age)
      return undefined
    }
    // A made-up death far ahead would keep the member out for as long as the death is remembered.
    if (incarnation > view.signed(suspect) + this.#context.config.limits.incarnationJump) return undefined
    if (this.#admission.isOneTooMany(fact, source) || !this.#admission.isAffordable(fact, source)) return undefined
    this.#admission.check(fact)
    const { detector, accusations } = this.#parts
    if (present === undefined) return this.#merge(fact, age)
    const isCurrent = present.incarnation === incarnation
    const members = accusers.filter(({ signer }) => view.wasMember(signer))
    const valid = members.filter(({ heartbeat }: Accuser) => !isCurrent || !accusations.isRefuted(suspect, heartbeat))
    // This node accuses the member as well. That completes the proof.
    if (valid.length > 0 && detector.isAccused(suspect)) return this.#merge(fact, age)
    const needed = detector.accusersToBelieve(suspect)
    if (valid.length < needed) {
      if (isCurrent && valid.length > 0) detector.report(accusationsIn(certificate))
      if (valid.length > 0) detector.unproven(certificate)
      // Another node believed the death before the refutation came, and can't take that back. The
      // member must learn of the death, since only its next life reunites both sides.
      else if (isCurrent && members.length >= needed) detector.dispute(certificate, true)
      return undefined
    }
    const isOutlived = isCurrent && accusers.every(({ heartbeat }) => accusations.isOutlived(suspect, heartbeat))
    if (!isOutlived && !detector.isInContact(suspect)) return this.#merge(fact, age)
    detector.dispute(certificate, isOutlived)
    if (isOutlived) detector.unproven(certificate)
    return undefined
  }

  /**
   * Handles a certificate of this node's own death. If enough of its accusations are not refuted,
   * receivers believe the death and can't take that back. So this node begins a new life. Otherwise
   * few may believe the death, and `rejoin` limits how often this node gives up a life.
   */
  #ownDeath(fact: Fact, certificate: Certificate, source: Source): void {
    const from = source === 'topic' ? undefined : source.peer
    const { view, id, outcomes } = this.#context
    if (
      certificate.incarnation > view.known(id) + this.#context.config.limits.incarnationJump ||
      !this.#admission.isAffordable(fact, source)
    )
      return
    this.#admission.check(fact)
    const { detector, accusations } = this.#parts
    const members = certificate.accusers.filter(({ signer }) => view.wasMember(signer))
    const valid = members.filter(({ heartbeat }) => !accusations.isRefuted(id, heartbeat))
    const isBelieved = valid.length >= detector.accusersToBelieve(id)
    if (isBelieved) outcomes.push({ type: 'rejoin', incarnation: certificate.incarnation })
    // Skips an accuser as the sender. If it believes the death, its next hello states that.
    else if (members.length > 0 && from !== undefined && view.wasMember(from) && !members.some(({ signer }) => signer === from))
      // Counts the accusers and not the sender: many members may pass on one made-up certificate.
      outcomes.push({ type: 'rejoin', incarnation: certificate.incarnation, by: members.map(({ signer }) => signer) })
    for (const suspicion of accusationsIn(certificate)) if (!isBelieved) accusations.hear(suspicion, from)
  }

  /** Takes in a fact that is not about a life. This version may not know its kind. */
  #other(fact: Fact, age: Milliseconds, source: Source): Fact | undefined {
    const from = source === 'topic' ? undefined : source.peer
    if (!('statement' in fact.content)) return undefined
    const { statement } = fact.content
    const { elections } = this.#parts
    if (isKind(statement, 'candidacy')) {
      if (statement.signer === this.#context.id) {
        if (!this.#context.view.isAlive(statement.signer, statement.content.incarnation) || !this.#admission.isAffordable(fact, source))
          return undefined
        this.#admission.check(fact)
        const correction = from === undefined ? undefined : elections.correction(statement)
        if (from !== undefined && correction !== undefined) this.#context.sendFacts(from, [correction], true)
        return undefined
      }
      if (!elections.wantsCandidacy(statement) || !this.#admission.isAffordable(fact, source)) return undefined
      this.#admission.check(fact)
      return elections.mergeCandidacy(statement)
    }
    if (isKind(statement, 'suspicion')) {
      if (this.#admission.isAffordable(fact, source)) this.#parts.accusations.receive(from, statement)
      return undefined
    }
    if (isKind(statement, 'refutation')) {
      const { accusations } = this.#parts
      if (
        statement.signer === this.#context.id ||
        !accusations.refutationExchange.isNews(statement) ||
        !this.#admission.isAffordable(fact, source)
      )
        return undefined
      this.#admission.check(fact)
      return accusations.refutationExchange.take(statement, from)
    }
    if (isKind(statement, 'claim')) {
      if (!elections.wantsClaim(statement) || !this.#admission.isAffordable(fact, source)) return undefined
      this.#admission.check(fact)
      return elections.mergeClaim(statement, from)
    }
    if (isKind(statement, 'record')) {
      const { records } = this.#parts
      if (!records.wants(statement) || !this.#admission.isAffordable(fact, source) || !this.#admission.maySendRecord(fact, source))
        return undefined
      this.#admission.check(fact)
      return records.merge(statement, source === 'topic')
    }
    const { unknown } = this.#parts
    if (!this.#context.view.knows(statement.signer) || !unknown.wants(fact, age) || !this.#admission.isAffordable(fact, source))
      return undefined
    this.#admission.check(fact)
    return unknown.add(fact, age)
  }

  /**
   * If this fact equals the held one or means the same, all receivers of the broadcast know it. So
   * this node need not publish it.
   */
  #overhear(fact: Fact): void {
    if (fact.about === undefined) return
    const held = this.#context.facts.rival(fact)
    const isOver = fact.says === 'died' && this.#context.view.hasEnded(fact.about, fact.incarnation)
    if (isOver || held?.equals(fact) === true) this.#context.outcomes.push({ type: 'overheard', key: fact.key })
  }

  /** Handles a fact about this node itself. */
  #own(fact: Fact): void {
    const { view, id } = this.#context
    const mine = view.fact(id)
    if (mine?.member === undefined || fact.incarnation < mine.incarnation || fact.equals(mine)) return
    // The nonce shows that this process signed the statement: it is an earlier version.
    if (fact.says === 'joined' && nonceOf(fact) === nonceOf(mine)) return
    this.#admission.check(fact)
    const { outcomes } = this.#context
    if (fact.says === 'joined') outcomes.push({ type: 'impersonated', incarnation: fact.incarnation })
    else outcomes.push({ type: 'rejoin', incarnation: fact.incarnation })
  }

  /** Takes in a verified joined-statement or end, and returns it as held. */
  #merge(fact: Fact, age: Milliseconds): Fact | undefined {
    const { view, now, facts } = this.#context
    const isKnown = facts.rival(fact) !== undefined
    const changes = view.merge(fact, now, age)
    if (!isKnown && fact.about !== undefined && !this.#context.isBootstrapping) this.#context.budgets.met(fact.about, now)
    if (changes.length > 0) this.#context.outcomes.push({ type: 'changed', changes })
    return facts.rival(fact)
  }

  #warnFull(): void {
    if (this.#warnedFull) return
    this.#warnedFull = true
    this.#context.warn('VIEW_FULL', `the view is full: it holds ${this.#context.config.limits.members} members and takes no more`)
  }
}

function nonceOf({ content }: Fact): number | undefined {
  return 'statement' in content && isKind(content.statement, 'joined') ? content.statement.content.nonce : undefined
}
