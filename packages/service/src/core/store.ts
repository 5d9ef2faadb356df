import type { Milliseconds } from '@jel/machine'
import type { Apply, Entry, Snapshot } from './entry.ts'
import { extend, keyOf, lastOf, type Mark, type Position, type Reign } from './history.ts'
import { CUT_BYTES, Log } from './log.ts'
import { Results, type Kept, type Outcome } from './results.ts'
import { StateSize } from './state-size.ts'
import { textOfError, textOfValue } from './value.ts'

/** A replica knows of so many reigns of other sides what it applied again. A guess. */
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
  /** The state is not the one that the primary has. A snapshot puts it right. */
  isWrong = false

  constructor(initial: unknown, apply: Apply) {
    // No replica may change the object of the program.
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
   * Applies a new operation. It gets a number also if it fails: then it may have changed the state.
   * The operation belongs to the program afterwards, which may change it.
   *
   * @throws Refusal for one that would make the state too large; then nothing changes
   */
  create(reign: Reign, call: Pick<Entry, 'caller' | 'key' | 'operation' | 'orphan'>, now: Milliseconds): Kept {
    const operation = textOf(call.operation)
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
   * Applies the next operation of a primary, which belongs to the program afterwards. Returns false
   * if the outcome is another one here: then the states may differ.
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
    // A primary cuts its own log. It may be in a minority, and keep this much.
    if (this.#log.isTooLong) this.cut(CUT_BYTES)
    return isSame
  }

  /** The operations from this number on, as many as fit, but at least one. */
  entriesFrom(from: number, maxBytes: number): readonly Entry[] {
    return this.textsFrom(from, maxBytes).map((text) => JSON.parse(text) as Entry)
  }

  /** As `entriesFrom`, as JSON. */
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

  /** Notes that an operation of another side needs no second application. */
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

  /** Puts a snapshot in the place of all that this replica has. */
  install({ state, history, now, results, absorbed, log }: Snapshot): void {
    this.#state = state
    this.isWrong = false
    this.#history = history
    this.now = Math.max(this.now, now)
    this.#results = new Results()
    for (const [name, seq, text, isError] of results) this.#results.keep(name, { seq, text, isError })
    this.#absorbed = new Map(absorbed)
    this.#log = new Log()
    // A wrong list is as good as none.
    if (log.every(({ seq }, at) => seq === this.seq + 1 - log.length + at))
      for (const entry of log) this.#log.push(entry, textOf(entry.operation), textOf(entry.result))
    this.#size.reset()
  }

  /**
   * Takes the joined state of two sides, as an operation of this reign. Other replicas need a
   * snapshot then: their logs end before it.
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

  /** Runs the program. The state may have changed also if it failed. */
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

function textOf(state: unknown): string {
  return JSON.stringify(state ?? null)
}
