/** Turns the reports of a scenario's node processes into notifications of the protocol. */
import type { Milliseconds, Notification } from '@jel/protocol'
import type { EndedLives } from '@jel/simulator'
import type { Report } from '../swarm/process-swarm.ts'
import { memberOf, type RealNode } from './real-node.ts'

export type Listener = (node: RealNode, notification: Notification, time: Milliseconds) => void

export class RealReports {
  readonly #byId = new Map<string, RealNode>()
  readonly #listeners: Listener[] = []
  readonly #endedLives: EndedLives

  constructor(endedLives: EndedLives) {
    this.#endedLives = endedLives
  }

  add(node: RealNode): void {
    this.#byId.set(node.id, node)
  }

  subscribe(listener: Listener): void {
    this.#listeners.push(listener)
  }

  /** Handles a node's report about another node or about itself. */
  take({ by, event, about, incarnation, election, epoch = 0 }: Report, now: Milliseconds): void {
    const observer = this.#byId.get(by.id)
    if (observer === undefined) return
    const member = memberOf(about, incarnation)
    const subject = this.#byId.get(about)
    if (event === 'joined') {
      if (subject === observer) observer.entered(incarnation)
      // The join of a later incarnation also reports the end of the previous incarnation.
      else if (incarnation > 1) this.#endedLives.told(observer, subject, memberOf(about, incarnation - 1), now)
    }
    if (event === 'died') this.#endedLives.told(observer, subject, member, now)
    if (event === 'joined' || event === 'left' || event === 'died') this.#tell(observer, { type: event, member }, now)
    else if (event === 'elected' && election !== undefined)
      this.#tell(observer, { type: 'elected', reign: { election, epoch, winner: member } }, now)
  }

  #tell(observer: RealNode, notification: Notification, now: Milliseconds): void {
    for (const listener of this.#listeners) listener(observer, notification, now)
  }
}
