import { JOB_HEADS, jobLines, type JobLine } from '../../model/job-table.ts'
import { shareText } from '../../model/quantity.ts'
import { hueName } from './colours.ts'
import type { Model } from './model.ts'

/** Shows the jobs as a table. Each column is as wide as its longest number. */
export function writeJobs(place: HTMLElement, model: Model, now: number): void {
  const lines = jobLines(model.jobs, (member) => model.members.get(member)?.location ?? '', now)
  const panel = place.parentElement as HTMLElement
  panel.hidden = lines.length === 0
  const table = document.createElement('table')
  table.createTHead().append(row('th', { kind: 'job', state: 'done', cells: JOB_HEADS }))
  table.createTBody().append(...lines.map((line) => lineOf(line, model)))
  // The place keeps its position when the lines change.
  const { scrollTop } = place
  place.replaceChildren(table)
  place.scrollTop = scrollTop
}

/** Returns a line. A function has a bar in its colour, as long as its share of the time. */
function lineOf(line: JobLine, { stream }: Model): HTMLElement {
  const { share, cells } = line
  if (share === undefined) return row('td', line)
  const made = row('td', { ...line, cells: [...cells.slice(0, -1), `${shareText(share)} of the time`] })
  made.style.setProperty('--hue', `var(${hueName(stream.kindOf(cells[0] ?? ''))})`)
  made.style.setProperty('--share', `${Math.round(share * 100)}%`)
  return made
}

function row(name: 'td' | 'th', { kind, state, cells }: JobLine): HTMLElement {
  const made = element('tr', `${kind} ${state}`)
  made.append(...cells.map((text) => element(name, '', text)))
  return made
}

function element(name: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(name)
  made.className = className
  made.textContent = text
  return made
}
