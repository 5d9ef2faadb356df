/** Returns the element with this id. */
export function find(id: string): HTMLElement {
  return document.getElementById(id) as HTMLElement
}

/** The lists that are shown, as text, by the id of their place. */
const filled = new Map<string, string>()

/** Shows a list, unless it is shown already: a button with the focus would lose it. */
export function fill<Item>(id: string, items: readonly Item[], make: (item: Item) => HTMLElement): void {
  const version = JSON.stringify(items)
  if (filled.get(id) === version) return
  filled.set(id, version)
  find(id).replaceChildren(...items.map(make))
}

/** Returns a line of texts: a button if it can be clicked. */
export function line(className: string, texts: readonly string[], onclick?: () => void): HTMLElement {
  const made = document.createElement(onclick === undefined ? 'div' : 'button')
  made.className = className
  if (onclick !== undefined) made.onclick = onclick
  for (const text of texts) made.appendChild(document.createElement('span')).textContent = text
  return made
}
