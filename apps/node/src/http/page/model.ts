import type { ListedJson, NodeEvent, NodeJson } from '../../agent/events.ts'
import type { PageEvent } from '../feed.ts'
import type { Sample } from '../history.ts'
import type { LinksJson } from '../survey.ts'
import { describe, healthWords } from './words.ts'

/** An event in the form of the stream. */
export type Told = PageEvent & { readonly time: number; readonly pool: string }

/** A present or former member. */
export interface Row {
  readonly id: string
  readonly incarnation: number
  readonly location: string
  /** The coarsest level of the location. */
  readonly site: string
  readonly tag: string
  readonly address: string
  readonly state: 'here' | 'left' | 'died'
  /** The time at which this node learned the state, Unix ms. */
  readonly since: number
}

/** A role, and the member that has it. */
export interface Role {
  readonly election: string
  readonly epoch: number
  readonly id: string
  readonly location: string
  readonly since: number
}

export interface Edge {
  readonly from: string
  readonly to: string
  /** ms */
  readonly roundTrip: number | undefined
}

export interface LogLine {
  readonly time: number
  readonly kind: NodeEvent['event']
  readonly text: string
}

export type SortKey = 'id' | 'location' | 'age' | 'roundTrip'

/** The time for which members that are gone stay listed, ms. Guess: long enough to be looked at. */
const GONE_FOR = 120_000
/** The lines of the log that are kept. Guess: more than anybody reads. */
const LOG_LIMIT = 300
const SAMPLES_LIMIT = 500

type Health = Extract<NodeEvent, { event: 'health' }>
type Figures = Extract<PageEvent, { event: 'figures' }>

/**
 * All data of the page: events go in, and the page reads it. It has no access to a document or a
 * clock.
 */
export class Model {
  pool = ''
  version = ''
  started = 0
  self: NodeJson | undefined
  health: Omit<Health, 'event'> | undefined
  figures: Figures | undefined
  /** A change of these numbers requires a redraw. */
  membersVersion = 0
  linksVersion = 0
  /** Whether the node has left. */
  stopped = false
  readonly rows = new Map<string, Row>()
  readonly roles = new Map<string, Role>()
  readonly log: LogLine[] = []
  readonly sizes: Sample[] = []
  readonly detections: Sample[] = []
  readonly #links = new Map<string, LinksJson>()
  #edges: { readonly version: string; readonly edges: readonly Edge[] } = { version: '', edges: [] }
  #here = 0

  take(event: Told): void {
    switch (event.event) {
      case 'snapshot':
        this.#begin(event)
        return
      case 'figures':
        this.figures = event
        return
      case 'neighbours':
        this.#links.set(event.of, event.links)
        this.linksVersion += 1
        return
      case 'detection':
        keep(this.detections, [event.time, event.seconds], SAMPLES_LIMIT)
        return
      case 'health': {
        const isNews = this.health === undefined || healthWords(this.health) !== healthWords(event)
        this.health = event
        if (!isNews) return
        break
      }
      case 'joined':
      case 'updated':
        this.#put(event.node, event.event === 'updated' ? (this.rows.get(event.node.id)?.since ?? event.time) : event.time)
        break
      case 'left':
      case 'died':
        this.#remove(event.node, event.event, event.time)
        break
      case 'elected':
        this.#elected(event, event.time)
        break
      case 'stopped':
        this.stopped = true
        break
      default:
    }
    this.#write(event)
    if (event.event === 'joined' || event.event === 'left' || event.event === 'died') this.#measure(event.time)
  }

  /** The number of members that are here. */
  get size(): number {
    return this.#here
  }

  /** Drops members that have been gone for long. `now`: on the clock of the node, Unix ms. */
  sweep(now: number): void {
    for (const [id, { state, since }] of this.rows) {
      if (state === 'here' || now - since < GONE_FOR) continue
      this.rows.delete(id)
      this.membersVersion += 1
    }
  }

  /** The elections that this member won. */
  rolesOf(id: string): string[] {
    return [...this.roles.values()].filter((role) => role.id === id).map(({ election }) => election)
  }

  /**
   * Returns the round trip of this node's probe of a member, or of the member's probe of this node,
   * ms.
   */
  roundTrip(id: string): number | undefined {
    const self = this.self?.id ?? ''
    const one = this.#links.get(self)?.find(([to]) => to === id)?.[1]
    return one ?? this.#links.get(id)?.find(([to]) => to === self)?.[1]
  }

  /**
   * Returns the rows whose fields contain all words of `search`, sorted. Members that are gone come
   * last in a sort by age.
   */
  list(search: string, key: SortKey, isDescending: boolean): Row[] {
    const words = search.toLowerCase().split(/\s+/u).filter(Boolean)
    const matching = [...this.rows.values()].filter((row) => {
      if (words.length === 0) return true
      const { id, location, tag, address, state } = row
      const text = [id, location, tag, address, state, ...this.rolesOf(id)].join(' ').toLowerCase()
      return words.every((word) => text.includes(word))
    })
    const trips = key === 'roundTrip' ? new Map(matching.map(({ id }) => [id, this.roundTrip(id) ?? Infinity])) : undefined
    const compare = (one: Row, other: Row): number => {
      if (key === 'age') return other.since - one.since
      if (trips !== undefined) return (trips.get(one.id) ?? 0) - (trips.get(other.id) ?? 0) || byText(one.id, other.id)
      return byText(one[key as 'id' | 'location'], other[key as 'id' | 'location']) || byText(one.id, other.id)
    }
    matching.sort(isDescending ? (one, other) => compare(other, one) : compare)
    return matching
  }

  /** Returns each link between present members once, whether one end or both reported it. */
  get edges(): readonly Edge[] {
    const version = `${this.membersVersion} ${this.linksVersion}`
    if (this.#edges.version === version) return this.#edges.edges
    const found = new Map<string, Edge>()
    for (const [from, links] of this.#links) {
      if (this.rows.get(from)?.state !== 'here') continue
      for (const [to, roundTrip] of links) {
        if (this.rows.get(to)?.state !== 'here') continue
        const key = from < to ? `${from} ${to}` : `${to} ${from}`
        found.set(key, { from, to, roundTrip: roundTrip ?? found.get(key)?.roundTrip })
      }
    }
    const edges = [...found.values()]
    this.#edges = { version, edges }
    return edges
  }

  #begin(snapshot: Extract<Told, { event: 'snapshot' }>): void {
    const { pool, version, started, node, members, reigns, health, links, sizes, detections, events } = snapshot
    Object.assign(this, { pool, version, started, self: node, health, stopped: false })
    for (const known of [this.rows, this.roles, this.#links]) known.clear()
    for (const list of [this.log, this.sizes, this.detections]) list.length = 0
    // The page shows the last life of an id. Present members come first in the list.
    for (const member of members) if (!this.rows.has(member.id)) this.rows.set(member.id, rowOf(member, member.state, member.since))
    for (const [id, told] of links) this.#links.set(id, told)
    for (const reign of reigns) this.#elected(reign, snapshot.time)
    for (const event of events) this.#write(event)
    this.sizes.push(...sizes)
    this.detections.push(...detections)
    this.#here = members.filter(({ state }) => state === 'here').length
    this.membersVersion += 1
    this.linksVersion += 1
  }

  #put(node: NodeJson, since: number): void {
    if (node.id === this.self?.id) this.self = node
    if (this.rows.get(node.id)?.state !== 'here') this.#here += 1
    this.rows.set(node.id, rowOf(node, 'here', since))
    this.membersVersion += 1
  }

  #remove(node: NodeJson, state: 'left' | 'died', since: number): void {
    // A later life of the same id may already be here.
    if ((this.rows.get(node.id)?.incarnation ?? 0) > node.incarnation) return
    if (this.rows.get(node.id)?.state === 'here') this.#here -= 1
    this.rows.set(node.id, rowOf(node, state, since))
    this.#links.delete(node.id)
    for (const [election, role] of this.roles) if (role.id === node.id) this.roles.delete(election)
    this.membersVersion += 1
  }

  #elected({ election, epoch, node }: { election: string; epoch: number; node: NodeJson }, since: number): void {
    this.roles.set(election, { election, epoch, id: node.id, location: node.location, since })
    this.membersVersion += 1
  }

  #write(event: NodeEvent & { readonly time: number }): void {
    keep(this.log, { time: event.time, kind: event.event, text: describe(event) }, LOG_LIMIT)
  }

  #measure(time: number): void {
    const last = this.sizes.at(-1)
    if (last !== undefined && time - last[0] < 1_000) this.sizes[this.sizes.length - 1] = [last[0], this.#here]
    else keep(this.sizes, [time, this.#here], SAMPLES_LIMIT)
  }
}

function rowOf({ id, incarnation, location, tag, addresses }: NodeJson | ListedJson, state: Row['state'], since: number): Row {
  return {
    id,
    incarnation,
    location,
    site: location.slice(location.lastIndexOf('@') + 1),
    tag: textOfTag(tag),
    address: hostPort(addresses[0] ?? ''),
    state,
    since,
  }
}

/**
 * Converts `/ip4/192.0.2.1/tcp/4001/p2p/12D3…` to `192.0.2.1:4001`, and leaves another multiaddr as
 * it is.
 */
function hostPort(address: string): string {
  const [, kind, host, port] = /^\/(ip4|ip6|dns4|dns6|dns)\/([^/]+)\/tcp\/(\d+)/u.exec(address) ?? []
  if (kind === undefined) return address
  return `${kind === 'ip6' ? `[${host}]` : host}:${port}`
}

/** Bytes that are not text mean nothing to a person, so only their number is shown. */
function textOfTag(tag: string): string {
  const bytes = Uint8Array.from(atob(tag), (character) => character.charCodeAt(0))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return `${bytes.length} bytes`
  }
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function keep<Type>(list: Type[], one: Type, limit: number): void {
  list.push(one)
  if (list.length > limit) list.shift()
}
