import { distance } from 'fastest-levenshtein'

/**
 * Returns the name that is most similar to this one, for an error message; undefined: no name is
 * similar.
 */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const within = names.find((each) => each.endsWith(`.${name}`) || each.includes(name))
  if (within !== undefined) return within
  const most = Math.max(2, name.length / 3)
  const [best] = names
    .filter((each) => Math.abs(each.length - name.length) <= most)
    .map((each) => ({ each, far: distance(name, each) }))
    .sort((a, b) => a.far - b.far)
  return best !== undefined && best.far <= most ? best.each : undefined
}
