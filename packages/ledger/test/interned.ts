/** Values by a number: those with one key are one value. */
export class Interned<Value> {
  readonly #values: Value[] = []
  readonly #numbers = new Map<string, number>()

  /** Returns the number of the value with this key. */
  add(key: string, value: Value): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.#values.length)
    return this.#values.push(value) - 1
  }

  get(number: number): Value {
    return this.#values[number] as Value
  }

  get all(): readonly Value[] {
    return this.#values
  }
}
