import colors from 'picocolors'
import { oneLine } from '../base/text.ts'
import { JOB_HEADS, jobLines, type JobLine } from '../model/job-table.ts'
import type { Controls } from './controls.ts'
import { cellWidth, fill, wrapped, type Line, type Paint } from './line.ts'
import type { PoolView } from './view.ts'

/** The most and the least width of a name, in cells. Guesses. */
const NAME_MOST = 32
const NAME_LEAST = 10
const GAP = 2
/** If there is no room, these columns are left out, in this order. Numbers are never cut. */
const DISPENSABLE: readonly string[] = ['mean', 'failed', 'waiting', 'running', 'done', 'tasks']

/**
 * Returns the table of jobs, with at most `room` lines below its head.
 */
export function jobTable(view: PoolView, controls: Controls, now: number, columns: number, room: number): Line[] {
  if (!view.jobs.isKnown) return [[['  asking for the jobs …', colors.dim]]]
  const lines = jobLines(view.jobs, (member) => view.members.get(member)?.location ?? '', now).map(safe)
  if (lines.length === 0) return [[['  the pool has no jobs', colors.dim]]]
  const indented = lines.map((line) => (line.kind === 'job' ? line : { ...line, cells: line.cells.with(0, `  ${line.cells[0]}`) }))
  const shown = fitted(indented, columns)
  const all = indented.flatMap((line) => withNote(line, numbersOf(line, shown), columns))
  const visible = controls.windowOfLines(all, room)
  const from = controls.lineOffset
  const position = all.length > visible.length ? `  ${from + 1}–${from + visible.length} of ${all.length}` : ''
  const head = shown.map(({ at, width }) => cell(JOB_HEADS[at]?.toUpperCase() ?? '', at, width)).join(' '.repeat(GAP))
  return [
    [
      [head, colors.dim],
      [position, colors.dim],
    ],
    ...visible,
  ]
}

interface Shown {
  readonly at: number
  readonly width: number
}

/** Returns the columns that fit, each with its width. Notes have lines of their own. */
function fitted(lines: readonly JobLine[], columns: number): Shown[] {
  const wanted = JOB_HEADS.slice(0, -1).map((head, at) => ({
    at,
    head,
    width: Math.max(cellWidth(head), ...lines.map(({ cells }) => cellWidth(cells[at] ?? ''))),
  }))
  for (let dropped = 0; ; dropped += 1) {
    const [name, ...numbers] = wanted.filter(({ head }) => !DISPENSABLE.slice(0, dropped).includes(head))
    const left = columns - numbers.reduce((sum, { width }) => sum + width + GAP, 0)
    const width = Math.min(name?.width ?? 0, NAME_MOST, Math.max(left, NAME_LEAST))
    if (width <= left || dropped === DISPENSABLE.length) return [{ at: 0, width }, ...numbers]
  }
}

function numbersOf({ kind, state, cells }: JobLine, shown: readonly Shown[]): Line {
  const text = shown.map(({ at, width }) => cell(cells[at] ?? '', at, width)).join(' '.repeat(GAP))
  return [[text.trimEnd(), paintOf(kind, state)]]
}

/** Returns a line and its note. The location of a member is on its line if there is room. */
function withNote(line: JobLine, numbers: Line, columns: number): Line[] {
  const note = `  ${line.cells.at(-1) ?? ''}`
  const width = numbers.reduce((sum, [text]) => sum + cellWidth(text), cellWidth(note))
  return line.kind === 'member' && width <= columns ? [[...numbers, [note, colors.dim]]] : [numbers, ...notesOf(line, columns)]
}

/** Returns the note of a line, as many lines as it takes. */
function notesOf({ kind, state, cells }: JobLine, columns: number): Line[] {
  const note = cells.at(-1) ?? ''
  if (note === '') return []
  const paint = kind === 'failure' ? colors.red : state === 'pending' && kind === 'job' ? colors.yellow : colors.dim
  const indent = kind === 'job' ? '  ' : '    '
  return wrapped(note, Math.max(1, columns - indent.length)).map((text): Line => [[indent], [text, paint]])
}

/** Names are on the left, numbers on the right. */
function cell(text: string, at: number, width: number): string {
  return at === 0 ? fill(text, width) : ' '.repeat(Math.max(0, width - cellWidth(text))) + text
}

function paintOf(kind: JobLine['kind'], state: JobLine['state']): Paint {
  if (kind !== 'job') return kind === 'failure' ? colors.red : String
  if (state === 'active') return colors.bold
  return state === 'failed' ? colors.red : state === 'pending' || state === 'suspended' ? colors.yellow : colors.dim
}

/** Texts of other members must not move the cursor. */
function safe(line: JobLine): JobLine {
  return { ...line, cells: line.cells.map(oneLine) }
}
