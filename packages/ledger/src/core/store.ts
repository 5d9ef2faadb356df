import { isFounding, type Configuration } from './configuration.ts'
import { firstHash, type Digest, type Entry } from './entry.ts'
import { Log, type Snapshot } from './log.ts'
import { seatOf, type Seat } from './seat.ts'

/**
 * One write of a seat. The store keeps the records in their order. A crash may lose the last
 * records, if they were not synced.
 */
export type StoreRecord =
  /** The first record of a store. */
  | { readonly type: 'seat'; readonly ledger: string; readonly seat: Seat; readonly snapshot: Snapshot }
  | { readonly type: 'vote'; readonly term: number; readonly votedFor: Seat | undefined }
  /** Replaces all entries from the index `first` on. */
  | { readonly type: 'entries'; readonly first: number; readonly entries: readonly Entry[] }
  /** Replaces all entries up to its index, and the later ones that do not continue it. */
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }

/** All that a seat must not forget (Raft, figure 2). */
export interface Durable {
  readonly ledger: string
  readonly seat: Seat
  term: number
  votedFor: Seat | undefined
  readonly log: Log
}

/** Makes the first record of an empty store. `configuration`: see {@link Configuration}. */
export function newSeat(
  digest: Digest,
  { ledger, id, nonce, configuration }: { ledger: string; id: string; nonce: string; configuration: Configuration },
): Extract<StoreRecord, { type: 'seat' }> {
  const hash = firstHash(digest, ledger)
  const snapshot: Snapshot = { index: 0, term: 0, hash, configuration, state: new Uint8Array() }
  return { type: 'seat', ledger, seat: seatOf(id, nonce, isFounding(configuration)), snapshot }
}

/**
 * Computes the state of a seat from the records of its store. Returns undefined for an empty store.
 */
export function restore(records: readonly StoreRecord[]): Durable | undefined {
  const [first, ...others] = records
  if (first?.type !== 'seat') return undefined
  const durable = durableOf(first)
  for (const record of others) apply(durable, record)
  return durable
}

/**
 * Restores the seat of a store. An empty store gets a new seat, with a new nonce. If the member had
 * a store before, its promises are forgotten, so nobody may count them for the new seat.
 */
export function openSeat(
  digest: Digest,
  records: readonly StoreRecord[],
  founding: { readonly ledger: string; readonly id: string; readonly configuration: Configuration },
  nonce: () => string,
): { readonly records: readonly StoreRecord[]; readonly durable: Durable } {
  const durable = restore(records)
  if (durable !== undefined) return { records, durable }
  const first = newSeat(digest, { ...founding, nonce: nonce() })
  return { records: [first], durable: durableOf(first) }
}

function durableOf({ ledger, seat, snapshot }: Extract<StoreRecord, { type: 'seat' }>): Durable {
  // A later generation begins with a snapshot, and continues after its term.
  return { ledger, seat, term: snapshot.term, votedFor: undefined, log: new Log(snapshot, []) }
}

function apply(durable: Durable, record: StoreRecord): void {
  switch (record.type) {
    case 'seat':
      return
    case 'vote':
      durable.term = record.term
      durable.votedFor = record.votedFor
      return
    case 'entries':
      durable.log.cut(record.first)
      durable.log.append(record.entries)
      return
    case 'snapshot':
      durable.log.install(record.snapshot)
      return
  }
}
