/** Passes beginnings and ends of lives on to the parts that hold state about members. */
import type { Member } from './base/values.ts'
import type { Change } from './facts/membership-view.ts'
import type { Parts } from './parts.ts'

export class Membership {
  readonly #parts: Parts
  #ringsChanged = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  changed(changes: readonly Change[]): void {
    const { detector, reporter, reconciler } = this.#parts
    for (const change of changes) {
      reporter.report(change)
      if (change.type === 'updated') continue
      if (change.type === 'died') detector.measure(change.member.id)
      detector.forget(change.member.id)
      if (change.type === 'joined') this.#began(change.member)
      else this.#ended(change.member, change.type)
    }
    if (changes.length === 0) return
    this.#ringsChanged = true
    reconciler.quicken('broadcast')
  }

  /** Links with new neighbours on the rings, and observes them. */
  updateRings(): void {
    if (!this.#ringsChanged) return
    this.#ringsChanged = false
    const { rings, linkMaintenance, detector } = this.#parts
    linkMaintenance.update(rings.neighbours)
    detector.observe(rings.neighbours)
  }

  #began(member: Member): void {
    const { context, rings, healer, broadcaster, elections, records } = this.#parts
    rings.add(member.id)
    const link = context.links.get(member.id)
    if (link !== undefined) {
      link.incarnation = member.incarnation
      link.goodbye = false
    }
    healer.found(member.id)
    broadcaster.changed('joined')
    elections.lifeBegan(member.id)
    records.events.lifeBegan(member)
  }

  #ended(member: Member, how: 'left' | 'died'): void {
    const { context, rings, healer, broadcaster, elections, signals, records } = this.#parts
    const { view, facts, links, effects, now } = context
    rings.remove(member.id)
    broadcaster.changed(how)
    if (how === 'left') healer.left(member)
    else healer.lost(member)
    elections.lifeEnded(member.id)
    signals.lifeEnded(member.id)
    records.events.lifeEnded(member)
    const link = links.get(member.id)
    const end = view.fact(member.id)
    if (link === undefined || end === undefined || view.get(member.id) !== undefined) return
    link.goodbye = true
    // A new process under the same identity may have opened this link. Then the link stays.
    if (how === 'left' || link.incarnation !== member.incarnation) return
    // If the member is only slow, it reads this when it wakes, and enters again.
    context.send(member.id, { facts: { facts: [facts.aged(end, now)], fresh: false } })
    effects.push({ type: 'disconnect', peer: member.id, reason: 'pronounced dead' })
  }
}
