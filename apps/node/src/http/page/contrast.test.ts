import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const css = readFileSync(new URL('../static/page.css', import.meta.url), 'utf8')

/** The least contrast of text with its background: WCAG 2.2, 1.4.3, level AA. */
const LEAST = 4.5
/** The least contrast of a dot, or of a line: WCAG 2.2, 1.4.11. */
const LEAST_OF_SHAPES = 3

type Rgb = readonly number[]

const named = (text: string): string[] => [...text.matchAll(/--([\w-]+): light-dark/gu)].map(([, name]) => name as string)
const texts = (text: string): string[] => [
  ...new Set([...text.matchAll(/(?<![\w-])color: ([^;]+);/gu)].map(([, value]) => value as string)),
]
const backgrounds = (text: string): string[] => [
  ...new Set([...text.matchAll(/background(?:-color)?: ((?:var|color-mix)\([^;]+\));/gu)].map(([, value]) => value as string)),
]

/**
 * Returns the texts that are hard to read: each text colour of a style sheet is compared with each
 * of its backgrounds, in both themes. That is more than the page combines, but it needs no list of
 * combinations.
 */
function problemsOf(text: string): string[] {
  const problems = [...text.matchAll(/opacity: (?!1;)[^;]+;/gu)].map(([found]) => `text that shows its background: ${found}`)
  for (const theme of [0, 1]) {
    const panel = colourOf(text, 'panel', theme)
    for (const value of texts(text)) {
      if (value === 'inherit') continue
      const name = /^var\(--(\w+)\)$/u.exec(value)?.[1]
      if (name === undefined) problems.push(`a colour without a name: ${value}`)
      else
        for (const each of backgrounds(text)) {
          const found = contrast(colourOf(text, name, theme), backgroundOf(text, each, theme, panel))
          if (found < LEAST) problems.push(`${name} on ${each}, theme ${theme}: ${found.toFixed(2)}`)
        }
    }
  }
  return problems
}

/**
 * Returns a background: a colour, or a part of a colour over a panel. `--hue` is a dot, without
 * text.
 */
function backgroundOf(text: string, value: string, theme: number, panel: Rgb): Rgb {
  const [, name = '', part = '100'] = /var\(--(\w+)\)(?: (\d+)%, transparent)?/u.exec(value) ?? []
  if (name === 'hue') return panel
  return colourOf(text, name, theme).map((channel, at) => (channel * Number(part) + (panel[at] ?? 0) * (100 - Number(part))) / 100)
}

function colourOf(text: string, name: string, theme: number): Rgb {
  const pair = new RegExp(`--${name}: light-dark\\(#(\\w+), #(\\w+)\\)`, 'u').exec(text)
  const hex = pair?.[theme + 1]
  if (hex === undefined) throw new Error(`${name} has no colour for each theme`)
  const digits = hex.length === 3 ? hex.match(/./gu)!.map((digit) => digit + digit) : hex.match(/../gu)!
  return digits.map((each) => Number.parseInt(each, 16))
}

function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Returns the relative luminance, as WCAG defines it. */
function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((channel) =>
    channel / 255 <= 0.040_45 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

it('all text can be read on all backgrounds, light and dark', () => {
  expect(texts(css)).toEqual(expect.arrayContaining(['text', 'muted', 'accent', 'good', 'bad', 'warn'].map((name) => `var(--${name})`)))
  expect(backgrounds(css)).toEqual(
    expect.arrayContaining(['var(--back)', 'var(--panel)', 'var(--select)', 'color-mix(in srgb, var(--good) 14%, transparent)']),
  )
  expect(problemsOf(css)).toEqual([])
})

it('dots and lines of the picture differ from its background', () => {
  const shapes = named(css).filter((name) => /^site-|^edge$/u.test(name))
  expect(shapes).toHaveLength(9)
  for (const theme of [0, 1]) {
    for (const name of shapes)
      expect([name, contrast(colourOf(css, name, theme), colourOf(css, 'panel', theme)) >= LEAST_OF_SHAPES]).toEqual([name, true])
  }
})

it.each([
  ['a muted text that is too light', '--muted: light-dark(#596272', '--muted: light-dark(#8a93a3', 'muted on var(--panel), theme 0'],
  ['a warning that is too dark', ', #e5b454)', ', #8a5600)', 'warn on var(--panel), theme 1'],
  ['a strong flash behind text', 'var(--bad) 14%', 'var(--bad) 60%', 'on color-mix(in srgb, var(--bad) 60%'],
  ['half transparent text', 'opacity: 1;', 'opacity: 0.5;', 'opacity: 0.5'],
  ['a colour that has no name', 'color: var(--warn);', 'color: #ccc;', 'a colour without a name: #ccc'],
])('is not met by %s', (_, from, to, problem) => {
  expect(css).toContain(from)
  expect(problemsOf(css.replace(from, to)).join('\n')).toContain(problem)
})

it('the ratio is that of WCAG', () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21)
  // The lightest grey that is allowed on white.
  expect(contrast([118, 118, 118], [255, 255, 255])).toBeCloseTo(4.54, 2)
})
