import type { OverlayKeys, PoolKeyInfo } from '@jel/overlay'
import { InvalidOptionError } from './errors.ts'

type Ask = <Result>(call: () => Promise<Result>) => Promise<Result>

/**
 * The keys of a private pool, changed while it runs, as with Serf's keyring: install the new one on all nodes, then use it on all, then remove the old one on
 * all. After each step every node can talk to every other. What is changed here lasts as long as the node: change its key file, too.
 *
 * Keys are given as the text of their files; one that is installed also by its fingerprint. All reject with PoolKeysError (an open pool, an unknown key, the
 * primary one), PoolKeyError (no key), InvalidOptionError or PoolLeftError.
 */
export class Keyring {
  readonly #keys: OverlayKeys
  readonly #ask: Ask

  constructor(keys: OverlayKeys, ask: Ask) {
    this.#keys = keys
    this.#ask = ask
  }

  /** Lets nodes in that have this key, beside the others. */
  async install(key: Uint8Array | string): Promise<PoolKeyInfo> {
    checkKey(key)
    return await this.#ask(() => this.#keys.install(key))
  }

  /** Makes an installed key the primary one: this node's own connections are protected by it from now on. */
  async use(key: Uint8Array | string): Promise<PoolKeyInfo> {
    checkKey(key)
    return await this.#ask(() => this.#keys.use(key))
  }

  /** Lets nobody in by this key any more, and ends the connections under it; they are opened anew under the primary one. */
  async remove(key: Uint8Array | string): Promise<void> {
    checkKey(key)
    await this.#ask(() => this.#keys.remove(key))
  }

  /** Those that are installed, the primary one first: fingerprints, never the keys. */
  async list(): Promise<readonly PoolKeyInfo[]> {
    return await this.#ask(() => this.#keys.list())
  }
}

function checkKey(key: unknown): void {
  if (typeof key !== 'string' && !(key instanceof Uint8Array)) throw new InvalidOptionError('key: must be a Uint8Array or a string')
}
