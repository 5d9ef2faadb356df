/**
 * Settlement: passes the outcomes of each part to the parts that they concern.
 *
 * It settles outcomes in order, and the consequences of an outcome before the next outcome. Facts
 * enter here one by one, so each fact meets the consequences of the facts before it.
 */
import type { Milliseconds, NodeId } from './base/values.ts'
import type { Context } from './context/context.ts'
import type { Outcome } from './context/outcomes.ts'
import { meshTime } from './dissemination/broadcaster.ts'
import type { Fact, AgedFact } from './facts/fact.ts'
import { Handshake } from './handshake.ts'
import type { Source } from './admission.ts'
import { Membership } from './membership.ts'
import type { Parts } from './parts.ts'

/**
 * A node that slept for longer than `healing.memory` waits for this time before it claims, ms.
 * Guess: twice the longest wait between two dials to one lost member (healing).
 */
const lookAround = 60_000

export class Settlement {
  readonly handshake: Handshake
  readonly membership: Membership
  readonly #parts: Parts
  readonly #context: Context

  constructor(parts: Parts) {
    this.#parts = parts
    this.#context = parts.context
    this.handshake = new Handshake(parts)
    this.membership = new Membership(parts)
  }

  /**
   * Takes in facts, and settles the consequences of each before the next. Returns the news. All
   * received facts enter here.
   */
  takeIn(told: readonly AgedFact[], source: Source, how: 'frame' | 'broadcast' | 'echo' = 'frame'): Fact[] {
    const news: Fact[] = []
    for (const each of told) {
      const taken = this.#parts.intake.take(each, source, how)
      if (taken !== undefined) news.push(taken)
      this.settle()
    }
    return news
  }

  /**
   * Settles the waiting outcomes in order, and the consequences of each before the next outcome.
   */
  settle(): void {
    const { outcomes } = this.#context
    if (outcomes.length === 0) return
    this.#context.outcomes = []
    for (const outcome of outcomes) {
      this.#settleOne(outcome)
      this.settle()
    }
  }

  #settleOne(outcome: Outcome): void {
    const { life, reconciler, broadcaster, healer, intake } = this.#parts
    switch (outcome.type) {
      case 'changed':
        this.membership.changed(outcome.changes)
        break
      case 'certified': {
        const { certificate, after, isLone } = outcome
        const fact = intake.lives.believe(certificate)
        if (fact !== undefined && after !== undefined) this.#publish([fact], after, isLone && after === 0)
        break
      }
      case 'publish':
        this.#publish([outcome.fact], outcome.after)
        break
      case 'announce':
        this.#publish(outcome.facts, 0, outcome.isAtOnce)
        reconciler.quicken('other')
        break
      case 'isolated':
        this.#parts.linkMaintenance.isolated()
        break
      case 'unsure':
        reconciler.quicken('other')
        break
      case 'reconciled':
        this.#reconciled(outcome.peer)
        break
      case 'enter':
        this.handshake.enter(outcome.learned)
        break
      case 'alone':
        this.handshake.notify(true)
        this.#parts.elections.schedule()
        break
      case 'redirected':
        this.#parts.redirection.ask(this.takeIn(outcome.members, { peer: outcome.from }))
        break
      case 'introduce':
        this.handshake.introduce(outcome.peer)
        break
      case 'rejoined':
        this.handshake.rejoined(outcome.fact)
        break
      case 'impersonated':
        this.#impersonated(outcome.incarnation)
        break
      case 'rejoin':
        life.rejoin(outcome.incarnation, outcome.by)
        break
      case 'contested':
        healer.contested(outcome.id)
        break
      case 'overheard':
        broadcaster.suppress(outcome.key)
        break
    }
  }

  /**
   * Handles the end of a reconciliation. Only a reconciliation with a member shows that both sides
   * know the pool.
   */
  #reconciled(peer: NodeId): void {
    const { view, now } = this.#context
    if (view.get(peer) === undefined) return
    this.handshake.compareCalendars(peer)
    this.#context.wholeSince = Math.min(this.#context.wholeSince, now)
    this.#context.lastReconciliation = now
    this.#context.isUnintroduced = false
    this.handshake.notify(false)
    const { redirection, reporter, elections } = this.#parts
    redirection.settle()
    reporter.settle()
    elections.reconciled()
  }

  #impersonated(incarnation: number): void {
    const message = `another process runs under this node's identity ${this.#context.id} (its incarnation is ${incarnation}); this one stops`
    this.#context.effects.push({ type: 'fail', code: 'IDENTITY_IN_USE', message })
    this.#context.phase = 'stopped'
  }

  /**
   * Publishes on the topic. A young node has no mesh there yet, so it also sends the facts over its
   * links. `isAtOnce`: without a wait for a batch.
   */
  #publish(facts: readonly Fact[], after?: Milliseconds, isAtOnce = false): void {
    const { broadcaster } = this.#parts
    const { links, age } = this.#context
    if (age <= meshTime) for (const peer of links.keys()) this.#context.sendFacts(peer, facts, true)
    if (isAtOnce) broadcaster.publish(facts)
    else for (const fact of facts) broadcaster.queue(fact, after)
  }

  /**
   * Handles a sleep that is longer than others remember the dead. This node's facts could revive
   * the dead. So this node forgets all facts except records and the last claim of each election,
   * and joins afresh.
   */
  startOver(): void {
    const { view, facts, links, config } = this.#context
    const { reporter, detector, rings, unknown, records, broadcaster, elections, introduction, healer, life } = this.#parts
    const { self } = life
    if (self === undefined) return
    const former = [...view.members()]
    reporter.remember(former)
    for (const { id } of former) detector.forget(id)
    view.clear()
    facts.clear()
    rings.clear()
    detector.clear()
    unknown.clear()
    records.startOver()
    broadcaster.clear()
    elections.startOver()
    this.#context.wholeSince = Infinity
    // The others have forgotten this node, too, so it has to dial them.
    introduction.startOver()
    for (const member of former.slice(0, config.limits.lost)) healer.lost(member)
    this.membership.changed([{ type: 'died', member: self }])
    life.beginAnew()
    this.settle()
    // The first members that this node meets may have slept as well.
    elections.renew(former.length > 1 ? lookAround : 0)
    // The peers ended these links long ago. TCP may take minutes to report that.
    for (const peer of links.keys()) this.#context.closeLink(peer, 'slept for too long')
  }
}
