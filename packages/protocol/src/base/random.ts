/**
 * Returns a seeded generator of numbers in [0, 1): sfc32 (PractRand), started from a splitmix of
 * the seed. A seed gives the same sequence on every machine.
 */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  const split = (): number => {
    state = (state + 0x9e3779b9) | 0
    let z = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35)
    return z ^ (z >>> 16)
  }
  let a = split()
  let b = split()
  let c = split()
  let counter = 1
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return (sum >>> 0) / 4294967296
  }
  for (let i = 0; i < 12; i++) next()
  return next
}

/** Returns a whole number in [0, bound). */
export function pickIndex(random: () => number, bound: number): number {
  return Math.min(Math.floor(random() * bound), bound - 1)
}

/** Returns one of the items, or undefined if there is none. */
export function pickOne<T>(random: () => number, items: readonly T[]): T | undefined {
  return items.length === 0 ? undefined : items[pickIndex(random, items.length)]
}

/**
 * Returns up to `count` different items in random order (a partial Fisher–Yates shuffle of a copy).
 */
export function pickSome<T>(random: () => number, items: readonly T[], count: number): T[] {
  const pool = [...items]
  const end = Math.min(count, pool.length)
  for (let i = 0; i < end; i++) {
    const j = i + pickIndex(random, pool.length - i)
    const swapped = pool[i] as T
    pool[i] = pool[j] as T
    pool[j] = swapped
  }
  return pool.slice(0, end)
}
