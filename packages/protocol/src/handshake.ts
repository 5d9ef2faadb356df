/** The handshake with each peer: hellos, entry or redirection, and the first reconciliation. */
import { FrameError } from './base/errors.ts'
import type { NodeId } from './base/values.ts'
import { Link } from './context/links.ts'
import type { Fact, AgedFact } from './facts/fact.ts'
import type { Message } from './frames/message.ts'
import type { Parts } from './parts.ts'
import { skew } from './records/records.ts'

export class Handshake {
  readonly #parts: Parts
  /** The incarnation that this node sent to an introducer. */
  #introducedAs = 0
  #toldEntered = false
  #warnedOutOfReach = false
  #warnedOfCalendars = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Handles a new link. Sends a hello. If too many newcomers come, a redirection goes first.
   */
  linkUp(peer: NodeId, dialable: boolean): void {
    const { context, reception, redirection, introduction, life, detector, linkMaintenance, signals } = this.#parts
    const { links, now, view, budgets } = context
    if (links.has(peer)) return
    const link = new Link(peer, dialable, now, budgets.account(peer, now))
    links.set(peer, link)
    if (reception.turnsAway(link)) {
      detector.heard(peer) // banned, but alive
      return
    }
    if (life.self !== undefined && view.known(peer) === 0) redirection.receive(peer)
    introduction.linkUp(peer)
    for (const part of [detector, linkMaintenance, signals]) part.linkUp(peer)
  }

  /** Handles a peer's hello. Throws {@link FrameError}. */
  greeted(link: Link, { known, ended, incarnation, today }: Exclude<Message['hello'], undefined>): void {
    const { context, life, introduction, reconciler } = this.#parts
    const { view, config, id } = context
    if (!(known <= config.limits.counter) || !(incarnation <= config.limits.counter)) throw new FrameError('an incarnation is out of range')
    link.greeted = true
    if (today !== undefined) link.ahead = today - context.services.today()
    link.entered = incarnation > 0
    link.incarnation = incarnation
    const wasIn = life.self !== undefined
    link.isEntry = !wasIn || incarnation === 0
    introduction.greeted(life.credible(known))
    if (known > 0 && life.credible(known) === 0) this.#warnOutOfReach(link.peer, known)
    const { self } = life
    if (!wasIn || self === undefined) return // entering introduces this node to all greeted links
    // After a partition even a stranger may be right about the end of this life. But a stranger
    // does not count among the members that agree on this end.
    if (ended && known >= self.incarnation) {
      life.rejoin(known, view.wasMember(link.peer) ? [link.peer] : [])
    }
    if (incarnation === 0) return // a newcomer begins the reconciliation when it has entered
    if (known < life.incarnation) context.outcomes.push({ type: 'introduce', peer: link.peer })
    else if (!context.isWhole || id < link.peer || view.known(link.peer) < incarnation) reconciler.begin(link.peer)
  }

  /** Handles a redirection to other members. */
  redirected(from: NodeId, members: readonly AgedFact[]): void {
    const { context, redirection, life } = this.#parts
    // Otherwise a peer could repeat the redirection, and make this node dial any number of hosts.
    if (context.isWhole || redirection.hasRedirected(from)) return
    // The redirection precedes the hello that lets this node in. The first reported join must be
    // this node's own, so the named members wait for it.
    redirection.accept(from, members)
    if (life.self !== undefined) this.#ask()
  }

  /** Sends this node's own statement to a peer that lacks it, and reconciles. */
  introduce(peer: NodeId): void {
    const { context, redirection, life, reconciler } = this.#parts
    if (redirection.hasRedirected(peer)) return
    const fact = context.view.fact(context.id)
    // One introducer publishes this life. The other peers get it by reconciliation.
    if (fact !== undefined && this.#introducedAs !== life.incarnation) context.sendFacts(peer, [fact], true)
    this.#introducedAs = life.incarnation
    reconciler.begin(peer)
  }

  /**
   * Begins the first life of this process. `learned`: this node's highest incarnation that others
   * know.
   */
  enter(learned: number): void {
    const { context, life, reconciler, elections } = this.#parts
    life.enter(learned)
    this.#ask()
    for (const link of context.links.values()) if (link.greeted) this.introduce(link.peer)
    reconciler.quicken('other')
    elections.renew()
  }

  /** Announces a new life in place of a life that others ended. */
  rejoined(fact: Fact): void {
    const { life, elections, broadcaster } = this.#parts
    elections.renew()
    this.#introducedAs = life.incarnation
    broadcaster.announce(fact)
  }

  /** Notifies the application, once, that this node has entered. */
  notify(alone: boolean): void {
    if (this.#toldEntered) return
    this.#toldEntered = true
    this.#parts.context.notify({ type: 'entered', alone })
  }

  /**
   * Warns once if the calendars differ by minutes. In that case one end considers short-lived facts
   * of the other expired, or too far ahead. Both ends warn, since either calendar may be wrong.
   * Call this for members only: a stranger could use up the one warning.
   */
  compareCalendars(peer: NodeId): void {
    const { context } = this.#parts
    const ahead = context.links.get(peer)?.ahead ?? 0
    if (this.#warnedOfCalendars || Math.abs(ahead) < skew) return
    this.#warnedOfCalendars = true
    const minutes = `${Math.round(Math.abs(ahead) / 60_000)} minutes ${ahead > 0 ? 'ahead of' : 'behind'}`
    context.warn(
      'CALENDARS_DIFFER',
      `the calendar of ${peer} is ${minutes} this node's: events, queries and records of one may not reach the other`,
    )
  }

  /**
   * Warns once of an incarnation that is too high to be true. A peer made it up, or this node lost
   * its stored incarnation. Peers that believe it consider this node's life long ended.
   */
  #warnOutOfReach(peer: NodeId, known: number): void {
    if (this.#warnedOutOfReach) return
    this.#warnedOutOfReach = true
    const { context, life } = this.#parts
    const what = `${peer} takes incarnation ${known} of this node for over, and it is at ${life.incarnation}: members that believe so don't see it`
    context.warn('INCARNATION_OUT_OF_REACH', `${what}. A new identity is seen at once`)
  }

  /** Asks members that a redirector named to let this node in. */
  #ask(): void {
    const { context, redirection } = this.#parts
    for (const [from, members] of redirection.takeNamed()) context.outcomes.push({ type: 'redirected', from, members })
  }
}
