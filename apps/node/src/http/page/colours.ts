const NAMES = ['text', 'muted', 'line', 'edge', 'panel', 'accent', 'good', 'bad', 'warn'] as const

/** The colours of the page. They depend on the theme. */
export interface Colours {
  readonly named: Readonly<Record<(typeof NAMES)[number], string>>
  /** The colours of the sites. */
  readonly hues: readonly string[]
}

export function readColours(): Colours {
  const style = getComputedStyle(document.documentElement)
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  return {
    named: Object.fromEntries(NAMES.map((name) => [name, read(name)])) as Colours['named'],
    hues: Array.from({ length: 8 }, (_, i) => read(`site-${i}`)),
  }
}
