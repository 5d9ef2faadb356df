/**
 * A bounded cache that forgets entries without recent use. It has two generations. When the younger
 * generation has half of the bound, or is old, it replaces the older one. An entry that is used
 * again moves to the younger generation. That costs one look-up. An exact order of use would cost a
 * deletion and an insertion.
 *
 * Age matters as well as size: in a quiet pool a cache with a bound on size alone grows for hours,
 * as a leak does.
 */
export class Cache<Value> {
  readonly #half: number
  readonly #lifetime: number
  #since = performance.now()
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()

  /**
   * `limit`: the largest number of entries. `lifetime`, ms: the cache forgets an unused entry after
   * one to two lifetimes, when a new entry comes.
   */
  constructor(limit: number, lifetime: number) {
    this.#half = Math.ceil(limit / 2)
    this.#lifetime = lifetime
  }

  get(key: string): Value | undefined {
    const value = this.#young.get(key)
    if (value !== undefined) return value
    const old = this.#old.get(key)
    if (old !== undefined) this.put(key, old)
    return old
  }

  put(key: string, value: Value): void {
    const now = performance.now()
    if (this.#young.size >= this.#half || now - this.#since >= this.#lifetime) {
      this.#old = this.#young
      this.#young = new Map()
      this.#since = now
    }
    this.#young.set(key, value)
  }
}
