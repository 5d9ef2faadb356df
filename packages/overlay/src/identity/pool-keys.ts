/**
 * The pool keys of a node. An inbound connection may use any of them. The primary key protects the
 * connections that the node dials. So a pool can change its key without a partition, as with Serf's
 * keyring: install the new key on all nodes, use it on all, then remove the old key on all.
 */
import { sha256 } from '#platform/crypto'
import { fromString, toString } from 'uint8arrays'
import { PoolKeysError } from '../base/errors.ts'
import { checkPoolKey } from './pool-key.ts'

/**
 * Maximum number of keys of a node. It tries each key on each inbound connection. Guess: a change
 * of keys needs two keys. It needs three if it was broken off and begun again.
 */
const maxKeys = 8

export interface PoolKey {
  /** The fingerprint of the key. It does not disclose the key. */
  readonly id: string
  /** The text of the key's file, in the one canonical spelling. */
  readonly text: Uint8Array
  /** The 32 bytes themselves. */
  readonly secret: Uint8Array
}

export interface PoolKeysEvents {
  onInstalled(key: PoolKey): void
  onRemoved(key: PoolKey): void
}

export class PoolKeys {
  #keys: readonly PoolKey[]
  #events: PoolKeysEvents | undefined

  /**
   * `texts`: the texts of key files, the primary key first. Without any the pool is open. Throws
   * {@link PoolKeyError}, or {@link PoolKeysError} for too many keys.
   */
  constructor(texts: readonly Uint8Array[]) {
    const keys = texts.map(readKey)
    this.#keys = keys.filter(({ id }, i) => keys.findIndex((key) => key.id === id) === i)
    if (this.#keys.length > maxKeys) throw tooMany()
  }

  /** The primary key. Undefined: the pool is open. */
  get primary(): PoolKey | undefined {
    return this.#keys[0]
  }

  /** All keys, the primary key first. */
  get all(): readonly PoolKey[] {
    return this.#keys
  }

  /** Sets the receiver of changes. */
  follow(events: PoolKeysEvents): void {
    this.#events = events
  }

  /**
   * Accepts connections under this key. Returns its fingerprint. If the key is installed already,
   * it keeps its role.
   */
  install(text: Uint8Array): string {
    const key = readKey(text)
    this.#checkPrivate()
    if (this.#keys.some(({ id }) => id === key.id)) return key.id
    if (this.#keys.length === maxKeys) throw tooMany()
    this.#keys = [...this.#keys, key]
    this.#events?.onInstalled(key)
    return key.id
  }

  /** Makes an installed key the primary one. Returns its fingerprint. */
  use(which: Uint8Array | string): string {
    const key = this.#find(which)
    this.#keys = [key, ...this.#keys.filter((each) => each !== key)]
    return key.id
  }

  /** Accepts no more connections under this key. */
  remove(which: Uint8Array | string): void {
    const key = this.#find(which)
    if (key === this.primary) throw new PoolKeysError(`${key.id} is the primary key: use another one first`)
    this.#keys = this.#keys.filter((each) => each !== key)
    this.#events?.onRemoved(key)
  }

  /** Finds a key by its fingerprint or its text. */
  #find(which: Uint8Array | string): PoolKey {
    this.#checkPrivate()
    const isText = typeof which !== 'string' || which.includes('\n')
    if (!isText && !fingerprint.test(which))
      throw new PoolKeysError('that is no id of a key: it has 16 hexadecimal digits, as the list shows it')
    const id = isText ? readKey(which).id : which
    const key = this.#keys.find((each) => each.id === id)
    if (key === undefined)
      throw new PoolKeysError(`the key ${id} is not installed; installed are ${this.#keys.map((each) => each.id).join(', ')}`)
    return key
  }

  /**
   * Refuses changes in an open pool. A node with a key and a node without one can't connect, so
   * they are in different pools.
   */
  #checkPrivate(): void {
    if (this.#keys.length === 0) throw new PoolKeysError('this pool has no key, and can get none while it runs: join it with one')
  }
}

/**
 * A fingerprint has 64 bits. They distinguish the keys of a pool, and disclose too little to guess
 * the 256 bits of a key.
 */
const fingerprint = /^[0-9a-f]{16}$/u

function readKey(given: Uint8Array | string): PoolKey {
  const text = checkPoolKey(typeof given === 'string' ? fromString(given) : given)
  const id = toString(sha256(text), 'base16').slice(0, 16)
  return { id, text, secret: fromString(toString(text).split('\n')[2] as string, 'base16') }
}

/**
 * Returns the fingerprint of a key from the text of its file. `keys.list()` of a pool has the same
 * fingerprint. Throws {@link PoolKeyError}.
 */
export function poolKeyId(text: Uint8Array | string): string {
  return readKey(text).id
}

function tooMany(): PoolKeysError {
  return new PoolKeysError(`a node has at most ${maxKeys} pool keys: remove one first`)
}
