const NAMES = ['text', 'muted', 'line', 'edge', 'panel', 'accent', 'good', 'bad', 'warn'] as const

/** The colours of the page. They depend on the theme. */
export interface Colours {
  readonly named: Readonly<Record<(typeof NAMES)[number], string>>
  /** The colours of the sites, and of functions. */
  readonly hues: readonly string[]
}

/** The number of hues in the style sheet. Code can't list them. */
const HUES = 8

/**
 * Returns the name of a hue in the style sheet. Sites beyond the last hue have the
 * hue of links.
 */
export function hueName(at: number): string {
  return at < HUES ? `--site-${at}` : '--edge'
}

/** Reads the colours of the present theme. A canvas does not know the names of colours. */
export function readColours(): Colours {
  // The property has the colours of both themes. The computed colour of an element is the colour in
  // the present theme.
  const probe = document.body.appendChild(document.createElement('i'))
  const read = (name: string): string => {
    probe.style.color = `var(${name})`
    return getComputedStyle(probe).color
  }
  const named = Object.fromEntries(NAMES.map((name) => [name, read(`--${name}`)])) as Colours['named']
  const hues = Array.from({ length: HUES }, (_, i) => read(hueName(i)))
  probe.remove()
  return { named, hues }
}
