/**
 * A bounded cache that forgets what was not asked for lately. There are two generations: when the younger is half of the bound the older is
 * dropped, and what is asked for again moves up. That costs one look-up, where an exact order of use would cost a deletion and an insertion.
 */
export class Cache<Value> {
  readonly #half: number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()

  /** `limit`: entries at most. */
  constructor(limit: number) {
    this.#half = Math.ceil(limit / 2)
  }

  get(key: string): Value | undefined {
    const value = this.#young.get(key)
    if (value !== undefined) return value
    const old = this.#old.get(key)
    if (old !== undefined) this.put(key, old)
    return old
  }

  put(key: string, value: Value): void {
    if (this.#young.size >= this.#half) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }
}
