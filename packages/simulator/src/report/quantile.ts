/** Numbers in the order of size, with quantiles. */
export class Distribution {
  #values = new Float64Array(64)
  #count = 0
  #sorted = true

  get count(): number {
    return this.#count
  }

  add(value: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(this.#count * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#count++] = value
    this.#sorted = false
  }

  /**
   * Returns the smallest value that at least this share (0 to 1) of all values does not exceed;
   * undefined if there are no values.
   */
  quantile(share: number): number | undefined {
    if (!this.#sorted) this.#values.subarray(0, this.#count).sort()
    this.#sorted = true
    return this.#count === 0 ? undefined : this.#values[Math.max(0, Math.ceil(share * this.#count) - 1)]
  }

  mean(): number | undefined {
    let sum = 0
    for (let i = 0; i < this.#count; i++) sum += this.#values[i] as number
    return this.#count === 0 ? undefined : sum / this.#count
  }
}
