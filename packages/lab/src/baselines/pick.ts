/** Returns `count` different elements, each equally likely; all elements if there are no more. */
export function pickDistinct<T>(from: readonly T[], count: number, random: () => number): T[] {
  if (count >= from.length) return [...from]
  // Floyd's algorithm: it takes `count` draws for a list of any length.
  const chosen = new Set<number>()
  for (let i = from.length - count; i < from.length; i++) {
    const drawn = Math.floor(random() * (i + 1))
    chosen.add(chosen.has(drawn) ? i : drawn)
  }
  return Array.from(chosen, (place) => from[place] as T)
}
