import type { Link, Pool } from '@jel/jel'
import { inBackground } from '../base/timers.ts'
import { askFigures, type MemberFigures } from '../agent/member-figures.ts'

/**
 * The interval of questions, ms. Guess: five questions a second cost the asking node 1 % of a
 * processor if links are up, and 5 % if it has to dial.
 */
const TURN = 200
/** The time for which a member's answer is fresh, ms. Guess. */
const FRESH = 10_000
/** The limit of simultaneous questions. Guess: an unanswered question takes 5 s. */
const AT_ONCE = 4

/**
 * The links that a member reported: the id of the other end, and the round trip in ms, if it was
 * measured.
 */
export type LinksJson = readonly (readonly [id: string, roundTrip?: number])[]

/** The answer of a member. */
export interface MemberReport {
  readonly links: LinksJson
  /** Missing if the member runs an earlier release, or is no node of the command line. */
  readonly figures?: MemberFigures
}

/**
 * Collects the links and figures of the whole pool. A node knows only its own. While there are
 * streams, the survey asks one member after the other. The next member is the one that was asked
 * longest ago.
 */
export class Survey {
  readonly #pool: Pool
  readonly #report: (id: string, report: MemberReport) => void
  readonly #asked = new Map<string, number>()
  readonly #reports = new Map<string, MemberReport>()
  #timer: ReturnType<typeof setInterval> | undefined
  #underWay = 0

  readonly #own: () => Promise<MemberFigures>

  /** `own` returns the figures of this node. */
  constructor(pool: Pool, own: () => Promise<MemberFigures>, report: (id: string, report: MemberReport) => void) {
    this.#pool = pool
    this.#own = own
    this.#report = report
  }

  /** The reports so far, each with the id of its member. */
  get reports(): readonly (readonly [id: string, report: MemberReport])[] {
    return [...this.#reports]
  }

  start(): void {
    this.#timer ??= inBackground(setInterval(() => this.#turn(), TURN))
  }

  /** Stops, and drops the reports: they would become out of date. */
  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#asked.clear()
    this.#reports.clear()
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
      const figures = await (id === this.#pool.self.id ? this.#own() : askFigures(this.#pool, id)).catch(() => undefined)
      if (this.#timer === undefined) return
      const report = { links, ...(figures && { figures }) }
      this.#reports.set(id, report)
      this.#report(id, report)
    } catch {
      // The member is gone, unreachable, or of another version. The other ends report its links.
    } finally {
      this.#underWay -= 1
    }
  }

  #forget(members: ReadonlySet<string>): void {
    for (const known of [this.#asked, this.#reports]) for (const id of known.keys()) if (!members.has(id)) known.delete(id)
  }
}

function toJson({ id, roundTrip }: Link): readonly [string, number?] {
  return roundTrip === undefined ? [id] : [id, roundTrip]
}
