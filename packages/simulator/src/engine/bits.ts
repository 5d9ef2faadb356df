/** A set of small whole numbers. Each takes one bit. */
export class Bits {
  #words = new Uint32Array(8)

  has(number: number): boolean {
    return ((this.#words[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0
  }

  add(number: number): void {
    const word = number >>> 5
    if (word >= this.#words.length) {
      const larger = new Uint32Array(Math.max(word + 1, this.#words.length * 2))
      larger.set(this.#words)
      this.#words = larger
    }
    this.#words[word] = (this.#words[word] as number) | (1 << (number & 31))
  }

  delete(number: number): void {
    const word = number >>> 5
    if (word < this.#words.length) this.#words[word] = (this.#words[word] as number) & ~(1 << (number & 31))
  }

  equals(other: Bits): boolean {
    const length = Math.max(this.#words.length, other.#words.length)
    for (let i = 0; i < length; i++) if ((this.#words[i] ?? 0) !== (other.#words[i] ?? 0)) return false
    return true
  }
}
