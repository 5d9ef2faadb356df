import { JOB_HEADS, jobLines, type JobLine } from '../../model/job-table.ts'
import { hueName } from './colours.ts'
import type { Model } from './model.ts'
import { shareText } from '../../events/quantity.ts'

/**
 * Shows the jobs as a table. Each column is as wide as its longest number. Rows and cells change in
 * place: a table of hundreds of rows that is made anew each second costs a fifth of the frames.
 */
export function writeJobs(place: HTMLElement, model: Model, now: number): void {
  const lines = jobLines(model.jobs, (member) => model.members.get(member)?.location ?? '', now)
  const panel = place.parentElement as HTMLElement
  panel.hidden = lines.length === 0
  const body = bodyOf(place)
  const { rows } = body
  while (rows.length > lines.length) body.lastElementChild?.remove()
  while (rows.length < lines.length) body.append(newRow('td'))
  for (const [i, line] of lines.entries()) writeLine(rows[i] as HTMLElement, line, model)
}

/** Returns the body of the table. The first call makes the table. */
function bodyOf(place: HTMLElement): HTMLTableSectionElement {
  const known = place.querySelector('tbody')
  if (known !== null) return known
  const table = place.appendChild(document.createElement('table'))
  const head = table.createTHead().appendChild(newRow('th'))
  for (const [i, text] of JOB_HEADS.entries()) (head.children[i] as HTMLElement).textContent = text
  return table.createTBody()
}

/** Writes a line. A function has a bar in its colour, as long as its share of the time. */
function writeLine(row: HTMLElement, { kind, state, cells, share }: JobLine, { stream }: Model): void {
  const texts = share === undefined ? cells : [...cells.slice(0, -1), `${shareText(share)} of the time`]
  const className = `${kind} ${state}`
  if (row.className !== className) row.className = className
  for (const [i, text] of texts.entries()) {
    const cell = row.children[i] as HTMLElement
    if (cell.textContent !== text) cell.textContent = text
  }
  if (share === undefined) row.removeAttribute('style')
  else row.style.cssText = `--hue: var(${hueName(stream.kindOf(cells[0] ?? ''))}); --share: ${Math.round(share * 100)}%`
}

function newRow(name: 'td' | 'th'): HTMLElement {
  const row = document.createElement('tr')
  row.append(...JOB_HEADS.map(() => document.createElement(name)))
  return row
}
