import type { Member } from '@jel/jel'
import { nodeJson, type ListedJson, type MemberState, type NodeEvent } from './events.ts'

/** The number of gone members that are remembered. Guess: a page of names. */
const GONE_LIMIT = 1024

/** A filter of members. */
export interface MemberFilter {
  /** The last levels of a location: `delft@nl` finds `node7@rack2@delft@nl`. */
  readonly location?: string | undefined
  /** A regular expression for the tag as text. */
  readonly tag?: string | undefined
  /** Default: `here`. */
  readonly state?: MemberState | 'all' | undefined
}

/** The members that are here, those that have gone, and since when, as far as this node knows. */
export class Roster {
  readonly #members: () => readonly Member[]
  /** The time at which each member came, Unix ms, by id. */
  readonly #since = new Map<string, number>()
  /** Members that have gone, by life, in the order in which they went. */
  readonly #gone = new Map<string, ListedJson>()

  /** `members` returns those that are here. */
  constructor(members: () => readonly Member[]) {
    this.#members = members
  }

  take(event: NodeEvent, now: number): void {
    switch (event.event) {
      case 'joined':
        this.#since.set(event.node.id, now)
        return
      case 'left':
      case 'died': {
        this.#since.delete(event.node.id)
        this.#gone.set(`${event.node.id} ${event.node.incarnation}`, { ...event.node, state: event.event, since: now })
        const [oldest] = this.#gone.keys()
        if (this.#gone.size > GONE_LIMIT && oldest !== undefined) this.#gone.delete(oldest)
        return
      }
      default:
    }
  }

  /**
   * Lists members by id. Those that have gone come after the others, the last first. Throws
   * RangeError for a `tag` that is not a regular expression.
   */
  list({ location, tag, state = 'here' }: MemberFilter = {}): ListedJson[] {
    const pattern = tag === undefined ? undefined : expression(tag)
    const isMeant = (member: { readonly location: string }, text: () => string): boolean =>
      (location === undefined || isAt(member, location)) && (pattern === undefined || pattern.test(text()))
    const here = (state === 'here' || state === 'all' ? this.#members() : [])
      .filter((member) => isMeant(member, () => Buffer.from(member.tag).toString()))
      .map((member): ListedJson => ({ ...nodeJson(member), state: 'here', since: this.#since.get(member.id) ?? Date.now() }))
    const gone = [...this.#gone.values()]
      .reverse()
      .filter((each) => (state === 'all' || each.state === state) && isMeant(each, () => Buffer.from(each.tag, 'base64').toString()))
    return [...here, ...gone]
  }
}

function isAt({ location }: { readonly location: string }, levels: string): boolean {
  return `@${location}`.endsWith(`@${levels}`)
}

function expression(text: string): RegExp {
  try {
    return new RegExp(text, 'u')
  } catch (error) {
    throw new RangeError(`tag: ${error instanceof Error ? error.message : String(error)}`)
  }
}
