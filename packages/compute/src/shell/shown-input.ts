import { ARGUMENTS } from '../program/cbor-bounds.ts'

/** Maximum characters of an input that other members see. A guess: a line. */
export const MAX_SHOWN = 200
/** Maximum bytes of a text that are shown. A guess. */
const MAX_TEXT = 100
const SIMPLE = new Map([
  [20, 'false'],
  [21, 'true'],
  [22, 'null'],
  [23, 'undefined'],
])

/**
 * Returns the beginning of an encoded input, as text for people. It reads the heads of the CBOR one
 * after the other, and builds no value: this thread must not decode what others made up.
 */
export function shownInput(input: Uint8Array): string {
  const reader = new Reader(input)
  try {
    reader.item()
  } catch {
    // The text is long enough, or these bytes are no CBOR that `encodeValue` makes.
    reader.text += '…'
  }
  return reader.text.length > MAX_SHOWN ? `${reader.text.slice(0, MAX_SHOWN - 1)}…` : reader.text
}

/** Each item adds at least one character. So the length of the text bounds the work. */
class Reader {
  text = ''
  readonly #data: Uint8Array
  readonly #view: DataView
  #at = 0

  constructor(data: Uint8Array) {
    this.#data = data
    this.#view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  }

  item(): void {
    if (this.text.length > MAX_SHOWN) throw new RangeError('enough')
    const head = this.#view.getUint8(this.#at++)
    const [major, info] = [head >> 5, head & 31]
    if (major === 7) {
      this.text += SIMPLE.get(info) ?? String(this.#float(info))
      return
    }
    const count = this.#argument(info)
    if (major === 0) this.text += String(count)
    else if (major === 1) this.text += String(-1n - BigInt(count))
    else if (major === 2) this.text += `${this.#skip(Number(count)).length} bytes`
    else if (major === 3) this.#string(Number(count))
    else if (major === 4) this.#list('[', ']', Number(count), () => this.item())
    else if (major === 5) this.#list('{ ', ' }', Number(count), () => this.#entry())
    // A reference to an earlier part has only its number.
    else if (count === 29) throw new RangeError('a reference')
    else {
      this.text += ' '
      this.item()
    }
  }

  #list(open: string, close: string, count: number, part: () => void): void {
    this.text += open
    for (let index = 0; index < count; index++) {
      if (index > 0) this.text += ', '
      part()
    }
    this.text += close
  }

  #entry(): void {
    this.item()
    this.text += ': '
    this.item()
  }

  #string(length: number): void {
    const shown = this.#skip(length).subarray(0, MAX_TEXT)
    this.text += JSON.stringify(new TextDecoder().decode(shown)).slice(0, MAX_TEXT + 2) + (length > MAX_TEXT ? '…' : '')
  }

  #skip(length: number): Uint8Array {
    const bytes = this.#data.subarray(this.#at, this.#at + length)
    if (bytes.length < length) throw new RangeError('it is cut off')
    this.#at += length
    return bytes
  }

  #argument(info: number): number | bigint {
    if (info < 24) return info
    const at = this.#at
    this.#at += this.#sizeOf(info)
    if (info === 24) return this.#view.getUint8(at)
    if (info === 25) return this.#view.getUint16(at)
    return info === 26 ? this.#view.getUint32(at) : this.#view.getBigUint64(at)
  }

  #float(info: number): number {
    const at = this.#at
    this.#at += this.#sizeOf(info)
    if (info === 26) return this.#view.getFloat32(at)
    if (info === 27) return this.#view.getFloat64(at)
    throw new RangeError('no number that encodeValue makes')
  }

  #sizeOf(info: number): number {
    const size = ARGUMENTS[info - 24]
    if (size === undefined) throw new RangeError('no known length')
    return size
  }
}
