import type { Digest, Entry } from '../core/entry.ts'
import type { Snapshot } from '../core/log.ts'
import { Reader, type Page } from '../core/reader.ts'
import type { Seat } from '../core/seat.ts'
import type { LedgerEvent } from '../fold/events.ts'
import type { ReadStatement } from '../fold/bodies.ts'
import { Fold } from '../fold/fold.ts'

export interface AppliedEvents {
  /** The events of an entry that was applied. */
  onEvents(events: readonly LedgerEvent[]): void
  /** A snapshot has replaced the state. Nobody reports the events that it covers. */
  onInstalled(fold: Fold): void
  /** More entries are applied. */
  onAdvanced(): void
}

/**
 * The committed entries that this member has applied (Raft §5.3, `lastApplied`), from its own seat
 * or from a voter that it follows. Each entry is applied once.
 */
export class Applied {
  readonly #read: ReadStatement
  readonly #events: AppliedEvents
  readonly #reader: Reader
  #fold: Fold
  #waiting: (PromiseWithResolvers<void> & { readonly index: number })[] = []

  constructor(digest: Digest, ledger: string, read: ReadStatement, events: AppliedEvents) {
    this.#read = read
    this.#events = events
    this.#reader = new Reader(digest, ledger)
    this.#fold = new Fold(read)
  }

  get fold(): Fold {
    return this.#fold
  }

  /** The index, the term and the hash of the last applied entry, and the voters as of it. */
  get end(): Pick<Reader, 'index' | 'term' | 'hash' | 'voters'> {
    return this.#reader
  }

  /** Resolves when the entries up to this one are applied. Rejects when no more come. */
  async reached(index: number): Promise<void> {
    if (this.#reader.index >= index) return
    const waiting = { index, ...Promise.withResolvers<void>() }
    this.#waiting.push(waiting)
    await waiting.promise
  }

  /** Rejects the calls that wait: no more entries come. */
  close(why: Error): void {
    for (const { reject } of this.#waiting) reject(why)
    this.#waiting = []
  }

  /** The state as a snapshot. */
  snapshot(): Snapshot {
    const { index, term, hash, voters } = this.#reader
    return { index, term, hash, configuration: voters, state: this.#fold.save() }
  }

  /** The state in which each reign has this index as its new epoch. */
  renewed(index: number): Uint8Array {
    const fold = new Fold(this.#read, this.#fold.save())
    fold.renewReigns(index)
    return fold.save()
  }

  commit(first: number, entries: readonly Entry[]): void {
    this.#apply(this.#reader.advance(first, entries))
  }

  /** Applies a page of a voter. Returns false if the page does not continue the applied entries. */
  take(signer: Seat | undefined, page: Page): boolean {
    const added = this.#reader.take(signer, page)
    if (typeof added === 'string') return false
    this.#apply(added)
    return true
  }

  /** Installs a later snapshot. Returns false if the fold can't read its state. */
  install(snapshot: Snapshot): boolean {
    if (snapshot.index <= this.#reader.index) return true
    try {
      this.#fold = new Fold(this.#read, snapshot.state)
    } catch {
      return false
    }
    this.#reader.install(snapshot)
    this.#events.onInstalled(this.#fold)
    this.#advanced()
    return true
  }

  #apply(entries: readonly Entry[]): void {
    if (entries.length === 0) return
    let index = this.#reader.index - entries.length
    for (const entry of entries) {
      index += 1
      const events = this.#fold.take(index, entry)
      if (events.length > 0) this.#events.onEvents(events)
    }
    this.#advanced()
  }

  #advanced(): void {
    const { index } = this.#reader
    const ready = this.#waiting.filter((each) => each.index <= index)
    if (ready.length > 0) this.#waiting = this.#waiting.filter((each) => each.index > index)
    for (const { resolve } of ready) resolve()
    this.#events.onAdvanced()
  }
}
