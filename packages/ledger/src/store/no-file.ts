import { memoryStore, type Opened } from './store.ts'

/** A page has no files. Its seat lives in memory. */
export async function openStore(): Promise<Opened> {
  return await Promise.resolve({ store: memoryStore, records: [], isNew: true })
}
