import type { ListedJson, MemberState, NodeEvent, NodeJson, ReignJson } from '../agent/events.ts'
import { oneLine } from '../base/text.ts'
import { addressWords, describe, isInternal, shortWords, tagWords } from './reporter.ts'

/**
 * The time for which a member that is gone stays in the table, in milliseconds. A guess: long
 * enough to be noticed.
 */
const GONE_FOR = 10_000
/** The number of events that are kept. A guess: more than any terminal has lines. */
const EVENTS_LIMIT = 256
/**
 * The number of elections whose winners are kept: members may make elections up. A guess: four
 * times as many as a node keeps at a time.
 */
const REIGNS_LIMIT = 1_024

/** A member in the table. Its texts are safe for a terminal. */
export interface Row {
  readonly node: NodeJson
  readonly state: MemberState
  /** The time at which this node learned the state, Unix ms. */
  readonly since: number
  readonly location: string
  readonly tag: string
  readonly address: string
  /** The round trip of this node's last probe, ms, where there was one. */
  readonly roundTrip: number | undefined
  /** The elections that it won. */
  readonly elected: readonly { readonly election: string; readonly epoch: number }[]
}

export interface Happening {
  readonly time: number
  readonly kind: NodeEvent['event'] | 'note'
  readonly text: string
}

export type Status = NodeEvent & { readonly event: 'status' }
type Health = Omit<NodeEvent & { readonly event: 'health' }, 'event' | 're'>

/**
 * A person's view of the pool: present members, recently gone ones, roles and latest events. It has
 * no access to a terminal.
 */
export class PoolView {
  readonly pool: string
  readonly happenings: Happening[] = []
  /** The counts since the view began. */
  left = 0
  died = 0
  self: NodeJson | undefined
  /** The time at which this node entered the pool, Unix ms. */
  since: number | undefined
  health: Health | undefined
  status: Status | undefined
  /** Whether the node has left. */
  stopped = false
  readonly #members = new Map<string, Omit<Row, 'elected' | 'roundTrip'>>()
  #roundTrips: ReadonlyMap<string, number | undefined> = new Map()
  readonly #reigns = new Map<string, ReignJson>()

  constructor(pool: string) {
    this.pool = pool
  }

  take(event: NodeEvent, now: number): void {
    switch (event.event) {
      case 'started':
        this.self = event.node
        this.since = now
        break
      case 'joined':
        this.#put(event.node, 'here', now)
        break
      case 'left':
      case 'died':
        this[event.event] += 1
        this.#put(event.node, event.event, now)
        break
      case 'updated':
        this.#put(event.node, 'here', this.#members.get(event.node.id)?.since ?? now)
        break
      case 'elected':
        this.#crown(event)
        break
      case 'health':
        this.health = event
        break
      case 'stopped':
        this.stopped = true
        break
      // Answers to commands are not events.
      case 'members':
        for (const listed of event.nodes) this.#correct(listed, now)
        return
      case 'status':
        this.status = event
        this.self = event.node
        this.since = event.started
        this.health = event.health
        return
      case 'links':
        this.#roundTrips = new Map(event.links.map(({ id, roundTrip }) => [id, roundTrip]))
        return
      case 'records':
      case 'opened':
      case 'done':
        return
      default:
    }
    if (!isInternal(event)) this.#happened(event.event, describe(event, shortWords), now)
  }

  note(text: string, now: number): void {
    this.#happened('note', oneLine(text), now)
  }

  /** The number of members that are here. */
  get here(): number {
    return [...this.#members.values()].filter(({ state }) => state === 'here').length
  }

  /** Returns the present members, and those recently gone. */
  rows(now: number): Row[] {
    const won = Map.groupBy(this.reigns(), ({ node }) => `${node.id} ${node.incarnation}`)
    const rows: Row[] = []
    for (const [id, member] of this.#members) {
      if (member.state !== 'here' && now - member.since > GONE_FOR) this.#members.delete(id)
      else {
        const reigns = won.get(`${id} ${member.node.incarnation}`) ?? []
        const roundTrip = member.state === 'here' ? this.#roundTrips.get(id) : undefined
        rows.push({ ...member, roundTrip, elected: reigns.map(({ election, epoch }) => ({ election: oneLine(election), epoch })) })
      }
    }
    return rows
  }

  /** Returns the latest winner of each election, the most recent last. */
  reigns(): ReignJson[] {
    return [...this.#reigns.values()]
  }

  #put(node: NodeJson, state: MemberState, since: number): void {
    if (node.id === this.self?.id) this.self = node
    const { id, location, tag, addresses } = node
    this.#members.set(id, {
      node,
      state,
      since,
      location: oneLine(location),
      tag: tagWords(tag),
      address: addressWords(addresses[0] ?? ''),
    })
  }

  /** Corrects times: a list has the time of a state, an event has only the state. */
  #correct({ state, since, ...node }: ListedJson, now: number): void {
    const known = this.#members.get(node.id)
    const isSame = known?.node.incarnation === node.incarnation && known.state === state
    if (isSame || (known === undefined && now - since <= GONE_FOR)) this.#put(node, state, since)
  }

  #crown({ election, epoch, node }: ReignJson): void {
    this.#reigns.delete(election)
    this.#reigns.set(election, { election, epoch, node })
    const [oldest] = this.#reigns.keys()
    if (this.#reigns.size > REIGNS_LIMIT && oldest !== undefined) this.#reigns.delete(oldest)
  }

  #happened(kind: Happening['kind'], text: string, time: number): void {
    this.happenings.push({ time, kind, text })
    if (this.happenings.length > EVENTS_LIMIT) this.happenings.shift()
  }
}
