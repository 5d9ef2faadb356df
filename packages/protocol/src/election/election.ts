/**
 * One election: bully-style and non-uniform (JEL §3.2, §5.2), with epochs. The lowest id wins.
 * Nodes may disagree for a while.
 *
 * A candidacy is a signed fact. A known live winner stays. Otherwise the candidate with the lowest
 * id claims the next epoch, after a completed reconciliation and a time to settle. In the paper's
 * implementation the lowest id always took over. Here nobody claims against a living winner, so a
 * late candidate unseats nobody. When a winner leaves, dies or withdraws, the remaining candidates
 * settle again by themselves. If the lowest candidate is silent, the next candidate passes it over.
 * It claims a higher epoch than the silent candidate could claim. `claims.ts` decides which claim
 * counts.
 */
import type { Milliseconds, NodeId } from '../base/values.ts'
import type { Context } from '../context/context.ts'
import { factOf, type Fact } from '../facts/fact.ts'
import type { Candidacy, Statement } from '../facts/statement.ts'
import { Candidacies, places } from './candidacies.ts'
import { Claims } from './claims.ts'
import type { Entry } from './fair-share.ts'
import { turn } from './reign-confirmation.ts'
import { settle, Settling } from './settling.ts'

export interface ElectionParts {
  /** Called when candidates or the winner changed. */
  readonly onChanged: () => void
  /** The member that introduced the election. */
  readonly opener: NodeId
  /** The latest epoch that this identity knew before it started; 0 for none. */
  readonly stored: number
}

export class Election {
  readonly name: string
  readonly claims: Claims
  readonly #context: Context
  readonly #onChanged: () => void
  readonly #opener: NodeId
  readonly #candidacies: Candidacies
  readonly #settling = new Settling()
  /** This node's own candidacy. Only a reconciliation after `since` shows who reigns. */
  #mine: { standing: boolean; sequence: number; since: Milliseconds } | undefined

  constructor(context: Context, name: string, { onChanged, opener, stored }: ElectionParts) {
    this.name = name
    this.#context = context
    this.#onChanged = onChanged
    this.#opener = opener
    this.#candidacies = new Candidacies(context)
    this.claims = new Claims(context, name, { candidacies: this.#candidacies, settling: this.#settling, onChanged, stored })
  }

  /** True if this node is a candidate. */
  get isStanding(): boolean {
    return this.#mine?.standing === true
  }

  /** Sequence of this node's last candidacy. */
  get sequence(): number {
    return this.#mine?.sequence ?? 0
  }

  /** The properties that decide whether this election stays in memory. */
  get entry(): Entry {
    // Nodes send only the lowest 16 candidates, so they know different candidates above those.
    const standing = this.#candidacies.standing().slice(0, places)
    const supporters = new Set(this.claims.held.winner === undefined ? standing : [...standing, this.claims.held.winner])
    if (supporters.size === 0) supporters.add(this.#opener)
    return { name: this.name, isOwn: this.isStanding, isDormant: standing.length === 0 && !this.claims.held.reigns, supporters }
  }

  /**
   * Returns the time at which this node claims; Infinity if it has no reason to claim. A candidate
   * claims if nobody reigns and it has reconciled: the lowest candidate when the settle time ends,
   * each next one a `turn` later. A reigning node claims only to confirm its reign. `reconciledAt`:
   * time of the last reconciliation.
   */
  claimsAt(reconciledAt: Milliseconds): Milliseconds {
    const { links, config, isUnintroduced } = this.#context
    if (this.#mine?.standing !== true || isUnintroduced) return Infinity
    if (this.claims.held.reigns) return this.claims.held.winner === this.#context.id ? this.claims.confirmation.dueAt : Infinity
    const rank = this.#rank
    // Nobody accepts a claim of a non-candidate, or of an epoch beyond the limit.
    if (rank < 0 || this.claims.nextEpoch(rank) > config.limits.counter) return Infinity
    const isAlone = rank === 0 && ![...links.values()].some((link) => link.entered)
    const since = rank === 0 ? this.#mine.since : Math.max(this.#mine.since, this.#settling.endsAt)
    // There is no peer to reconcile with. After a long sleep `since` is in the future, to give
    // other members time to come back.
    if (isAlone) return Math.max(this.#settling.endsAt, this.#mine.since)
    return reconciledAt >= since ? this.#settling.endsAt + rank * turn : Infinity
  }

  /** Makes this node a candidate. The new candidacy gets a sequence above `after`. */
  elect(after: number): void {
    if (this.#mine?.standing === true) return
    this.#mine = { standing: true, sequence: Math.max(this.sequence, after) + 1, since: this.#context.now }
    this.#onChanged()
    this.#settling.finish()
    this.#settling.extend(settle, this.#context.now)
    this.#declare()
    this.#context.outcomes.push({ type: 'unsure' })
  }

  /** Ends this node's candidacy, and with it a reign of its own. */
  withdraw(): void {
    if (this.#mine?.standing !== true) return
    this.#mine = { ...this.#mine, standing: false, sequence: this.#mine.sequence + 1 }
    this.#declare()
  }

  /**
   * Declares that this node does not stand, since others remember a candidacy of this node. The
   * declaration gets a sequence above `after`.
   */
  disown(after: number): void {
    if (this.#mine?.standing === true || this.sequence > after) return
    this.#mine = { standing: false, sequence: after + 1, since: this.#context.now }
    this.#declare()
  }

  /** Renews this node's candidacy under a new life. The node may claim after `after` ms. */
  renew(after: Milliseconds): void {
    if (this.#mine?.standing !== true) return
    this.#mine.since = this.#context.now + after
    this.#settling.extend(settle, this.#context.now)
    this.#declare()
  }

  /**
   * Handles a stall of this process. Another candidate may reign by now, and the messages in the
   * sockets are old. So this node reconciles before it claims.
   */
  stalled(): void {
    if (this.#mine?.standing !== true) return
    this.#mine.since = this.#context.now + settle
    this.#context.outcomes.push({ type: 'unsure' })
  }

  /**
   * Drops all knowledge but this node's own candidacy and the last claim with its epoch. After a
   * long sleep the other members may have forgotten the rest.
   */
  startOver(): void {
    this.#candidacies.clear()
    this.claims.startOver()
  }

  /** Drops the facts of this election. */
  forget(): void {
    this.#candidacies.clear()
    this.claims.held.forget()
  }

  /** A peer sent this node's own candidacy. Returns the newer one if the peer's is old. */
  correction(statement: Statement<Candidacy>): Fact | undefined {
    const mine = this.#candidacies.fact(this.#context.id)
    return mine === undefined || this.#candidacies.isNews(statement) || mine.equals(factOf({ statement })) ? undefined : mine
  }

  /** True if this candidacy of a living member is news. */
  wantsCandidacy(statement: Statement<Candidacy>): boolean {
    return this.#candidacies.isNews(statement)
  }

  /** Takes in a verified candidacy that is news. Returns it if others should receive it. */
  mergeCandidacy(statement: Statement<Candidacy>): Fact | undefined {
    const fact = this.#candidacies.put(statement)
    this.#candidacies.choose(this.claims.held.winner)
    this.#onChanged()
    const isSent = this.#context.facts.isSent(fact)
    if (isSent && !this.claims.wasReigned) this.#settling.extend(settle, this.#context.now)
    this.claims.review()
    this.#fill()
    return isSent || statement.content.withdrawn ? fact : undefined
  }

  /** Ends the candidacy of an ended life, and perhaps its reign. */
  lifeEnded(id: NodeId): void {
    if (this.#candidacies.get(id) !== undefined) {
      this.#candidacies.delete(id)
      this.#candidacies.choose(this.claims.held.winner)
      this.#onChanged()
    }
    this.claims.review()
    this.#fill()
  }

  /** Handles the join of a member. If it is the winner, this node may now announce its reign. */
  lifeBegan(id: NodeId): void {
    if (id === this.claims.held.winner) this.claims.review()
  }

  /** Claims an epoch. Call this at the time of {@link claimsAt}. */
  claim(): void {
    if (this.#mine !== undefined) this.claims.claim(this.#mine.sequence, this.#rank)
  }

  /** Signs this node's present candidacy, unless nodes would not exchange it. */
  #declare(): void {
    const self = this.#context.view.get(this.#context.id)
    if (self === undefined || this.#mine === undefined) return
    const { sequence, standing } = this.#mine
    const { id, incarnation } = self
    const before = this.#candidacies.get(id)?.content
    if (before === undefined && id !== this.claims.held.winner && !this.#candidacies.hasPlace(id)) return
    if (before?.incarnation === incarnation && before.sequence === sequence) return
    const content: Candidacy = { kind: 'candidacy', election: this.name, incarnation, sequence, withdrawn: !standing }
    this.mergeCandidacy(this.#context.codec.sign(id, content))
    this.#context.outcomes.push({ type: 'announce', facts: [this.#candidacies.fact(id) as Fact] })
  }

  /** Declares this node's candidacy if places became free. */
  #fill(): void {
    const { id } = this.#context
    if (this.#mine?.standing !== true || this.#candidacies.get(id) !== undefined) return
    const standing = this.#candidacies.standing()
    const isLowest = standing[0] === undefined || id < standing[0]
    if (standing.length * 2 < places || isLowest) this.#declare()
  }

  /** Number of candidates with a lower id; -1 if this node does not stand. */
  get #rank(): number {
    return this.#candidacies.standing().indexOf(this.#context.id)
  }
}
