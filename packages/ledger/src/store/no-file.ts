import { memoryStore, type Opened } from './store.ts'

/** A web page has no files, so its seat is stored in memory. */
export async function openStore(): Promise<Opened> {
  return await Promise.resolve({ store: memoryStore, records: [], isNew: true })
}
