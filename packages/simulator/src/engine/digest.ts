const scratch = new DataView(new ArrayBuffer(8))

/** Something that adds its own parts to a digest. */
interface Digestible {
  digest(into: Digest): void
}

/**
 * A running 64-bit digest of numbers, bytes and text: two multiply-and-xor lanes (after cyrb53,
 * public domain). It is fast and the same on every machine. It is not cryptographic.
 */
export class Digest {
  #high: number
  #low: number

  constructor(seed = 0) {
    this.#high = 0xdeadbeef ^ seed
    this.#low = 0x41c6ce57 ^ seed
  }

  /** Adds a whole number below 2^32. */
  word(value: number): void {
    this.#high = Math.imul(this.#high ^ value, 2654435761)
    this.#low = Math.imul(this.#low ^ value, 1597334677)
    this.#high ^= this.#low >>> 15
  }

  number(value: number): void {
    scratch.setFloat64(0, value)
    this.word(scratch.getInt32(0))
    this.word(scratch.getInt32(4))
  }

  bytes(data: Uint8Array): void {
    this.word(data.length)
    const whole = data.length & ~3
    for (let i = 0; i < whole; i += 4) {
      this.word((data[i] as number) | ((data[i + 1] as number) << 8) | ((data[i + 2] as number) << 16) | ((data[i + 3] as number) << 24))
    }
    for (let i = whole; i < data.length; i++) this.word(data[i] as number)
  }

  content(data: Uint8Array | Digestible): void {
    if (data instanceof Uint8Array) this.bytes(data)
    else data.digest(this)
  }

  text(value: string): void {
    this.word(value.length)
    for (let i = 0; i < value.length; i++) this.word(value.charCodeAt(i))
  }

  /** Returns the state as two words. More input may follow. */
  words(): [high: number, low: number] {
    const high = Math.imul(this.#high ^ (this.#high >>> 16), 2246822507) ^ Math.imul(this.#low ^ (this.#low >>> 13), 3266489909)
    const low = Math.imul(this.#low ^ (this.#low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
    return [high >>> 0, low >>> 0]
  }

  hex(): string {
    return this.words()
      .map((word) => word.toString(16).padStart(8, '0'))
      .join('')
  }
}

/** Returns 53 bits of the digest of a content, as a key for maps. */
export function contentHash(data: Uint8Array | Digestible): number {
  const digest = new Digest()
  digest.content(data)
  const [high, low] = digest.words()
  return (high & 0x1fffff) * 2 ** 32 + low
}

/**
 * Returns a 32-bit seed for one concern (`'network'`, `'node 7'`), so that a further draw for one
 * concern does not shift the draws of another.
 */
export function deriveSeed(seed: number, concern: string): number {
  const digest = new Digest(seed)
  digest.number(seed)
  digest.text(concern)
  return digest.words()[1]
}
