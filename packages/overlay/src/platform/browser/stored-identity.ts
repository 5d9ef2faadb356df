/**
 * A key in IndexedDB. A second tab with the same key would end the life of the first one. So a tab
 * that uses a key locks it, where the page may lock (Web Locks exist in secure pages only).
 */
import { privateKeyFromRaw } from '@libp2p/crypto/keys'
import type { Ed25519PrivateKey } from '@libp2p/interface'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { IdentityInUseError } from '../../base/errors.ts'
import { newKey, type Identity } from '../../identity/identity.ts'

const database = 'jel'
const store = 'identities'
/** Incarnations that are reserved at a time. Guess: as many as in a file. */
const ahead = 64

interface Stored {
  readonly key: Uint8Array
  readonly incarnation: number
}

/**
 * Opens the identity of this name. Makes it if there is none. Throws {@link IdentityInUseError}.
 */
export async function openIdentity(name: string): Promise<Identity> {
  const release = await lock(name)
  try {
    const db = await open()
    const stored = (await settled(db.transaction(store).objectStore(store).get(name))) as Stored | undefined
    const privateKey = stored === undefined ? (await newKey()).privateKey : (privateKeyFromRaw(stored.key) as Ed25519PrivateKey)
    const incarnation = stored?.incarnation ?? 0
    const write = async (value: number): Promise<void> => {
      const content: Stored = { key: privateKey.raw, incarnation: value }
      await settled(db.transaction(store, 'readwrite').objectStore(store).put(content, name))
    }
    let [written, last] = [incarnation + ahead, incarnation]
    // The tab may be closed at any moment. So it uses only incarnations that are reserved.
    await write(written)
    return {
      id: peerIdFromPrivateKey(privateKey).toString(),
      privateKey,
      incarnation,
      persist(used) {
        last = used
        // Half of the reserve is left when the next one is written.
        if (used < written - ahead / 2) return
        written = used + ahead
        void write(written)
      },
      release() {
        // If the tab is closed before this write, the next start skips the reserved incarnations.
        void write(last).finally(() => {
          db.close()
          release()
        })
      },
    }
  } catch (error) {
    release()
    throw error
  }
}

async function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(database, 1)
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(store))
  return (await settled(request)) as IDBDatabase
}

async function settled(request: IDBRequest): Promise<unknown> {
  return await new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB failed')))
  })
}

/** Returns a function that unlocks the name. */
async function lock(name: string): Promise<() => void> {
  const locks = (globalThis.navigator as Navigator | undefined)?.locks
  if (locks === undefined) return () => {}
  const held = Promise.withResolvers<void>()
  const got = Promise.withResolvers<boolean>()
  void locks.request(`jel ${name}`, { ifAvailable: true }, async (granted) => {
    got.resolve(granted !== null)
    if (granted !== null) await held.promise
  })
  if (!(await got.promise)) throw new IdentityInUseError(`the identity ${JSON.stringify(name)} is in use in another tab`)
  return () => held.resolve()
}
