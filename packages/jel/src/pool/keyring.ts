import type { OverlayKeys, PoolKeyInfo } from '@jel/overlay'
import { InvalidOptionError } from '../errors.ts'
import type { Session } from '../base/session.ts'

/**
 * Changes the keys of a private pool while it runs, as Serf's keyring does: install the new key on
 * all nodes, then use it on all, then remove the old key on all. After each step every node can
 * talk to every other. A change lasts only as long as the node runs: change its key file, too.
 *
 * Give a key as the text of its file. You can also give an installed key by its fingerprint. The
 * methods reject with PoolKeysError (an open pool, an unknown key, the primary key), PoolKeyError
 * (not a key), InvalidOptionError or PoolLeftError. `list` rejects with PoolLeftError only.
 */
export class Keyring {
  readonly #session: Session

  /** @internal */
  constructor(session: Session) {
    this.#session = session
  }

  /** Admits nodes that have this key, besides the keys that are installed already. */
  async install(key: Uint8Array | string): Promise<PoolKeyInfo> {
    checkKey(key)
    return await this.#ask((keys) => keys.install(key))
  }

  /**
   * Makes an installed key the primary key. It protects the connections that this node opens from
   * then on.
   */
  async use(key: Uint8Array | string): Promise<PoolKeyInfo> {
    checkKey(key)
    return await this.#ask((keys) => keys.use(key))
  }

  /**
   * Admits no more nodes with this key, and ends the connections under it. Nodes open them again
   * under the primary key.
   */
  async remove(key: Uint8Array | string): Promise<void> {
    checkKey(key)
    await this.#ask((keys) => keys.remove(key))
  }

  /**
   * Returns the fingerprints of the installed keys, the primary key first. It never returns the
   * keys themselves.
   */
  async list(): Promise<readonly PoolKeyInfo[]> {
    return await this.#ask((keys) => keys.list())
  }

  async #ask<Result>(call: (keys: OverlayKeys) => Promise<Result>): Promise<Result> {
    this.#session.check()
    return await this.#session.ask(() => call(this.#session.host.keys))
  }
}

function checkKey(key: unknown): void {
  if (typeof key !== 'string' && !(key instanceof Uint8Array)) throw new InvalidOptionError('key: must be a Uint8Array or a string')
}
