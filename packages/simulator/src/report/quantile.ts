/** A collection of numbers, with quantiles. */
export class Distribution {
  readonly #values: number[] = []
  #sorted = true

  get count(): number {
    return this.#values.length
  }

  add(value: number): void {
    this.#values.push(value)
    this.#sorted = false
  }

  /**
   * Returns a quantile: the smallest value that is at least as large as this share (0 to 1) of all
   * values. Undefined: there are no values.
   */
  quantile(share: number): number | undefined {
    if (!this.#sorted) this.#values.sort((a, b) => a - b)
    this.#sorted = true
    return this.#values[Math.max(0, Math.ceil(share * this.count) - 1)]
  }

  mean(): number | undefined {
    return this.count === 0 ? undefined : this.#values.reduce((sum, value) => sum + value, 0) / this.count
  }
}
