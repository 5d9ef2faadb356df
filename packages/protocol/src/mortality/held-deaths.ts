/**
 * Deaths that are not believed yet, because this node is in contact with the member, or because too few witnesses signed.
 *
 * After a partition the other side has pronounced dead who never was. Such a death is told to its member first, which answers with a new
 * life; only then do both changes, `died` and `joined`, reach the application. A death with too few witnesses is a hint: this node
 * looks itself, and its own failure to reach the member is the witness that was missing.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Context, Timed } from '../context/context.ts'
import type { Certificate } from '../facts/certificate.ts'
import { factOf } from '../facts/fact.ts'

interface Held {
  readonly certificate: Certificate
  readonly sufficient: boolean
  until: Milliseconds
}

export interface HeldDeathsEvents {
  /** Enough was waited or found out: this is a death. */
  onDeath(certificate: Certificate): void
  isDoubted(id: NodeId): boolean
}

export class HeldDeaths implements Timed {
  readonly #context: Context
  readonly #events: HeldDeathsEvents
  readonly #held = new Map<NodeId, Held>()

  constructor(context: Context, events: HeldDeathsEvents) {
    this.#context = context
    this.#events = events
  }

  get nextDue(): Milliseconds {
    let next = Infinity
    if (this.#held.size > 0) for (const { until } of this.#held.values()) next = Math.min(next, until)
    return next
  }

  /** Holds a verified death back and tells its member. */
  hold(certificate: Certificate, sufficient: boolean): void {
    const { now, config, links, view, effects } = this.#context
    const { suspect } = certificate
    const held = this.#held.get(suspect)
    if (held?.sufficient === true || held?.sufficient === sufficient) return
    this.#held.set(suspect, { certificate, sufficient, until: now + config.detection.hold })
    const member = view.get(suspect)
    if (links.has(suspect)) this.#tell(certificate)
    else if (member !== undefined) effects.push({ type: 'connect', peer: suspect, addresses: member.addresses })
  }

  /** The death that is held of this member, if any. */
  get(id: NodeId): Certificate | undefined {
    return this.#held.get(id)?.certificate
  }

  linkUp(peer: NodeId): void {
    const held = this.#held.get(peer)
    if (held !== undefined) this.#tell(held.certificate)
  }

  /** A life ended or a new one began. */
  forget(id: NodeId): void {
    this.#held.delete(id)
  }

  due(): void {
    const { now, config } = this.#context
    for (const [id, held] of this.#held) {
      if (now < held.until) continue
      if (!held.sufficient && this.#events.isDoubted(id)) {
        held.until = now + config.detection.recheck // the detector has not made up its mind yet
        continue
      }
      this.#held.delete(id)
      if (held.sufficient) this.#events.onDeath(held.certificate)
    }
  }

  #tell(certificate: Certificate): void {
    this.#context.send(certificate.suspect, {
      facts: { facts: [factOf({ certificate })], fresh: false },
    })
  }
}
