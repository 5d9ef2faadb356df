/** Returns one of these at random. Undefined: there is none. */
export function oneOf<Item>(items: readonly Item[]): Item | undefined {
  return items[Math.floor(Math.random() * items.length)]
}
