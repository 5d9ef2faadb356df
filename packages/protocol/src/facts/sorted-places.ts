/**
 * Places in the registry, sorted by position, and by key at one position. All nodes that share a
 * registry share one instance. Each node walks over it and skips the places that it does not hold.
 */
export class SortedPlaces {
  /** Only the first {@link size} entries are valid. */
  places = new Int32Array(64)
  size = 0
  /** By place. */
  #positions = new Float64Array(64)
  readonly #keyOf: (place: number) => string

  constructor(keyOf: (place: number) => string) {
    this.#keyOf = keyOf
  }

  positionOf(place: number): number {
    return this.#positions[place] as number
  }

  add(place: number, position: number): void {
    if (place >= this.#positions.length) this.#positions = grown(this.#positions, place)
    this.#positions[place] = position
    if (this.size === this.places.length) this.places = grown(this.places, this.size)
    const index = this.lowerBound(position, this.#keyOf(place))
    this.places.copyWithin(index + 1, index, this.size)
    this.places[index] = place
    this.size += 1
  }

  remove(place: number): void {
    const index = this.lowerBound(this.positionOf(place), this.#keyOf(place))
    if (this.places[index] !== place) return
    this.places.copyWithin(index, index + 1, this.size)
    this.size -= 1
  }

  /** Returns the index of the first place that is not before this position and key. */
  lowerBound(position: number, key = ''): number {
    let low = 0
    let high = this.size
    while (low < high) {
      const middle = (low + high) >>> 1
      const place = this.places[middle] as number
      const at = this.#positions[place] as number
      if (at < position || (at === position && this.#keyOf(place) < key)) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Returns a longer copy with room for an element at `index`. */
export function grown<A extends Int32Array | Float64Array | Uint8Array>(array: A, index: number): A {
  const larger = new (array.constructor as new (length: number) => A)(Math.max(index + 1, 64, Math.ceil(array.length * 1.5)))
  larger.set(array)
  return larger
}
