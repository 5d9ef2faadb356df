import type { Answer } from '../../events/events.ts'
import type { WatchingJson } from '../watch-feed.ts'
import { niceAbove } from './charts.ts'
import { hueName } from './colours.ts'
import { plainEvent } from './feed.ts'
import { counted, countText, shortId } from '../../events/quantity.ts'

/** The samples of a member that are drawn: those of two minutes. A guess. */
const SAMPLES = 120
/** The number of hues of lines. Members beyond share them. */
const HUES = 8
/** The size of the drawing, in its own units. The style sheet stretches it. */
const [WIDTH, HEIGHT] = [SAMPLES - 1, 100]
const SVG = 'http://www.w3.org/2000/svg'

type Told = WatchingJson | Answer

/** The values of one member, the latest last. */
interface Series {
  readonly numbers: number[]
  latest: string
}

/** Draws an attribute of the members, a line for each, while its panel is open. */
export function showWatch(panel: HTMLDetailsElement, nameOf: (member: string) => string): void {
  const input = panel.querySelector('input') as HTMLInputElement
  const note = panel.querySelector('small') as HTMLElement
  const all = new Map<string, Series>()
  let source: EventSource | undefined
  let unit = ''

  const take = (event: Told): void => {
    if (event.event === 'watching') {
      const before = new Map(all)
      all.clear()
      for (const member of event.members) all.set(member, before.get(member) ?? { numbers: [], latest: '' })
      note.textContent = event.of > event.members.length ? `the ${event.members.length} members that are here longest, of ${event.of}` : ''
    }
    if (event.event === 'sample') {
      const series = all.get(event.member)
      if (series === undefined) return
      unit = event.unit === '1' ? '' : event.unit
      if (typeof event.value === 'number') series.numbers.push(event.value)
      if (series.numbers.length > SAMPLES) series.numbers.shift()
      series.latest = valueText(event.value)
    }
    if (event.event === 'unsampled' && event.why !== 'gap') {
      const series = all.get(event.member)
      if (series !== undefined) series.latest = event.reason ?? event.message ?? event.why
    }
    draw(panel, all, unit, nameOf)
  }
  const begin = (): void => {
    source?.close()
    source = undefined
    const name = input.value.trim()
    if (!panel.open || name === '') return
    const opened = new EventSource(`watch?name=${encodeURIComponent(name)}`)
    source = opened
    // These are of another attribute, or of the time before the panel was closed.
    all.clear()
    note.textContent = 'waiting for samples'
    opened.onmessage = ({ data }) => take(plainEvent(data as string) as Told)
    opened.onerror = () => {
      // The browser would ask a node that refuses again and again.
      opened.close()
      if (source === opened) note.textContent = 'the node sends no samples: too many pages watch, or this is no name'
    }
  }
  panel.ontoggle = () => {
    begin()
    if (panel.open) void suggest(panel)
  }
  input.onchange = begin
  panel.hidden = false
}

/** Suggests the names of the attributes of the node. */
async function suggest(panel: HTMLElement): Promise<void> {
  const response = await fetch('watch').catch(() => undefined)
  if (response?.ok !== true) return
  const names = (await response.json()) as string[]
  panel.querySelector('datalist')?.replaceChildren(...names.map((name) => Object.assign(document.createElement('option'), { value: name })))
}

function draw(panel: HTMLElement, all: ReadonlyMap<string, Series>, unit: string, nameOf: (member: string) => string): void {
  const numbers = [...all.values()].flatMap((series) => series.numbers)
  const [least, most] = rangeOf(numbers)
  const svg = panel.querySelector('svg') as SVGElement
  svg.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`)
  const range = `${valueText(least)} to ${valueText(most)} ${unit}`.trimEnd()
  svg.ariaLabel = `${counted(all.size, 'member')}, from ${range}`
  svg.replaceChildren(
    ...[...all.values()].map((series, at) => {
      const line = document.createElementNS(SVG, 'polyline')
      line.setAttribute('points', pointsOf(series.numbers, least, most))
      line.style.stroke = hueOf(at)
      return line
    }),
  )
  const legend = [...all].map(([member, { latest }], at) => {
    const item = document.createElement('span')
    item.className = 'site'
    item.style.setProperty('--hue', hueOf(at))
    item.textContent = `${shortId(member)} ${latest}`
    item.title = `${member}\n${nameOf(member)}`
    return item
  })
  const scale = Object.assign(document.createElement('span'), { className: 'none', textContent: range })
  panel.querySelector('.legend')?.replaceChildren(scale, ...legend)
}

/** Returns the least and the greatest number of the drawing. The drawing includes zero. */
export function rangeOf(numbers: readonly number[]): readonly [least: number, most: number] {
  const [least, most] = [Math.min(0, ...numbers), Math.max(0, ...numbers)]
  return [least < 0 ? -niceAbove(-least) : 0, most > 0 ? niceAbove(most) : least < 0 ? 0 : 1]
}

/** Returns the points of a line. The latest number is at the right edge. */
export function pointsOf(numbers: readonly number[], least: number, most: number): string {
  const first = SAMPLES - numbers.length
  return numbers.map((value, at) => `${first + at},${(HEIGHT * (1 - (value - least) / (most - least))).toFixed(1)}`).join(' ')
}

function hueOf(at: number): string {
  return `var(${hueName(at % HUES)})`
}

function valueText(value: unknown): string {
  if (typeof value !== 'number') return String(value)
  return Math.abs(value) < 9999.5 ? String(Number(value.toPrecision(4))) : countText(value)
}
