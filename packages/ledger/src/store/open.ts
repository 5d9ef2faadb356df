import type { Life } from '../fold/events.ts'
import { FileStore } from './file.ts'
import { memoryStore, type Opened } from './store.ts'

/**
 * Opens the store of a member: `<identityFile>.ledger`, or memory if the member has a new id at
 * each start.
 *
 * @throws LedgerFileError, LedgerCorruptError
 */
export async function openStore(identityFile: string | undefined, pool: string, { id, incarnation }: Life): Promise<Opened> {
  if (identityFile === undefined) return { store: memoryStore, records: [], isNew: true }
  return await FileStore.open(`${identityFile}.ledger`, pool, id, incarnation === 1)
}
