/**
 * Disputed deaths: enough accusers certified them, but this node is in contact with the members, or
 * knows that they lived on.
 *
 * After a partition the other side has pronounced living members dead. This node sends such a death
 * to its member first. The member answers with a new life. Only then do both changes, `died` and
 * `joined`, reach the application. A death that any node reported to its application is final: only
 * the next life reconciles both sides.
 */
import { earliest } from '../../base/earliest.ts'
import type { Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import type { Timed } from '../../context/timers.ts'
import type { Certificate } from '../../facts/certificate.ts'
import { factOf } from '../../facts/fact.ts'
import type { Confirmation } from './confirmation.ts'

/** Wait for the new life, ms. Guess. */
const holdTime = 5_000

export class DisputedDeaths implements Timed {
  readonly #context: Context
  readonly #confirmation: Confirmation
  readonly #held = new Map<NodeId, { readonly certificate: Certificate; readonly isOutlived: boolean; until: Milliseconds }>()

  constructor(context: Context, confirmation: Confirmation) {
    this.#context = context
    this.#confirmation = confirmation
  }

  /**
   * Holds a verified death back and sends it to its member. `isOutlived`: this node knows that the
   * member lived on. This node does not believe the death later either.
   */
  hold(certificate: Certificate, isOutlived: boolean): void {
    const { suspect } = certificate
    const held = this.#held.get(suspect)
    if (held !== undefined && (isOutlived || !held.isOutlived)) return
    this.#held.set(suspect, { certificate, isOutlived, until: this.#context.now + holdTime })
    this.#arm()
    if (this.#context.links.has(suspect)) this.#send(certificate)
    // No dial for an outlived death: after a partition every node knows such deaths of half of the
    // pool, and nodes with links send them.
    else if (!isOutlived) this.#context.connect(suspect)
  }

  /**
   * Returns the held death of this member. This node believes the death once it fails to reach the
   * member, too.
   */
  get(id: NodeId): Certificate | undefined {
    const held = this.#held.get(id)
    return held?.isOutlived === true ? undefined : held?.certificate
  }

  linkUp(peer: NodeId): void {
    const held = this.#held.get(peer)
    if (held !== undefined) this.#send(held.certificate)
  }

  /** A life ended or a new one began. */
  forget(id: NodeId): void {
    if (this.#held.delete(id)) this.#arm()
  }

  /** This process stalled for `lateness`: the members' next lives may wait in its sockets. */
  stalled(lateness: Milliseconds): void {
    for (const held of this.#held.values()) held.until += lateness
    this.#arm()
  }

  due(): void {
    const { now } = this.#context
    for (const [id, { certificate, isOutlived, until }] of this.#held) {
      if (now < until) continue
      this.#held.delete(id)
      if (!isOutlived) this.#confirmation.believe(certificate)
    }
    this.#arm()
  }

  #arm(): void {
    this.#context.timers.set(
      'disputedDeath',
      earliest(this.#held.values(), ({ until }) => until),
    )
  }

  #send(certificate: Certificate): void {
    this.#context.send(certificate.suspect, { facts: { facts: [factOf({ certificate })], fresh: false } })
  }
}
