/** Returns the results in the order of the items. At most `atOnce` are under way. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  ask: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const waiting = items.entries()
  const results: Result[] = []
  const work = async (): Promise<void> => {
    for (const [at, item] of waiting) results[at] = await ask(item)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return results
}
