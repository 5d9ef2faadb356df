/**
 * Private pools: connections under a pool key. The wire format is that of @libp2p/pnet (24 random
 * bytes each way, then XSalsa20), but a node may have several keys.
 *
 * The dialler always sends the same first message: the greeting of multistream-select. So the
 * dialled node finds out which of its keys decrypts the greeting, and answers under that key. A
 * node with one key, or another implementation, notices no difference.
 */
import { randomBytes } from '#platform/crypto'
import type { AbortOptions, ConnectionProtector, MultiaddrConnection } from '@libp2p/interface'
import { byteStream } from '@libp2p/utils'
import { equals, fromString } from 'uint8arrays'
import { RefusedPeerError } from '../base/errors.ts'
import type { PoolKey, PoolKeys } from '../identity/pool-keys.ts'
import { Cipher, ProtectedConnection } from './protected-connection.ts'
import { later } from '../base/timers.ts'

const nonceBytes = 24
/** The greeting, with its length before it: https://github.com/multiformats/multistream-select */
const greeting = fromString('\u0013/multistream/1.0.0\n')

/**
 * Time between the ends of two connections under a removed key, ms. Measured: the nodes open a link
 * again within 80 ms.
 */
const apart = 250
/**
 * All connections under a removed key end within this time, ms, however many they are. By then a
 * node that has only that key must be shut out. Guess.
 */
const endAll = 5_000

export class Protector implements ConnectionProtector {
  readonly [Symbol.toStringTag] = 'jel-protector'
  readonly #keys: PoolKeys
  readonly #connections = new Map<ProtectedConnection, PoolKey>()

  constructor(keys: PoolKeys) {
    this.#keys = keys
  }

  /** Throws {@link RefusedPeerError} if the other side has no key that is installed here. */
  async protect(connection: MultiaddrConnection, options: AbortOptions = {}): Promise<MultiaddrConnection> {
    const { primary } = this.#keys
    if (connection.direction === 'outbound') return primary === undefined ? connection : await this.#dialled(connection, primary, options)
    return await (primary === undefined ? checkOpen(connection, options) : this.#accepted(connection, options))
  }

  /**
   * Ends the connections under a removed key, one after the other. Meanwhile the nodes open each
   * connection again under the primary key. So this node does not lose all its links at once.
   */
  abort(key: PoolKey): void {
    const ending = [...this.#connections].filter(([, of]) => of === key)
    const pause = Math.min(apart, endAll / ending.length)
    for (const [index, [connection]] of ending.entries()) {
      later(() => connection.abort(new Error('its pool key was removed')), index * pause)
    }
  }

  async #dialled(connection: MultiaddrConnection, key: PoolKey, options: AbortOptions): Promise<MultiaddrConnection> {
    const bytes = byteStream(connection)
    const nonce = randomBytes(nonceBytes)
    const [theirs] = await Promise.all([bytes.read({ ...options, bytes: nonceBytes }), bytes.write(nonce, options)])
    return this.#protected(bytes.unwrap(), key, new Cipher(theirs.subarray(), key.secret), new Cipher(nonce, key.secret))
  }

  async #accepted(connection: MultiaddrConnection, options: AbortOptions): Promise<MultiaddrConnection> {
    const bytes = byteStream(connection)
    const nonce = randomBytes(nonceBytes)
    const [read] = await Promise.all([bytes.read({ ...options, bytes: nonceBytes }), bytes.write(nonce, options)])
    const theirs = read.subarray()
    if (isGreeting(theirs.subarray(0, greeting.length))) throw new RefusedPeerError('it has no pool key')
    const first = (await bytes.read({ ...options, bytes: greeting.length })).subarray()
    for (const key of this.#keys.all) {
      const inbound = new Cipher(theirs, key.secret)
      if (!isGreeting(inbound.update(first))) {
        inbound.end()
        continue
      }
      const opened = this.#protected(bytes.unwrap(), key, inbound, new Cipher(nonce, key.secret))
      opened.onData(greeting)
      return opened
    }
    throw new RefusedPeerError('it has none of the pool keys that are installed here')
  }

  #protected(connection: MultiaddrConnection, key: PoolKey, inbound: Cipher, outbound: Cipher): ProtectedConnection {
    const opened = new ProtectedConnection(connection, inbound, outbound)
    this.#connections.set(opened, key)
    opened.addEventListener('close', () => this.#connections.delete(opened))
    // The key was removed during the handshake.
    if (!this.#keys.all.includes(key)) queueMicrotask(() => opened.abort(new Error('its pool key was removed')))
    return opened
  }
}

/**
 * Checks an inbound connection in an open pool, without protection. Refuses a peer whose first
 * bytes are not the greeting: the peer has a pool key, or does not speak libp2p.
 */
async function checkOpen(connection: MultiaddrConnection, options: AbortOptions): Promise<MultiaddrConnection> {
  const bytes = byteStream(connection)
  const first = (await bytes.read({ ...options, bytes: greeting.length })).subarray()
  if (!isGreeting(first)) throw new RefusedPeerError('it has a pool key and this pool has none, or it does not speak libp2p')
  bytes.unwrap().unshift(first)
  return connection
}

function isGreeting(bytes: Uint8Array): boolean {
  return equals(bytes, greeting)
}
