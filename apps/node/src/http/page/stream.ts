import { SECONDS, type Cell, type StreamView, type Strip } from '../../model/task-stream.ts'
import { hueName } from './colours.ts'
import { counted, shortId } from '../../events/quantity.ts'

/**
 * Shows what each member computed in the last minute: a strip with a cell a second, in the colour
 * of the function that took most of it. Rows change in place, so the page does no more than draw 16
 * gradients a second, at any rate of tasks.
 */
export function writeStream(place: HTMLElement, { strips, more, functions }: StreamView, nameOf: (member: string) => string): void {
  const panel = place.parentElement as HTMLElement
  panel.hidden = strips.length === 0
  while (place.children.length > strips.length) place.lastElementChild?.remove()
  while (place.children.length < strips.length) place.append(newRow())
  for (const [i, strip] of strips.entries()) {
    const row = place.children[i] as HTMLElement
    const [name, cells, workers] = row.children as unknown as [HTMLElement, HTMLElement, HTMLElement]
    row.title = `${strip.member}\n${nameOf(strip.member)}`
    setText(name, shortId(strip.member))
    setText(workers, workersText(strip.workers))
    cells.ariaLabel = stripText(strip, functions)
    cells.style.backgroundImage = imageOf(strip.cells)
  }
  const [legend, rest] = [panel.querySelector('.legend') as HTMLElement, panel.querySelector('.none') as HTMLElement]
  setText(rest, more === 0 ? '' : `and ${counted(more, 'more member')}`)
  legend.replaceChildren(
    ...functions.map(({ fn = 'others', kind, share }) => {
      const item = element('site', `${fn} ${Math.round(share * 100)} %`)
      item.style.setProperty('--hue', `var(${hueName(kind)})`)
      return item
    }),
  )
}

/** Returns the strip as images of CSS: above the marks of failures, below the cells. */
export function imageOf(cells: readonly Cell[]): string {
  return `${gradient(cells.map(({ failed }) => (failed > 0 ? 'var(--bad)' : 'transparent')))}, ${gradient(cells.map(colourOf))}`
}

/** Describes a strip for those who do not see it. */
export function stripText({ cells, workers, failed }: Strip, functions: StreamView['functions']): string {
  const busy = cells.filter((cell) => cell.busy > 0)
  const counts = functions.map(({ fn = 'others', kind }) => [fn, busy.filter((cell) => cell.kind === kind).length] as const)
  const most = counts.filter(([, count]) => count > 0).sort(([, one], [, other]) => other - one)
  const parts = [
    `busy in ${busy.length} of ${SECONDS} s`,
    busy.length === 0 ? '' : workersText(workers),
    ...most.map(([fn, count]) => `${fn} for ${count} s`),
    failed === 0 ? '' : `${failed} failed`,
  ]
  return parts.filter(Boolean).join(', ')
}

function workersText(workers: number): string {
  return `${workers < 9.95 ? workers.toFixed(1) : Math.round(workers)} busy`
}

/**
 * Returns the colour of a cell. The opacity has eight steps, so that neighbours are often equal.
 * Equal neighbours are one part of the image.
 */
function colourOf({ kind, busy, isOpen }: Cell): string {
  if (busy > 0) return `color-mix(in srgb, var(${hueName(kind)}) ${20 + Math.ceil(busy * 8) * 10}%, transparent)`
  return isOpen ? 'var(--line)' : 'transparent'
}

function gradient(colours: readonly string[]): string {
  const parts: string[] = []
  let begin = 0
  for (const [at, colour] of colours.entries()) {
    if (colours[at + 1] === colour) continue
    parts.push(`${colour} ${percent(begin, colours)} ${percent(at + 1, colours)}`)
    begin = at + 1
  }
  return `linear-gradient(90deg, ${parts.join(', ')})`
}

function percent(at: number, { length }: readonly unknown[]): string {
  return `${Number(((at / length) * 100).toFixed(2))}%`
}

function newRow(): HTMLElement {
  const row = element('strip')
  row.role = 'listitem'
  const cells = element('cells')
  cells.role = 'img'
  row.append(element('node'), cells, element('workers'))
  return row
}

function element(className: string, text = ''): HTMLElement {
  const made = document.createElement('span')
  made.className = className
  made.textContent = text
  return made
}

function setText(place: HTMLElement, text: string): void {
  if (place.textContent !== text) place.textContent = text
}
