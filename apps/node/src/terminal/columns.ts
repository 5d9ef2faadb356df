import { cellWidth } from './line.ts'
import { nodeName } from '../events/event-text.ts'
import { naturalOrder } from '../model/order.ts'
import type { Row } from './view.ts'
import { durationText, timeText } from '../events/quantity.ts'

/** A column of the table of members. */
export interface Column {
  readonly name: 'node' | 'state' | 'for' | 'rtt' | 'location' | 'tag' | 'address' | 'elected'
  /** The minimum width, in cells; undefined: the text is never cut. */
  readonly least?: number
  readonly text: (row: Row, now: number) => string
  readonly compare: (one: Row, other: Row) => number
}

/** The width from which there is room for whole ids, in cells. An id has 52. */
const WIDE = 160
/** `GAP` cells are between columns, and `MARK` cells are before the first column. */
const GAP = 2
const MARK = 2
/** The maximum width of a member's text, in cells. A guess. */
const MOST = 48
/**
 * If there is no room, these columns are left out, in this order. The key `d` shows the details of
 * the selected member, with all these texts except `rtt`.
 */
const DISPENSABLE: readonly Column['name'][] = ['address', 'rtt', 'tag', 'location', 'for']

/** Sorts after any text. */
const LAST = '\u{10FFFF}'
const words = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1)
/** The order of members: recently gone, elected, others. */
const rank = ({ state, elected }: Row): number => (state !== 'here' ? 0 : elected.length > 0 ? 1 : 2)

const STATE: Column = { name: 'state', text: ({ state }) => state, compare: (one, other) => rank(one) - rank(other) }
const SHORT: Column = {
  name: 'node',
  text: ({ node }) => nodeName(node),
  compare: (one, other) => words(nodeName(one.node), nodeName(other.node)),
}
const WHOLE: Column = { ...SHORT, text: ({ node }) => node.id }
const OTHERS: readonly Column[] = [
  STATE,
  { name: 'for', text: ({ since }, now) => durationText(Math.max(0, now - since)), compare: (one, other) => one.since - other.since },
  {
    name: 'rtt',
    text: ({ roundTrip }) => (roundTrip === undefined ? '' : timeText(roundTrip)),
    compare: (one, other) => (one.roundTrip ?? Infinity) - (other.roundTrip ?? Infinity) || 0,
  },
  { name: 'location', least: 8, text: ({ location }) => location, compare: (one, other) => naturalOrder(one.location, other.location) },
  { name: 'tag', least: 6, text: ({ tag }) => tag, compare: (one, other) => words(one.tag || LAST, other.tag || LAST) },
  { name: 'address', least: 15, text: ({ address }) => address, compare: (one, other) => words(one.address, other.address) },
  {
    name: 'elected',
    least: 10,
    text: reignsOf,
    compare: (one, other) => other.elected.length - one.elected.length || words(reignsOf(one), reignsOf(other)),
  },
]

/** The columns by which the table can be sorted, in turn. */
export const SORTS = [STATE.name, ...OTHERS.slice(1).map(({ name }) => name), SHORT.name]

/** Formats as `master (3)`, with the epoch in brackets. */
function reignsOf({ elected }: Row): string {
  return elected.map(({ election, epoch }) => `${election} (${epoch})`).join(' ')
}

/** Sorts rows by a column. On a tie the oldest come first. */
export function sortRows(rows: readonly Row[], by: Column['name']): Row[] {
  const { compare } = [SHORT, ...OTHERS].find(({ name }) => name === by) as Column
  return rows.toSorted((one, other) => compare(one, other) || one.since - other.since || words(one.node.id, other.node.id))
}

/** Returns the columns that fit, each with its width in cells for all these rows. */
export function fitColumns(rows: readonly Row[], now: number, columns: number): (Column & { readonly width: number })[] {
  const wanted = [columns >= WIDE ? WHOLE : SHORT, ...OTHERS].map((column) => ({
    ...column,
    width: rows.reduce(
      (width, row) => Math.max(width, Math.min(cellWidth(column.text(row, now)), column.name === 'node' ? Infinity : MOST)),
      column.name.length,
    ),
  }))
  for (let dropped = 0; ; dropped += 1) {
    const kept = wanted.filter(({ name }) => !DISPENSABLE.slice(0, dropped).includes(name))
    const fitted = shrink(kept, columns - MARK - GAP * (kept.length - 1))
    if (fitted !== undefined || dropped === DISPENSABLE.length) return fitted ?? kept
  }
}

/** Narrows the widest columns until all fit. Returns undefined if they can't. */
function shrink<Sized extends Column & { width: number }>(columns: readonly Sized[], room: number): Sized[] | undefined {
  const sized = columns.map((column) => ({ ...column }))
  for (let excess = sized.reduce((sum, { width }) => sum + width, -room); excess > 0; excess -= 1) {
    const [widest] = sized.filter(({ least, width }) => least !== undefined && width > least).sort((one, other) => other.width - one.width)
    if (widest === undefined) return undefined
    widest.width -= 1
  }
  return sized
}
