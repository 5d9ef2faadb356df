import { addressText, eventText, memberText, outputLines, tagText } from '../events/event-text.ts'
import { isInternal } from '../events/internal.ts'
import type { NodeEvent, NodeJson } from '../events/events.ts'
import { oneLine } from '../base/text.ts'
import { keyOf, PoolModel, type Life } from '../model/pool.ts'

/**
 * The time for which a member that is gone stays in the table, in milliseconds. A guess: long
 * enough to be noticed.
 */
const GONE_FOR = 10_000
/** The number of events that are kept. A guess: no terminal has so many lines. */
const EVENTS_LIMIT = 256

/** The texts of a member. They are safe for a terminal. */
interface Texts {
  readonly location: string
  readonly tag: string
  readonly address: string
}

/** A member in the table. */
export type Row = Life<Texts> & {
  /** The round trip of this node's last probe of the member, ms, if there was a probe. */
  readonly roundTrip: number | undefined
  /** The elections that the member won. */
  readonly elected: readonly { readonly election: string; readonly epoch: number }[]
}

export interface Happening {
  readonly time: number
  readonly kind: NodeEvent['event'] | 'note'
  readonly text: string
}

export type Status = NodeEvent & { readonly event: 'status' }

/**
 * A person's view of the pool: the model, and the texts that a terminal shows. It has no access to
 * a terminal.
 */
export class PoolView extends PoolModel<Texts> {
  readonly pool: string
  readonly happenings: Happening[] = []
  status: Status | undefined
  #roundTrips: ReadonlyMap<string, number | undefined> = new Map()

  constructor(pool: string) {
    super(textsOf)
    this.pool = pool
  }

  override take(event: NodeEvent, now: number): boolean {
    const isNews = super.take(event, now)
    switch (event.event) {
      // Answers to commands are not events.
      case 'status':
        this.status = event
        break
      case 'links':
        this.#roundTrips = new Map(event.links.map(({ id, roundTrip }) => [id, roundTrip]))
        break
      case 'members':
      case 'confirmed':
      case 'placed':
      case 'jobs':
      case 'leases':
      case 'groups':
      case 'services':
      case 'notice':
      case 'records':
      case 'opened':
      case 'done':
        break
      default:
        if (event.event === 'output') for (const line of outputLines(event)) this.#happened('output', line, now)
        else if (!isInternal(event)) this.#happened(event.event, eventText(event, memberText), now)
    }
    return isNews
  }

  note(text: string, now: number): void {
    this.#happened('note', oneLine(text), now)
  }

  /** Returns the present members, and members that have recently gone. */
  rows(now: number): Row[] {
    this.forget(now - GONE_FOR)
    const won = Map.groupBy(this.reigns.values(), ({ node }) => keyOf(node))
    return [...this.members.values()].map((member) => {
      const reigns = won.get(keyOf(member.node)) ?? []
      const roundTrip = member.state === 'here' ? this.#roundTrips.get(member.node.id) : undefined
      return { ...member, roundTrip, elected: reigns.map(({ election, epoch }) => ({ election: oneLine(election), epoch })) }
    })
  }

  #happened(kind: Happening['kind'], text: string, time: number): void {
    this.happenings.push({ time, kind, text })
    if (this.happenings.length > EVENTS_LIMIT) this.happenings.shift()
  }
}

function textsOf({ location, tag, addresses, reach }: NodeJson): Texts {
  return { location: oneLine(location), tag: tagText(tag), address: reach === 'direct' ? addressText(addresses[0] ?? '') : reach }
}
