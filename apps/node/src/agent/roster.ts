import type { ListedJson, MemberState, NodeEvent, NodeJson } from './events.ts'

/** So many of those that are gone are remembered. Guess: a page of names. */
const GONE_LIMIT = 1024

/** Which members are asked for. */
export interface MemberFilter {
  /** Levels that theirs end with: `delft@nl` finds `node7@rack2@delft@nl`. */
  readonly location?: string | undefined
  /** A regular expression that their tag, as text, matches. */
  readonly tag?: string | undefined
  /** Default: `here`. */
  readonly state?: MemberState | 'all' | undefined
}

/** Who is here, who was, and since when, as this node was told. */
export class Roster {
  readonly #here = new Map<string, ListedJson>()
  /** By life, the last that went at the end. */
  readonly #gone = new Map<string, ListedJson>()

  take(event: NodeEvent, now: number): void {
    switch (event.event) {
      case 'joined':
        this.#here.set(event.node.id, { ...event.node, state: 'here', since: now })
        return
      case 'updated': {
        const before = this.#here.get(event.node.id)
        this.#here.set(event.node.id, { ...event.node, state: 'here', since: before?.since ?? now })
        return
      }
      case 'left':
      case 'died': {
        this.#here.delete(event.node.id)
        this.#gone.set(`${event.node.id} ${event.node.incarnation}`, { ...event.node, state: event.event, since: now })
        const [oldest] = this.#gone.keys()
        if (this.#gone.size > GONE_LIMIT && oldest !== undefined) this.#gone.delete(oldest)
        return
      }
      default:
    }
  }

  /** By id; those that are gone after the others, the last first. RangeError for a `tag` that is no regular expression. */
  list({ location, tag, state = 'here' }: MemberFilter = {}): ListedJson[] {
    const pattern = tag === undefined ? undefined : expression(tag)
    const here = [...this.#here.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
    const all = [...here, ...[...this.#gone.values()].reverse()]
    return all.filter(
      (member) =>
        (state === 'all' || member.state === state) &&
        (location === undefined || isAt(member, location)) &&
        (pattern === undefined || pattern.test(Buffer.from(member.tag, 'base64').toString())),
    )
  }
}

function isAt({ location }: NodeJson, levels: string): boolean {
  return `@${location}`.endsWith(`@${levels}`)
}

function expression(text: string): RegExp {
  try {
    return new RegExp(text, 'u')
  } catch (error) {
    throw new RangeError(`tag: ${error instanceof Error ? error.message : String(error)}`)
  }
}
