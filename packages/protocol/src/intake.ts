/**
 * Intake: facts from others, on their way into this node's knowledge.
 *
 * Cheap questions first: is it well-formed, within bounds, news at all? Only then are signatures checked, which cost a tenth of a
 * millisecond each. What fails a check changes nothing. What is true and about this node itself is not merged but answered:
 * by a new life, or, if somebody else runs under this key, by stopping.
 */
import { verifyCertificate, type Certificate, type Witness } from './certificate.ts'
import type { Context } from './context.ts'
import type { Elections } from './election.ts'
import { FrameError } from './errors.ts'
import { makeFact, memberKey, readFact, unknownKey, type Evidence, type Fact, type FactContent } from './fact.ts'
import type { Milliseconds, NodeId } from './io.ts'
import { isKind, type Statement } from './statement.ts'
import type { Change } from './view.ts'
import type * as wire from './wire/messages.js'

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
}

export class Intake {
  readonly #context: Context
  readonly #parts: IntakeParts
  readonly #events: IntakeEvents
  /** Statements of kinds that this version does not know: when they came. */
  readonly #unknown = new Map<string, { readonly fact: Fact; readonly until: Milliseconds }>()
  #warnedFull = false

  constructor(context: Context, parts: IntakeParts, events: IntakeEvents) {
    this.#context = context
    this.#parts = parts
    this.#events = events
  }

  /**
   * Reads all facts first, so that a malformed one changes nothing; then takes in each. Returns those that were news.
   * `vouch`: check the signatures of the others, too, as a verdict for all must not hang on what this node happens to know.
   */
  take(messages: readonly wire.Fact[], from: NodeId | undefined, vouch = false): Fact[] {
    const { config, codec } = this.#context
    if (messages.length > config.limits.factsPerFrame)
      throw new FrameError(`a frame has at most ${config.limits.factsPerFrame} facts, not ${messages.length}`)
    const facts = messages.map((message) => readFact(message, codec, config.limits))
    const news: Fact[] = []
    for (const { content, age } of facts) {
      const fact =
        'certificate' in content ? this.#death(content.certificate, age) : this.#statement(content.statement, content.because, age, from)
      if (fact !== undefined) news.push(fact)
      else if (vouch) this.#vouch(content)
      if (vouch) this.#overhear(content)
    }
    this.#expireUnknown()
    return news
  }

  /** Forgets what it passed on unread. */
  clear(): void {
    this.#unknown.clear()
  }

  /** Takes in what a claim proves; its signatures were checked. */
  evidence(evidence: Evidence): void {
    if ('certificate' in evidence) this.#death(evidence.certificate, 0)
    else this.#statement(evidence.statement, undefined, 0, undefined)
  }

  /** Believes a death without further questions: this node took part in its making, or waited long enough. */
  believe(certificate: Certificate, age: Milliseconds = 0): Fact | undefined {
    return this.#merged(certificate.suspect, this.#context.view.mergeDied(certificate, this.#context.now, age), () =>
      this.#context.view.hasEnded(certificate.suspect, certificate.incarnation),
    )
  }

  #statement(statement: Statement, because: Evidence | undefined, age: Milliseconds, from: NodeId | undefined): Fact | undefined {
    const { view, now, id, facts } = this.#context
    const { signer } = statement
    if (isKind(statement, 'joined')) {
      const { incarnation } = statement.content
      if (signer === id) {
        this.#own(statement, incarnation)
        return undefined
      }
      if (!view.isNewsJoined(signer, incarnation, statement.signature)) return undefined
      if (view.get(signer) === undefined && view.full) {
        this.#warnFull()
        return undefined
      }
      this.#check(statement)
      return this.#merged(signer, view.mergeJoined(statement), () => true)
    }
    if (isKind(statement, 'left')) {
      const { incarnation } = statement.content
      if (signer === id) {
        this.#own(statement, incarnation)
        return undefined
      }
      if (!view.isNewsEnded(signer, incarnation, 'left')) return undefined
      this.#check(statement)
      return this.#merged(signer, view.mergeLeft(statement, now, age), () => true)
    }
    if (isKind(statement, 'candidacy')) {
      if (signer === id || !this.#parts.elections.wantsCandidacy(statement)) return undefined
      this.#check(statement)
      return this.#parts.elections.mergeCandidacy(statement)
    }
    if (isKind(statement, 'claim')) {
      if (!this.#parts.elections.wantsClaim(statement)) return undefined
      this.#check(statement)
      return this.#parts.elections.mergeClaim(statement, because, from)
    }
    if (isKind(statement, 'suspicion') || isKind(statement, 'refutation')) throw new FrameError(`a ${statement.content.kind} is no fact`)
    const key = unknownKey(statement)
    if (this.#unknown.has(key) || !view.knows(signer)) return undefined
    const { limits } = this.#context.config
    if (this.#unknown.size >= limits.unknown || age >= limits.unknownLifetime) return undefined
    this.#check(statement)
    const fact = makeFact(key, { statement }, now - age)
    this.#unknown.set(key, { fact, until: now - age + limits.unknownLifetime })
    facts.put(fact)
    return fact
  }

  #death(certificate: Certificate, age: Milliseconds): Fact | undefined {
    const { view, id } = this.#context
    const { suspect, incarnation, witnesses } = certificate
    const present = view.get(suspect)
    if (suspect !== id && !view.isNewsEnded(suspect, incarnation, 'died')) return undefined
    if (suspect === id && incarnation < (present?.incarnation ?? 0)) return undefined
    // A made-up death far ahead would keep its victim out for as long as it is remembered.
    if (incarnation > view.known(suspect) + this.#context.config.limits.incarnationJump) return undefined
    if (!verifyCertificate(certificate, this.#context.codec)) throw new FrameError('a death certificate with a forged signature')
    const refutations = present?.incarnation === incarnation ? this.#parts.refutationsOf(suspect) : 0
    const counts = (witness: Witness): boolean => witness.refutations >= refutations && view.knows(witness.signer)
    const known = witnesses.filter(counts).length
    const sufficient = known >= this.#parts.required(suspect)
    if (suspect === id) {
      if (sufficient) this.#events.onOwnEnd(incarnation)
      else this.#events.onDoubtfulDeath(certificate, false)
      return undefined
    }
    if (present !== undefined && (!sufficient || this.#parts.isInContact(suspect))) {
      this.#events.onDoubtfulDeath(certificate, sufficient)
      return undefined
    }
    return this.believe(certificate, age)
  }

  /** Checks what was no news, unless it is, byte for byte, what this node holds. */
  #vouch(content: FactContent): void {
    if ('certificate' in content) {
      if (!verifyCertificate(content.certificate, this.#context.codec)) throw new FrameError('a death certificate with a forged signature')
      return
    }
    const { statement } = content
    const held = this.#context.view.statement(statement.signer)
    if (held === undefined || !sameBytes(held.signature, statement.signature) || !sameBytes(held.body, statement.body))
      this.#check(statement)
  }

  /** If this is what this node holds, or means the same, whoever listened knows it now. */
  #overhear(content: FactContent): void {
    const { view } = this.#context
    if ('certificate' in content) {
      const { suspect, incarnation } = content.certificate
      if (view.hasEnded(suspect, incarnation)) this.#events.onOverheard(memberKey(suspect))
      return
    }
    const { statement } = content
    const held = view.fact(statement.signer)?.content
    if (held !== undefined && 'statement' in held && sameBytes(held.statement.signature, statement.signature))
      this.#events.onOverheard(memberKey(statement.signer))
  }

  /** About this node itself. */
  #own(statement: Statement, incarnation: number): void {
    const { view, id } = this.#context
    const self = view.get(id)
    if (self === undefined || incarnation < self.incarnation) return
    const mine = view.statement(id)
    if (mine !== undefined && isKind(statement, 'joined') && sameBytes(mine.signature, statement.signature)) return
    this.#check(statement)
    if (isKind(statement, 'joined')) this.#events.onImpersonated(incarnation)
    else this.#events.onOwnEnd(incarnation)
  }

  #merged(id: NodeId, changes: readonly Change[], isIn: () => boolean): Fact | undefined {
    if (changes.length > 0) this.#events.onChanges(changes)
    return isIn() ? this.#context.view.fact(id) : undefined
  }

  #check(statement: Statement): void {
    if (!this.#context.codec.verify(statement)) throw new FrameError(`a forged signature under the key of ${statement.signer}`)
  }

  #warnFull(): void {
    if (this.#warnedFull) return
    this.#warnedFull = true
    this.#context.warn('VIEW_FULL', `the view is full: it holds ${this.#context.config.limits.members} members and takes no more`)
  }

  #expireUnknown(): void {
    for (const [key, { fact, until }] of this.#unknown) {
      if (until > this.#context.now) break
      this.#unknown.delete(key)
      this.#context.facts.delete(fact)
    }
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
