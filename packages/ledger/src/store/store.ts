import type { StoreRecord } from '../core/store.ts'

/** Keeps the records of one seat. */
export interface Store {
  /** Whether the records outlive the process. */
  readonly isDurable: boolean
  /**
   * Writes a record behind the others. Resolves when the record is synced. After a rejection the
   * store takes no more.
   *
   * @param whole all records that the store must have after this one, in place of the others
   */
  write(record: StoreRecord, whole?: readonly StoreRecord[]): Promise<void> | undefined
  close(): Promise<void>
}

/** A store that was opened. */
export interface Opened {
  readonly store: Store
  readonly records: readonly StoreRecord[]
  /** Whether the member can't have promised anything before: it had no store in an earlier life. */
  readonly isNew: boolean
}

/**
 * The store of a member without an identity file: its next life has another id, so nothing must
 * outlive the process. `write` returns undefined: the record is kept at once.
 */
export const memoryStore: Store = {
  isDurable: false,
  write: () => undefined,
  close: async () => await Promise.resolve(),
}
