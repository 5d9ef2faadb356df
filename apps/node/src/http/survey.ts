import type { Link, Pool } from '@jel/jel'

/** A member is asked every so often, ms. Guess: five a second cost one that looks 1 % of a processor where a link is up, and 5 % where it has to dial. */
const TURN = 200
/** What a member said is good for so long, ms. Guess. */
const FRESH = 10_000
/** So many may be asked at once. Guess: one that does not answer takes 5 s. */
const AT_ONCE = 4

/** Links that somebody told: who is at the other end, and the round trip in ms where one was measured. */
export type LinksJson = readonly (readonly [id: string, roundTrip?: number])[]

/**
 * What links there are in the whole pool. A node knows its own only, so members are asked, one after the other, as long as somebody looks: those first that were
 * not asked for the longest time.
 */
export class Survey {
  readonly #pool: Pool
  readonly #tell: (id: string, links: LinksJson) => void
  readonly #asked = new Map<string, number>()
  readonly #told = new Map<string, LinksJson>()
  #timer: NodeJS.Timeout | undefined
  #underWay = 0

  constructor(pool: Pool, tell: (id: string, links: LinksJson) => void) {
    this.#pool = pool
    this.#tell = tell
  }

  /** What is known so far, by who told it. */
  get told(): readonly (readonly [id: string, links: LinksJson])[] {
    return [...this.#told]
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#turn(), TURN).unref()
  }

  /** Nobody looks: what is known grows old, so it is forgotten. */
  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#asked.clear()
    this.#told.clear()
  }

  #turn(): void {
    if (this.#underWay >= AT_ONCE) return
    const now = Date.now()
    const members = this.#pool.members()
    if (this.#asked.size > members.length) this.#forget(new Set(members.map(({ id }) => id)))
    let next: { readonly id: string; readonly at: number } | undefined
    for (const { id } of members) {
      const at = this.#asked.get(id) ?? 0
      if (now - at >= FRESH && (next === undefined || at < next.at)) next = { id, at }
    }
    if (next === undefined) return
    this.#asked.set(next.id, now)
    void this.#ask(next.id)
  }

  async #ask(id: string): Promise<void> {
    this.#underWay += 1
    try {
      const links = (await this.#pool.linksOf(id)).map(toJson)
      if (this.#timer === undefined) return
      this.#told.set(id, links)
      this.#tell(id, links)
    } catch {
      // It is gone, can't be reached, or is of another version: the other ends of its links tell of it.
    } finally {
      this.#underWay -= 1
    }
  }

  #forget(members: ReadonlySet<string>): void {
    for (const known of [this.#asked, this.#told]) for (const id of known.keys()) if (!members.has(id)) known.delete(id)
  }
}

function toJson({ id, roundTrip }: Link): readonly [string, number?] {
  return roundTrip === undefined ? [id] : [id, roundTrip]
}
