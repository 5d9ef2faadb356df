import type { OverlayHealth, OverlayNotification, PoolMember, PoolRecord, PoolReign } from '@jel/overlay'
import type { Snapshot } from './messages.ts'

/**
 * A new record triggers the deletion of expired records if there are more records than this, and
 * more than twice the number that the last deletion left. Guess.
 */
export const RECORDS_UNREAD = 1_024

/**
 * A copy of the other thread's state, as of the news that this thread has taken. So the view never
 * runs ahead of the events.
 */
export class Mirror {
  self: PoolMember
  health: OverlayHealth
  readonly #members = new Map<string, PoolMember>()
  readonly #reigns = new Map<string, PoolReign>()
  /** By name and owner. No news reports that a record expired. */
  readonly #records = new Map<string, PoolRecord>()
  #forgetAt = RECORDS_UNREAD
  #sorted: readonly PoolMember[] | undefined

  constructor(snapshot: Snapshot) {
    this.self = snapshot.self
    this.health = snapshot.health
    this.replace(snapshot)
  }

  replace({ self, health, members, reigns, records }: Snapshot): void {
    this.self = self
    this.health = health
    this.#members.clear()
    this.#sorted = undefined
    for (const member of members) this.#members.set(member.id, member)
    this.replaceReigns(reigns)
    this.#records.clear()
    for (const record of records) this.#hold(record)
  }

  replaceReigns(reigns: readonly PoolReign[]): void {
    this.#reigns.clear()
    for (const reign of reigns) this.#reigns.set(reign.election, reign)
  }

  /** Returns the members, sorted by id. */
  members(): readonly PoolMember[] {
    this.#sorted ??= [...this.#members.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
    return this.#sorted
  }

  reigns(): readonly PoolReign[] {
    return [...this.#reigns.values()]
  }

  reign(election: string): PoolReign | undefined {
    return this.#reigns.get(election)
  }

  /** Returns the records, sorted by name, then owner. */
  records(prefix = ''): readonly PoolRecord[] {
    const now = Date.now()
    const found: PoolRecord[] = []
    for (const [key, record] of this.#records) {
      if (record.expires <= now) this.#records.delete(key)
      else if (record.name.startsWith(prefix)) found.push(record)
    }
    return found.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  }

  /** The number of records held, including expired records that are not yet deleted. */
  get heldRecords(): number {
    return this.#records.size
  }

  #hold(record: PoolRecord): void {
    if (record.value === undefined) this.#records.delete(keyOf(record))
    else this.#records.set(keyOf(record), record)
    if (this.#records.size <= this.#forgetAt) return
    const now = Date.now()
    for (const [key, { expires }] of this.#records) if (expires <= now) this.#records.delete(key)
    this.#forgetAt = Math.max(RECORDS_UNREAD, 2 * this.#records.size)
  }

  take(news: OverlayNotification): void {
    switch (news.type) {
      case 'joined':
        this.#members.set(news.member.id, news.member)
        this.#sorted = undefined
        if (news.member.id === this.self.id) this.self = news.member
        return
      case 'left':
      case 'died':
        if (this.#members.get(news.member.id)?.incarnation !== news.member.incarnation) return
        this.#members.delete(news.member.id)
        this.#sorted = undefined
        return
      case 'updated':
        if (this.#members.get(news.member.id)?.incarnation !== news.member.incarnation) return
        this.#members.set(news.member.id, news.member)
        this.#sorted = undefined
        if (news.member.id === this.self.id) this.self = news.member
        return
      case 'elected':
        this.#reigns.set(news.reign.election, news.reign)
        return
      case 'record':
        this.#hold(news.record)
        return
      case 'health':
        this.health = news.health
        return
      default:
    }
  }
}

/** The key is unique, since names hold no control characters. */
function keyOf({ name, owner }: PoolRecord): string {
  return `${name}\0${owner}`
}
