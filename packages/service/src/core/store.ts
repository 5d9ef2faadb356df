import type { Milliseconds } from '@jel/machine'
import { Refusal, type Apply, type Entry, type Snapshot } from './entry.ts'
import { extend, keyOf, lastOf, type Mark, type Position, type Reign } from './history.ts'
import { CUT_BYTES, Log } from './log.ts'
import { Results, type Kept, type Outcome } from './results.ts'
import { StateSize } from './state-size.ts'
import { textOfError, textOfValue } from './value.ts'

/**
 * The most reigns of other sides for which a replica remembers the last operation that it applied
 * again. A guess.
 */
const MAX_ABSORBED = 256

/** The state of a service at one replica, with the results and the log of its operations. */
export class Store {
  readonly #apply: Apply
  #state: unknown
  #history: readonly Mark[] = []
  #results = new Results()
  #absorbed = new Map<string, number>()
  #log = new Log()
  readonly #size = new StateSize()
  now: Milliseconds = 0
  /** Whether this state differs from the state of the primary. A snapshot corrects it. */
  isWrong = false

  constructor(initial: unknown, apply: Apply) {
    // `apply` may change the state, but not the object that the application passed.
    this.#state = JSON.parse(textOf(initial))
    this.#apply = apply
  }

  get state(): unknown {
    return this.#state
  }

  get history(): readonly Mark[] {
    return this.#history
  }

  /** The number of the last operation. */
  get seq(): number {
    return lastOf(this.#history)
  }

  /** The number of the first operation in the log. */
  get from(): number {
    return this.seq + 1 - this.#log.length
  }

  get position(): Position {
    if (this.isWrong) return { history: [], from: 1 }
    return { history: this.#history, from: this.from }
  }

  get logBytes(): number {
    return this.#log.bytes
  }

  /** The kept outcome of an operation. */
  resultOf(caller: string, key: string): Kept | undefined {
    return this.#results.get(caller, key)
  }

  /** The last operation of this reign that was applied again. */
  absorbedOf(reign: Reign): number {
    return this.#absorbed.get(keyOf(reign)) ?? 0
  }

  /**
   * Applies a new operation. A failed operation gets a number as well, since it may have changed
   * the state. `apply` may keep and change the operation object.
   *
   * @throws Refusal for an operation that is too long, or that would make the state too large. Then
   *   nothing changes.
   */
  create(reign: Reign, call: Pick<Entry, 'caller' | 'key' | 'operation' | 'orphan'>, now: Milliseconds): Kept {
    const operation = textOfOperation(call.operation)
    this.now = Math.max(this.now, Math.floor(now))
    const before = this.#size.isCareful(this.#state) ? textOf(this.#state) : undefined
    const { next, text, isError } = this.#run(before === undefined ? this.#state : JSON.parse(before), call.operation, this.now)
    if (before !== undefined) this.#size.check(before.length, next)
    this.#state = next
    const kept = { seq: this.seq + 1, text, isError }
    this.#add({ ...call, reign, now: this.now, error: isError ? text : undefined }, operation, kept)
    return kept
  }

  /**
   * Applies the next operation of a primary. `apply` may keep and change the operation object.
   * Returns false if the outcome differs from that of the primary. Then the states may differ, too.
   */
  follow(entry: Entry): boolean {
    const { seq, error } = entry
    const [operation, result] = [textOf(entry.operation), textOf(entry.result)]
    this.now = Math.max(this.now, entry.now)
    const { next, text, isError } = this.#run(this.#state, entry.operation, entry.now)
    this.#state = next
    // The texts of errors may differ between versions of Node.js.
    const isSame = isError ? error !== undefined : error === undefined && text === result
    if (!isSame) this.isWrong = true
    this.#add(entry, operation, { seq, text: error ?? result, isError: error !== undefined })
    // A backup cuts its log here. A primary cuts its log only outside a minority: see `Primary`.
    if (this.#log.isTooLong) this.cut(CUT_BYTES)
    return isSame
  }

  /** Returns operations from this number on: up to `maxBytes` of them, but at least one. */
  entriesFrom(from: number, maxBytes: number): readonly Entry[] {
    return this.textsFrom(from, maxBytes).map((text) => JSON.parse(text) as Entry)
  }

  /** Returns the JSON of the operations of `entriesFrom`. */
  textsFrom(from: number, maxBytes: number): readonly string[] {
    return this.#log.textsFrom(from - this.from, maxBytes)
  }

  /** Drops the log up to this operation. */
  trim(seq: number): void {
    this.#log.drop(Math.max(0, Math.min(this.#log.length, seq + 1 - this.from)))
  }

  /** Drops the oldest operations until the log has at most this many bytes. */
  cut(bytes: number): void {
    this.#log.cut(bytes)
  }

  /** Records that an operation of another side has been applied here, or need not be. */
  absorb({ reign, seq }: Pick<Entry, 'reign' | 'seq'>): void {
    const key = keyOf(reign)
    const before = this.#absorbed.get(key) ?? 0
    this.#absorbed.delete(key)
    this.#absorbed.set(key, Math.max(before, seq))
    const [oldest] = this.#absorbed.keys()
    if (this.#absorbed.size > MAX_ABSORBED && oldest !== undefined) this.#absorbed.delete(oldest)
  }

  /** @param now the present time of the service */
  snapshot(now: Milliseconds): Snapshot {
    return {
      state: this.#state,
      history: this.#history,
      now: Math.max(this.now, now),
      results: [...this.#results].map(([name, { seq, text, isError }]) => [name, seq, text, isError]),
      absorbed: [...this.#absorbed],
      log: this.entriesFrom(this.from, Infinity),
    }
  }

  /** Replaces all that this replica has by a snapshot. */
  install({ state, history, now, results, absorbed, log }: Snapshot): void {
    this.#state = state
    this.isWrong = false
    this.#history = history
    this.now = Math.max(this.now, now)
    this.#results = new Results()
    for (const [name, seq, text, isError] of results) this.#results.keep(name, { seq, text, isError })
    this.#absorbed = new Map(absorbed)
    this.#log = new Log()
    // A log whose numbers don't match is dropped.
    if (log.every(({ seq }, at) => seq === this.seq + 1 - log.length + at))
      for (const entry of log) this.#log.push(entry, textOf(entry.operation), textOf(entry.result))
    this.#size.reset()
  }

  /**
   * Takes the joined state of two sides, as an operation of this reign. Other replicas need a
   * snapshot, since no entry of the log describes this operation.
   */
  join(reign: Reign, state: unknown, theirs: Pick<Snapshot, 'now' | 'results' | 'history'>): void {
    this.#state = state
    this.now = Math.max(this.now, theirs.now)
    for (const [name, , text, isError] of theirs.results)
      if (!this.#results.has(name)) this.#results.keep(name, { seq: this.seq + 1, text, isError })
    for (const { reign: their, last } of theirs.history) this.absorb({ reign: their, seq: last })
    this.#history = extend(this.#history, reign, this.seq + 1)
    this.#log = new Log()
    this.#size.expire()
  }

  /** Calls `apply`. A failed call may have changed the state as well. */
  #run(state: unknown, operation: unknown, now: Milliseconds): Outcome & { readonly next: unknown } {
    try {
      const [next, result] = this.#apply(state, operation, { now })
      return { text: textOfValue(result), isError: false, next: next ?? null }
    } catch (error) {
      return { text: textOfError(error), isError: true, next: state }
    }
  }

  #add(entry: Omit<Entry, 'operation' | 'result' | 'seq'>, operation: string, kept: Kept): void {
    const { seq, text, isError } = kept
    this.#history = extend(this.#history, entry.reign, seq)
    this.#results.add(entry.caller, entry.key, kept)
    if (entry.orphan !== undefined) this.absorb(entry.orphan)
    this.#size.add(this.#log.push({ ...entry, seq }, operation, isError ? 'null' : text))
  }
}

/** The text may be longer than the text of the caller: 1e20 becomes a number of 21 digits. */
function textOfOperation(operation: unknown): string {
  try {
    return textOfValue(operation)
  } catch (error) {
    throw new Refusal('CALL_FAILED', `the operation ${textOfError(error)}`)
  }
}

function textOf(state: unknown): string {
  return JSON.stringify(state ?? null)
}
