import type { MemberFigures } from '../../agent/member-figures.ts'
import type { NodeEvent, NodeJson, ReignJson } from '../../events/events.ts'
import { ledgerText } from '../../model/ledger-text.ts'
import { History } from '../../model/history.ts'
import { naturalOrder } from '../../model/order.ts'
import { keyOf, PoolModel, type Life } from '../../model/pool.ts'
import { TaskStream } from '../../model/task-stream.ts'
import type { PageEvent } from '../feed.ts'
import type { LinksJson, MemberReport } from '../survey.ts'
import { bundle, type Edge, type Lines } from './bundles.ts'
import { healthText, plainText } from './text.ts'

/** An event as the stream has it, with its time and pool. */
export type Told = PageEvent & { readonly time: number; readonly pool: string }

interface Texts {
  readonly id: string
  readonly location: string
  /** The coarsest level of the location. */
  readonly site: string
  readonly tag: string
  readonly address: string
}

/** A present or former member. */
export type Row = Life<Texts>

export type SortKey = 'id' | 'location' | 'age' | 'roundTrip'

/**
 * The time for which members that are gone stay listed, ms. Guess: long enough for a person to see
 * them.
 */
const GONE_FOR = 120_000
/** The events that change the members or their roles. */
const CHANGES: ReadonlySet<NodeEvent['event']> = new Set(['joined', 'updated', 'left', 'died', 'elected'])

type Figures = Extract<PageEvent, { event: 'figures' }>

/**
 * All data of the page. Events change it, and the page reads it. It has no access to a document or
 * a clock.
 */
export class Model extends PoolModel<Texts> {
  pool = ''
  version = ''
  figures: Figures | undefined
  /** A change of these numbers requires a redraw. */
  membersVersion = 0
  linksVersion = 0
  readonly history = new History()
  /** The work of the last minute. A new connection to the node does not clear it. */
  readonly stream = new TaskStream()
  readonly #links = new Map<string, LinksJson>()
  readonly #figures = new Map<string, MemberFigures>()
  #edges: { readonly version: string; readonly edges: readonly Edge[] } = { version: '', edges: [] }
  #lines: { readonly edges: readonly Edge[] | undefined; readonly lines: Lines } = { edges: undefined, lines: { singles: [], bundles: [] } }

  constructor() {
    super(textsOf)
  }

  override take(event: PageEvent & { readonly pool?: string }, now: number): boolean {
    switch (event.event) {
      case 'snapshot':
        this.#begin(event, now)
        return true
      case 'figures':
        this.figures = event
        return true
      case 'jobs':
        this.stream.take(event, now, (id) => this.members.has(id))
        return super.take(event, now)
      case 'leases':
      case 'services':
        // The list of events does not show these events.
        return super.take(event, now)
      case 'neighbours':
        this.#reported(event.of, event)
        this.linksVersion += 1
        return true
      case 'detection':
        this.history.detected(event.seconds, now)
        return true
      default:
        return this.#happened(event, now)
    }
  }

  /** Forgets members that went some time ago. `now`: on the clock of the node, Unix ms. */
  sweep(now: number): void {
    if (this.forget(now - GONE_FOR)) this.membersVersion += 1
  }

  /** The latest reigns of members that are here. */
  get roles(): ReignJson[] {
    return [...this.reigns.values()].filter(({ node }) => {
      const winner = this.members.get(node.id)
      return winner?.state === 'here' && keyOf(winner.node) === keyOf(node)
    })
  }

  /** The elections that this member won. */
  rolesOf(id: string): string[] {
    return this.roles.filter(({ node }) => node.id === id).map(({ election }) => election)
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
   * last. The age is the time since the last change of the state.
   */
  list(search: string, key: SortKey, isDescending: boolean): Row[] {
    const words = search.toLowerCase().split(/\s+/u).filter(Boolean)
    const matching = [...this.members.values()].filter((row) => {
      if (words.length === 0) return true
      const { id, location, tag, address, state } = row
      const text = [id, location, tag, address, state, ...this.rolesOf(id)].join(' ').toLowerCase()
      return words.every((word) => text.includes(word))
    })
    const trips = key === 'roundTrip' ? new Map(matching.map(({ id }) => [id, this.roundTrip(id) ?? Infinity])) : undefined
    const compare = (one: Row, other: Row): number => {
      if (key === 'age') return other.since - one.since
      if (trips !== undefined) return (trips.get(one.id) ?? 0) - (trips.get(other.id) ?? 0) || byText(one.id, other.id)
      return (key === 'location' ? naturalOrder(one.location, other.location) : 0) || byText(one.id, other.id)
    }
    const goneLast = (one: Row, other: Row): number => Number(one.state !== 'here') - Number(other.state !== 'here')
    return matching.sort((one, other) => goneLast(one, other) || (isDescending ? compare(other, one) : compare(one, other)))
  }

  /** Returns each link between present members once, whether one end or both reported it. */
  get edges(): readonly Edge[] {
    const version = `${this.membersVersion} ${this.linksVersion}`
    if (this.#edges.version === version) return this.#edges.edges
    const found = new Map<string, Edge>()
    for (const [from, links] of this.#links) {
      if (this.members.get(from)?.state !== 'here') continue
      for (const [to, roundTrip] of links) {
        if (this.members.get(to)?.state !== 'here') continue
        const key = from < to ? `${from} ${to}` : `${to} ${from}`
        found.set(key, { from, to, roundTrip: roundTrip ?? found.get(key)?.roundTrip })
      }
    }
    const edges = [...found.values()]
    this.#edges = { version, edges }
    return edges
  }

  /** The links as the picture draws them: those between two dense sites are one line. */
  get lines(): Lines {
    const { edges } = this
    if (this.#lines.edges === edges) return this.#lines.lines
    const here = [...this.members.values()].filter(({ state }) => state === 'here').map(({ id }) => id)
    const lines = bundle(edges, here, (id) => this.members.get(id)?.site ?? '')
    this.#lines = { edges, lines }
    return lines
  }

  /** The latest figures of a member, if it has sent any. */
  figuresOf(id: string): MemberFigures | undefined {
    return this.#figures.get(id)
  }

  #reported(id: string, { links, figures }: MemberReport): void {
    this.#links.set(id, links)
    if (figures !== undefined) this.#figures.set(id, figures)
  }

  #begin(snapshot: Extract<PageEvent, { event: 'snapshot' }> & { readonly pool?: string }, now: number): void {
    const { pool = '', version, started, node, members, reigns, health, ledger, reports } = snapshot
    Object.assign(this, { pool, version })
    this.clear()
    this.#links.clear()
    this.#figures.clear()
    super.take({ event: 'started', node }, started)
    super.take({ event: 'members', nodes: members }, now)
    super.take({ event: 'health', ...health }, now)
    if (ledger !== undefined) super.take({ event: 'ledger', ...ledger }, now)
    for (const reign of reigns) super.take({ event: 'elected', ...reign }, now)
    for (const [id, report] of reports) this.#reported(id, report)
    this.history.begin(snapshot)
    this.membersVersion += 1
    this.linksVersion += 1
  }

  #happened(event: NodeEvent, now: number): boolean {
    // The node reports its health and the last index of its ledger again and again. The list of
    // events shows only changes.
    const isOld =
      (event.event === 'health' && this.health !== undefined && healthText(this.health) === healthText(event)) ||
      (event.event === 'ledger' && this.ledger !== undefined && ledgerText({ ...this.ledger, index: event.index }) === ledgerText(event))
    const isNews = super.take(event, now)
    if (!isOld) this.history.take(event, now, this.here)
    if ((event.event === 'left' || event.event === 'died') && this.members.get(event.node.id)?.state !== 'here')
      for (const reported of [this.#links, this.#figures]) reported.delete(event.node.id)
    if (CHANGES.has(event.event)) this.membersVersion += 1
    return isNews
  }
}

function textsOf({ id, location, tag, addresses, reach }: NodeJson): Texts {
  const site = location.slice(location.lastIndexOf('@') + 1)
  return { id, location, site, tag: textOfTag(tag), address: reach === 'direct' ? hostPort(addresses[0] ?? '') : reach }
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

/** Returns a tag as text, or the number of its bytes if it is not text. */
function textOfTag(tag: string): string {
  const bytes = Uint8Array.from(atob(tag), (character) => character.charCodeAt(0))
  try {
    return plainText(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return `${bytes.length} bytes`
  }
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
