/** Returns one of the items at random. Undefined: there are no items. */
export function oneOf<Item>(items: readonly Item[]): Item | undefined {
  return items[Math.floor(Math.random() * items.length)]
}
