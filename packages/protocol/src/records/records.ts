/**
 * Records: bytes under a name, signed by their owner, that all members hold until they expire.
 *
 * A record is a fact like those about members. A member publishes it once. Reconciliation carries
 * it to newcomers and to the other side of a partition. It outlives its owner, which need not be a
 * member at all. It ends at a date, so nobody has to remember its end. A version that states the
 * withdrawal deletes it. If a version has a shorter life than the version before it, members hold
 * it for as long as a partition may last, even without a value. Otherwise the earlier version would
 * come back. Memory is bounded, and owners share it fairly (`fair-order.ts`).
 */
import type { Config } from '../base/config.ts'
import type { Owner, QueryTerms } from '../base/input.ts'
import type { Milliseconds, NodeId, PoolRecord } from '../base/values.ts'
import { nameProblem } from '../base/name.ts'
import type { Context } from '../context/context.ts'
import type { Timed } from '../context/timers.ts'
import { encodeEvent, eventName, eventProblem, isEventName } from '../facts/event.ts'
import { factOf, recordKey, type Fact } from '../facts/fact.ts'
import type { RecordContent, Statement } from '../facts/statement.ts'
import { FairOrder } from './fair-order.ts'
import { statementOf } from './record-statement.ts'
import { UserEvents } from './user-events.ts'

/** Upper bound on the difference of honest members' calendars, ms. Guess. */
export const skew = 300_000
/** Longest and shortest interval of the checks for expiry, ms. A calendar may jump. Guess. */
const looks = { longest: 60_000, shortest: 1_000 }

/**
 * Returns the reason to refuse this record; undefined if it is valid. Call this before you publish,
 * since a command that throws loses its other effects.
 */
export function recordProblem(name: string, value: Uint8Array, lifetime: Milliseconds, limits: Config['limits']): string | undefined {
  const problem = nameProblem(name)
  if (problem !== undefined) return `the name of a record ${problem}`
  if (isEventName(name)) return `the name ${JSON.stringify(name)} is one of an event`
  if (value.length > limits.recordBytes) return `a record has at most ${limits.recordBytes} bytes, not ${value.length}`
  if (!(lifetime > 0 && lifetime <= limits.recordLifetime))
    return `a record lives for 1 to ${limits.recordLifetime} ms, not for ${lifetime}`
  return undefined
}

export class Records implements Timed {
  readonly #context: Context
  readonly #order = new FairOrder()
  readonly events: UserEvents
  #warnedFull = false
  /** Calendar time of this node's last event. */
  #lastEvent = 0

  constructor(context: Context) {
    this.#context = context
    this.events = new UserEvents(context)
  }

  /** Returns the records by name, then by owner, without events and withdrawn records. */
  list(prefix = ''): PoolRecord[] {
    const today = this.#today
    return this.#order
      .facts()
      .map(statementOf)
      .map((statement) => recordOf(statement, today))
      .filter(({ name, value }) => value !== undefined && name.startsWith(prefix))
      .sort((a, b) => (a.name === b.name ? order(a.owner, b.owner) : order(a.name, b.name)))
  }

  get size(): number {
    return this.#order.size
  }

  /** All records, withdrawn ones included, without events. */
  held(): readonly Fact[] {
    return this.#order.facts()
  }

  /** Throws RangeError on an invalid name, length or lifetime. */
  publish(name: string, value: Uint8Array, lifetime: Milliseconds, owner?: Owner): void {
    const problem = recordProblem(name, value, lifetime, this.#context.config.limits)
    if (problem !== undefined) throw new RangeError(problem)
    this.#say({ name, value: new Uint8Array(value), ends: Math.ceil(this.#today + lifetime), withdrawn: false }, owner)
  }

  /** Sends an event or a query to all members. Throws RangeError if it is invalid. */
  broadcast(name: string, payload: Uint8Array, query?: QueryTerms): void {
    const { limits } = this.#context.config
    const problem = eventProblem(name, payload, limits, query)
    if (problem !== undefined) throw new RangeError(problem)
    // Makes the names of two events in one millisecond differ.
    this.#lastEvent = Math.max(this.#lastEvent + 1, Math.floor(this.#today))
    const ends = Math.ceil(this.#today + limits.eventLifetime)
    this.#say({ name: eventName(this.#lastEvent), value: encodeEvent(name, payload, query), ends, withdrawn: false })
  }

  /** Withdraws a record. Does nothing if the record does not exist, or has expired. */
  unpublish(name: string, owner?: Owner): void {
    const held = this.#held(name, owner?.id ?? this.#context.id)
    if (held === undefined || held.content.withdrawn || endOf(held.content) <= this.#today) return
    this.#say({ name, value: new Uint8Array(), ends: endOf(held.content), withdrawn: true }, owner)
  }

  /**
   * True if the record is worth a check: not expired, not too far ahead, and later than the held
   * version.
   */
  wants({ signer, content, signature }: Statement<RecordContent>): boolean {
    const today = this.#today
    const { recordLifetime, eventLifetime } = this.#context.config.limits
    const isEvent = isEventName(content.name)
    if (content.expires <= today || content.expires > today + (isEvent ? eventLifetime : recordLifetime) + skew) return false
    const held = this.#held(content.name, signer)
    if (held === undefined) return true
    // One key at two places may sign two records of one version. All nodes keep the same one.
    return content.version > held.content.version || (content.version === held.content.version && compare(signature, held.signature) > 0)
  }

  /**
   * Takes in a verified record. Returns it as held; undefined if there is no room for it. `isNews`:
   * somebody published the record just now. `isOwn`: this node published it. If the owner has no
   * more room, this node evicts its own new record. Otherwise the order of eviction would choose
   * one of that owner's records, as if at random.
   */
  merge(statement: Statement<RecordContent>, isNews: boolean, isOwn = false): Fact | undefined {
    const { facts, config } = this.#context
    const today = this.#today
    const isEvent = isEventName(statement.content.name)
    const [order, room] = isEvent ? [this.events.order, config.limits.events] : [this.#order, config.limits.records]
    const before = this.#fact(statement.content.name, statement.signer)
    if (before !== undefined) order.remove(before)
    const held = facts.put(factOf({ statement }))
    order.add(held)
    this.#await(statement.content.expires)
    if (isEvent) this.events.heard(statement, isNews)
    if (order.size > room) {
      const least = order.last() as Fact
      const last = isOwn && before === undefined && least.author === held.author && !isEvent ? held : least
      this.#forget(last)
      if (isEvent) return last === held ? undefined : held
      if (last !== held || before !== undefined)
        this.#context.notify({ type: 'record', record: { ...recordOf(statementOf(last), today), value: undefined } })
      if (last === held) return undefined
    }
    const record = recordOf(statement, today)
    if (!isEvent && (record.value !== undefined || before !== undefined)) this.#context.notify({ type: 'record', record })
    return held
  }

  /** Forgets expired records. All nodes do so at the same time, as far as their calendars agree. */
  due(): void {
    const today = this.#today
    for (const { signer, content } of this.#all()) {
      const fact = content.expires <= today ? this.#fact(content.name, signer) : undefined
      if (fact === undefined) this.#await(content.expires)
      else this.#forget(fact)
    }
  }

  /** Schedules a check for this expiry. */
  #await(expires: Milliseconds): void {
    const wait = Math.min(Math.max(expires - this.#today, looks.shortest), looks.longest)
    this.#context.timers.advance('record', this.#context.now + wait)
  }

  /**
   * Restores the records after this node forgot all facts. Records end by the calendar, and all
   * other members that held them may have slept as well.
   */
  startOver(): void {
    for (const fact of [...this.#order.facts(), ...this.events.order.facts()]) this.#context.facts.put(fact)
  }

  get #today(): Milliseconds {
    return this.#context.services.today()
  }

  #say({ ends, ...said }: Pick<RecordContent, 'name' | 'value' | 'withdrawn'> & { ends: Milliseconds }, owner?: Owner): void {
    const signer = owner?.id ?? this.#context.id
    const last = this.#held(said.name, signer)?.content
    // Versions follow the calendar, so an owner that lost its memory continues above its earlier
    // versions.
    const version = Math.max((last?.version ?? 0) + 1, Math.floor(this.#today))
    // A member that slept, or the other side of a partition, may still hold the last version.
    const { limits, healing } = this.#context.config
    const guard = said.withdrawn ? limits.recordLifetime : healing.memory + skew
    const expires = Math.max(ends, Math.min(last?.expires ?? 0, Math.ceil(this.#today + guard)))
    const content: RecordContent = { kind: 'record', version, expires, ends: ends < expires ? ends : undefined, ...said }
    const statement = this.#context.codec.sign(signer, content, owner)
    const fact = this.merge(statement, true, true)
    if (fact !== undefined) this.#context.outcomes.push({ type: 'announce', facts: [fact] })
    else if (isEventName(said.name))
      this.#context.warn(
        'EVENTS_FULL',
        `the pool holds ${this.#context.config.limits.events} events of other members, and passes this one on to few`,
      )
    else if (!this.#warnedFull) {
      this.#warnedFull = true
      this.#context.warn('RECORDS_FULL', `the pool holds ${this.#context.config.limits.records} records and takes no more of this owner`)
    }
  }

  #held(name: string, owner: NodeId): Statement<RecordContent> | undefined {
    const fact = this.#fact(name, owner)
    return fact === undefined ? undefined : statementOf(fact)
  }

  #fact(name: string, owner: NodeId): Fact | undefined {
    return this.#context.facts.get(recordKey(name, owner))
  }

  #all(): Statement<RecordContent>[] {
    return [...this.#order.facts(), ...this.events.order.facts()].map(statementOf)
  }

  #forget(fact: Fact): void {
    const order = isEventName(statementOf(fact).content.name) ? this.events.order : this.#order
    order.remove(fact)
    this.#context.facts.delete(fact)
  }
}

function recordOf({ signer, content }: Statement<RecordContent>, today: Milliseconds): PoolRecord {
  const { name, version, value, withdrawn } = content
  const expires = endOf(content)
  return { name, owner: signer, version, expires, value: withdrawn || expires <= today ? undefined : value }
}

/** Returns the date until which the value is valid. */
function endOf({ expires, ends = expires }: RecordContent): Milliseconds {
  return ends
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i])
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number)
}
