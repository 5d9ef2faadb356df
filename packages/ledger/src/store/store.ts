import type { StoreRecord } from '../core/store.ts'

/** Keeps the records of one seat. */
export interface Store {
  /** Whether the records outlive the process. */
  readonly isDurable: boolean
  /**
   * Appends a record. Resolves when the record is synced. After a rejection the store accepts no
   * more records.
   *
   * @param whole all records that the store must have after this write, in place of the former ones
   */
  write(record: StoreRecord, whole?: readonly StoreRecord[]): Promise<void> | undefined
  close(): Promise<void>
}

/** A store that was opened. */
export interface Opened {
  readonly store: Store
  readonly records: readonly StoreRecord[]
  /**
   * Whether the member can't have promised anything before: no earlier life of it has written a
   * record.
   */
  readonly isNew: boolean
}

/**
 * The store in memory, for a member without an identity file. Its next process has another id, so
 * nothing must outlive this one. `write` returns undefined: there is nothing to wait for.
 */
export const memoryStore: Store = {
  isDurable: false,
  write: () => undefined,
  close: async () => await Promise.resolve(),
}
