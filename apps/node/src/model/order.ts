const collator = new Intl.Collator('en', { numeric: true })

/** Compares texts as people sort them: `site 2` comes before `site 10`. */
export function naturalOrder(one: string, other: string): number {
  return collator.compare(one, other) || (one < other ? -1 : Number(one > other))
}
