import { MOST_LISTED, type ListedStart } from '../core/listed-groups.ts'
import type { GroupContent, Outcome } from './messages.ts'
import type { GroupEffect } from './group-input.ts'
import { Growth } from './growth.ts'
import { ownerOf } from './place.ts'
import { Starting } from './starting.ts'
import type { Layout, Send, Wanted } from './wanted.ts'

/** A group that has started. */
interface Started {
  readonly program: string
  readonly title: string | undefined
  /**
   * All ranks that ever took part. A place may have another rank after the end of its first one.
   */
  readonly ranks: { readonly place: string; outcome: Outcome | undefined }[]
  /** Undefined: its ranks are fixed. */
  growth: Growth | undefined
}

/** The groups that this member starts, until all of their programs have ended. */
export class OwnGroups {
  readonly #isGone: (member: string) => boolean
  readonly #emit: (effect: GroupEffect) => void
  readonly #checkIf: (mustWait: boolean) => void
  readonly #starting = new Map<string, { readonly starting: Starting; readonly layout: Layout }>()
  readonly #started = new Map<string, Started>()

  /**
   * @param checkIf told whether some group waits for members: `check` must be called while one does
   */
  constructor(isGone: (member: string) => boolean, emit: (effect: GroupEffect) => void, checkIf: (mustWait: boolean) => void) {
    this.#isGone = isGone
    this.#emit = emit
    this.#checkIf = checkIf
  }

  /** Whether some group waits for members. */
  get #mustWait(): boolean {
    return this.#starting.size > 0 || [...this.#started.values()].some(({ growth }) => growth !== undefined)
  }

  /** The groups that this member starts or has started. */
  list(): ListedStart[] {
    const starting = [...this.#starting].map(
      ([
        group,
        {
          starting: { progress },
        },
      ]): ListedStart => ({ group, ...progress, ended: 0 }),
    )
    const started = [...this.#started].map(([group, { program, title, ranks }]): ListedStart => {
      const count = ranks.length
      const ended = ranks.filter(({ outcome }) => outcome !== undefined).length
      return { group, program, title, state: 'running', count, held: count, waits: 0, refused: 0, ended }
    })
    return [...starting, ...started].slice(0, MOST_LISTED)
  }

  /** Whether a group grows, and has fewer ranks than wanted. */
  lacks(group: string): boolean {
    return (this.#started.get(group)?.growth?.room ?? 0) > 0
  }

  want(wanted: Wanted, layout: Layout): void {
    const { group } = wanted
    this.#starting.set(group, { starting: new Starting(wanted, layout), layout })
    this.#checkIf(true)
    this.#forStart(group, (starting) => starting.begin())
  }

  /** Members that may join a group. */
  offer(group: string, members: readonly string[]): void {
    this.#forGrowth(group, (growth) => growth.offer(members.filter((each) => !this.#isGone(each))))
  }

  /** Called each second: starts and newcomers go on without members that do not answer. */
  check(): void {
    for (const group of this.#starting.keys()) this.#forStart(group, (starting) => starting.check())
    for (const group of this.#started.keys()) this.#forGrowth(group, (growth) => growth.check())
    this.#checkIf(this.#mustWait)
  }

  /** Takes a message of a candidate or a rank. */
  take(from: string, group: string, content: GroupContent): void {
    if ('holds' in content) {
      // A hold whose capacity was taken away waits again.
      const state = content.holds === 'held' ? 'held' : 'waits'
      this.#forStart(group, (starting) => starting.holds(from, state, content.places))
      this.#forGrowth(group, (growth) => growth.holds(from, state, content.places))
    } else if ('refused' in content) {
      this.#forStart(group, (starting) => starting.refused(from, content.refused))
      this.#forGrowth(group, (growth) => growth.refused(from, content.refused))
    } else if ('agreement' in content) this.#said(from, group, content)
    else if ('outcome' in content) this.#outcome(group, from, content.outcome)
    else if ('output' in content) {
      const rank = this.#rankAt(group, from)
      if (rank !== -1) this.#emit({ type: 'output', group, rank, ...content })
    }
  }

  gone(member: string, reason: string): void {
    for (const group of this.#starting.keys()) this.#forStart(group, (starting) => starting.gone(member))
    for (const group of this.#started.keys()) this.#memberLost(group, member, reason)
  }

  stop(group: string, code: 'TIMEOUT' | 'STOPPED', why: string): void {
    this.#forStart(group, (starting) => starting.stop(code, why))
    const started = this.#started.get(group)
    if (started === undefined || code === 'TIMEOUT') return
    this.#endGrowth(group, started)
    for (const { place, outcome } of started.ranks) if (outcome === undefined) this.#send(group, { to: place, content: { stop: why } })
  }

  #said(from: string, group: string, { agreement, said }: Extract<GroupContent, { agreement: unknown }>): void {
    const { about, number } = agreement
    if (about === 'start') {
      this.#forStart(group, (starting) => starting.said(from, number, said))
      this.#forGrowth(group, (growth) => growth.saidStart(from, number, said))
    } else if (about === 'shrink') this.#forGrowth(group, (growth) => growth.saidNext(from, number, said))
  }

  #forStart(group: string, act: (starting: Starting) => readonly Send[]): void {
    const { starting, layout } = this.#starting.get(group) ?? {}
    if (starting === undefined || layout === undefined) return
    for (const each of act(starting)) this.#send(group, each)
    const { result } = starting
    if (result === undefined) return
    this.#starting.delete(group)
    if ('ranks' in result) {
      const { wanted, attempt } = starting
      const growth = wanted.grows ? new Growth(wanted, layout, attempt, result.ranks) : undefined
      const { program, title } = wanted
      this.#started.set(group, { program, title, ranks: result.ranks.map((place) => ({ place, outcome: undefined })), growth })
    }
    this.#checkIf(this.#mustWait)
    this.#emit({ type: 'started', group, result })
    if (!('ranks' in result)) return
    for (const member of new Set(result.ranks.map(ownerOf))) if (this.#isGone(member)) this.#memberLost(group, member, 'died or left')
  }

  #forGrowth(group: string, act: (growth: Growth) => readonly Send[]): void {
    const { ranks, growth } = this.#started.get(group) ?? {}
    if (growth === undefined || ranks === undefined) return
    const before = growth.ranks
    for (const each of act(growth)) this.#send(group, each)
    const places = growth.ranks.filter((each) => !before.includes(each))
    if (places.length === 0) return
    ranks.push(...places.map((place) => ({ place, outcome: undefined })))
    this.#emit({ type: 'joined', group, places })
  }

  #memberLost(group: string, member: string, reason: string): void {
    this.#forGrowth(group, (growth) => growth.gone(member))
    for (const { place, outcome } of this.#started.get(group)?.ranks ?? [])
      if (ownerOf(place) === member && outcome === undefined) this.#outcome(group, place, { error: `RANK_LOST: it ${reason}` })
  }

  #outcome(group: string, place: string, outcome: Outcome): void {
    this.#forGrowth(group, (growth) => growth.ended(place))
    const started = this.#started.get(group)
    const rank = this.#rankAt(group, place)
    const ended = started?.ranks[rank]
    if (started === undefined || ended === undefined) return
    ended.outcome = outcome
    this.#emit({ type: 'outcome', group, rank, outcome })
    if (started.ranks.some((each) => each.outcome === undefined)) return
    this.#endGrowth(group, started)
    this.#started.delete(group)
  }

  /**
   * Returns the number of the present rank at a place, in the order in which ranks joined; -1:
   * there is no rank.
   */
  #rankAt(group: string, place: string): number {
    return this.#started.get(group)?.ranks.findIndex((each) => each.place === place && each.outcome === undefined) ?? -1
  }

  #endGrowth(group: string, started: Started): void {
    for (const each of started.growth?.end() ?? []) this.#send(group, each)
    started.growth = undefined
    this.#checkIf(this.#mustWait)
  }

  #send(group: string, { to, content }: Send): void {
    this.#emit({ type: 'send', to, group, from: 0, content })
  }
}
