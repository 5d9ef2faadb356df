/** A growing array with one byte for each number. All bytes are 0 at first. */
export class NumberedBytes {
  #bytes = new Uint8Array(64)

  get(number: number): number {
    return this.#bytes[number] ?? 0
  }

  set(number: number, value: number): void {
    if (number >= this.#bytes.length) {
      const larger = new Uint8Array(Math.max(number + 1, this.#bytes.length * 2))
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes[number] = value
  }
}
