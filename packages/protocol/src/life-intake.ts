/**
 * Intake of facts about lives: joined-statements, left-statements and death certificates.
 *
 * A peer may bring a fact about this node itself. This node never merges it, even if the signatures
 * are valid. It answers such a fact with a new life, or stops if another process runs under its
 * key.
 */
import type { Milliseconds, NodeId } from './base/values.ts'
import type { Context } from './context/context.ts'
import type { Admission, Source } from './admission.ts'
import type { FailureDetector } from './detection/failure-detector.ts'
import type { Accuser, Certificate } from './facts/certificate.ts'
import { factOf, type Fact } from './facts/fact.ts'
import { isKind } from './facts/statement.ts'

/**
 * A death may name a higher incarnation than the member signed. A node believes the death of a
 * present member if the excess is at most this number. It also believes the death if the
 * incarnation is at most `limits.incarnationJump`. A newcomer knows no incarnation of the member,
 * and has only this bound. Guess: a member begins fewer lives while news of them is on its way.
 */
const knownJump = 1_000

export class LifeIntake {
  readonly #context: Context
  readonly #admission: Admission
  readonly #detector: FailureDetector
  #warnedFull = false

  constructor(context: Context, admission: Admission, detector: FailureDetector) {
    this.#context = context
    this.#admission = admission
    this.#detector = detector
  }

  joined(fact: Fact, source: Source): Fact | undefined {
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

  left(fact: Fact, age: Milliseconds, source: Source): Fact | undefined {
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

  died(fact: Fact, age: Milliseconds, source: Source): Fact | undefined {
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
    // A made-up death of an incarnation far ahead would keep the member out for as long as nodes
    // remember the death. Newcomers know no incarnation of the member, so they refuse such a death.
    // If this node took in such a death of a dead member, it would drop the true end. Then
    // newcomers would get no end that they believe, and a replayed joined-statement could bring the
    // dead member back to them. So `knownJump` is for present members only.
    const { incarnationJump } = this.#context.config.limits
    const ahead = present === undefined ? 0 : knownJump
    if (incarnation > Math.max(incarnationJump, view.signed(suspect) + ahead)) return undefined
    if (this.#admission.isOneTooMany(fact, source) || !this.#admission.isAffordable(fact, source)) return undefined
    this.#admission.check(fact)
    const detector = this.#detector
    if (present === undefined) return this.#merge(fact, age)
    const isCurrent = present.incarnation === incarnation
    const members = accusers.filter(({ signer }) => view.wasMember(signer))
    const valid = members.filter(({ heartbeat }: Accuser) => !isCurrent || !detector.isRefuted(suspect, heartbeat))
    // If this node accuses the member as well, that completes the proof. The word of a member that
    // sends the certificate counts like an accusation: the accusers may have died before this node
    // joined, or the suspect may have died after it refuted them.
    const isTold = valid.length > 0 || (source !== 'topic' && view.wasMember(source.peer))
    if (isTold && detector.isAccused(suspect)) return this.#merge(fact, age)
    const needed = detector.accusersToBelieve(suspect)
    if (valid.length < needed) {
      if (isCurrent && valid.length > 0) detector.accusedIn(certificate)
      if (valid.length > 0) detector.unproven(certificate)
      // The member may have died after it refuted all accusations.
      else if (members.length > 0) detector.suspect(suspect)
      // Another node believed the death before the refutation came, and can't take that back. The
      // member must learn of the death, since only its next life reunites both sides.
      if (isCurrent && valid.length === 0 && members.length >= needed) detector.dispute(certificate, true)
      return undefined
    }
    const isOutlived = isCurrent && accusers.every(({ heartbeat }) => detector.isOutlived(suspect, heartbeat))
    if (!isOutlived && !detector.isInContact(suspect)) return this.#merge(fact, age)
    detector.dispute(certificate, isOutlived)
    if (isOutlived) detector.unproven(certificate)
    return undefined
  }

  /**
   * Handles a certificate of this node's own death. If enough accusations in it stand unrefuted,
   * receivers believe the death and can't take that back. So this node begins a new life. Otherwise
   * perhaps only few nodes believe the death, and `rejoin` limits how often this node gives up a
   * life.
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
    const detector = this.#detector
    const members = certificate.accusers.filter(({ signer }) => view.wasMember(signer))
    const valid = members.filter(({ heartbeat }) => !detector.isRefuted(id, heartbeat))
    const isBelieved = valid.length >= detector.accusersToBelieve(id)
    if (isBelieved) outcomes.push({ type: 'rejoin', incarnation: certificate.incarnation })
    // A sender that is an accuser does not count here. If it believes the death, its next hello
    // states that.
    else if (members.length > 0 && from !== undefined && view.wasMember(from) && !members.some(({ signer }) => signer === from))
      // Counts the accusers and not the sender: many members may pass on one made-up certificate.
      outcomes.push({ type: 'rejoin', incarnation: certificate.incarnation, by: members.map(({ signer }) => signer) })
    if (!isBelieved) detector.accusedIn(certificate, from)
  }

  /**
   * Takes in a death that the failure detector of this node decided. The signatures were checked
   * before.
   */
  believe(certificate: Certificate): Fact | undefined {
    const { view } = this.#context
    if (view.hasEnded(certificate.suspect, certificate.incarnation)) return undefined
    this.#merge(factOf({ certificate }), 0)
    return view.hasEnded(certificate.suspect, certificate.incarnation) ? view.fact(certificate.suspect) : undefined
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
