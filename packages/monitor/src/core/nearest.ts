/** Returns the number of characters to insert, delete or replace between two texts. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] as number) + Number(one[i - 1] !== other[j - 1])
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, replaced))
    }
    row = next
  }
  return row.at(-1) as number
}

/**
 * Returns the name that is most like this one, for an error message; undefined: none is like it.
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
