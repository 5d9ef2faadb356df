import colors from 'picocolors'
import { oneLine } from '../base/text.ts'
import { allocationLines, type AllocationLine } from '../model/allocation-table.ts'
import type { Controls } from './controls.ts'
import { cellWidth, fill, wrapped, type Line } from './line.ts'
import type { PoolView } from './view.ts'

/** The most cells of a name. A guess. */
const NAME_MOST = 28
const GAP = 2

/** Returns the table of leases, groups and services, at most `room` lines below its head. */
export function allocationTable(view: PoolView, controls: Controls, now: number, columns: number, room: number): Line[] {
  if (!view.allocation.isKnown) return [[['  asking the members …', colors.dim]]]
  const lines = allocationLines(view.allocation, (member) => view.members.get(member)?.location ?? '', now).map(safe)
  if (lines.length === 0) return [[['  no member offers a capacity, starts a group or has a service', colors.dim]]]
  const width = Math.min(NAME_MOST, Math.max(...lines.map(({ name }) => cellWidth(name))))
  const all = lines.flatMap((line) => linesOf(line, width, columns))
  const visible = controls.windowOfLines(all, room)
  const from = controls.lineOffset
  const position = all.length > visible.length ? `${from + 1}–${from + visible.length} of ${all.length}` : ''
  return [[[position, colors.dim]], ...visible]
}

/** Returns a line, with its note on as many lines as it takes. */
function linesOf({ kind, name, note, isBad }: AllocationLine, width: number, columns: number): Line[] {
  if (kind === 'head') return [[[name.toUpperCase(), colors.dim]]]
  const indent = kind === 'item' ? '' : '  '
  const room = Math.max(1, columns - width - GAP - 2)
  const paint = isBad ? colors.yellow : kind === 'item' ? String : colors.dim
  const [first = '', ...rest] = wrapped(note, room)
  const left = fill(`${indent}${name}`, width + 2) + ' '.repeat(GAP)
  const further = rest.map((text): Line => [[' '.repeat(cellWidth(left))], [text, paint]])
  return [
    [
      [left, kind === 'item' ? colors.bold : String],
      [first, paint],
    ],
    ...further,
  ]
}

/** Texts of other members must not move the cursor. */
function safe(line: AllocationLine): AllocationLine {
  return { ...line, name: oneLine(line.name), note: oneLine(line.note) }
}
