import { distance } from 'fastest-levenshtein'

/** Returns the known word nearest to a mistyped word, or undefined if no known word is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3))
  let best: string | undefined
  let bestDistance = limit + 1
  for (const candidate of known) {
    const far = distance(word.toLowerCase(), candidate.toLowerCase())
    if (far < bestDistance) {
      best = candidate
      bestDistance = far
    }
  }
  return best
}
