import { allocationLines } from '../../model/allocation-table.ts'
import type { Model } from './model.ts'

/** Shows leases, groups and services as a table. Rows and cells change in place. */
export function writeAllocation(place: HTMLElement, model: Model, now: number): void {
  const lines = allocationLines(model.allocation, (member) => model.members.get(member)?.location ?? '', now)
  const panel = place.parentElement as HTMLElement
  panel.hidden = lines.length === 0
  const body = place.querySelector('tbody') ?? place.appendChild(document.createElement('table')).createTBody()
  const { rows } = body
  while (rows.length > lines.length) body.lastElementChild?.remove()
  while (rows.length < lines.length) {
    const row = body.insertRow()
    row.insertCell()
    row.insertCell()
  }
  for (const [i, { kind, name, note, isBad }] of lines.entries()) {
    const row = rows[i] as HTMLElement
    const className = isBad ? `${kind} waiting` : kind
    if (row.className !== className) row.className = className
    for (const [at, text] of [name, note].entries()) {
      const cell = row.children[at] as HTMLElement
      if (cell.textContent !== text) cell.textContent = text
    }
  }
}
