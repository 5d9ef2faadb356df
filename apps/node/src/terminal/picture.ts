import colors from 'picocolors'
import { healthLevel } from '../events/health.ts'
import { reasonAt } from '../model/reason-at.ts'
import { oneLine } from '../base/text.ts'
import { allocationTable } from './allocation-table.ts'
import { fitColumns } from './columns.ts'
import type { Controls } from './controls.ts'
import { jobTable } from './job-table.ts'
import { fill, paintLine, type Line, type Paint } from './line.ts'
import { ledgerText } from '../model/ledger-text.ts'
import { addressText, healthText, nodeName } from '../events/event-text.ts'
import type { Happening, PoolView, Row } from './view.ts'
import { durationText } from '../events/quantity.ts'

/**
 * The time for which a newcomer or a dead member stands out, in milliseconds. A guess: long enough
 * to be seen.
 */
const FRESH = 5_000
/**
 * `EVENTS_SHARE` is the largest share of the height for events. `EVENTS_MOST` is their largest
 * number of lines. Guesses: the members matter more.
 */
const EVENTS_SHARE = 0.3
const EVENTS_MOST = 10
/**
 * The number of unreachable introducers that are named. A guess: more would push the members off a
 * small terminal.
 */
const INTRODUCERS_MOST = 3
/** Events and details leave at least this number of rows to the table. */
const ROWS_LEAST = 3

/** The size of a terminal, in cells. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

const HELP = [
  ['q', 'quit'],
  ['/', 'filter by id, location or tag; Enter keeps it, Escape ends it'],
  ['s', 'sort by the next column'],
  ['j k, arrows', 'select a member'],
  ['PgUp PgDn', 'a page up or down; Home, End'],
  ['d, Enter', 'details of the selected member'],
  ['Tab', 'jobs, or members again'],
  ['l', 'groups, leases and services, or members again'],
  ['e', 'show or hide what happened'],
  ['Escape', 'back'],
  ['?', 'this help'],
] as const

/**
 * Returns the picture as lines with colours. They fit the terminal in number and width. `footer` is
 * the last line.
 */
export function draw(view: PoolView, controls: Controls, now: number, { columns, rows: height }: Size, footer: string): string[] {
  const all = view.rows(now)
  const chosen = controls.choose(all)
  const head = [...headOf(view, now), filterOf(controls, chosen.length, all.length)].filter((line) => line !== undefined)
  const foot: Line[] = footer === '' ? [] : [[[footer, colors.dim]]]
  // The two lines are the head of the table and the gap above it.
  const space = height - head.length - foot.length - 2
  const pane = controls.help ? [] : paneOf(view, controls, chosen, now, space - ROWS_LEAST)
  const room = Math.max(0, space - pane.length)
  const table = (): Line[] =>
    controls.table === 'members'
      ? tableOf(view, controls, chosen, now, columns, room)
      : (controls.table === 'jobs' ? jobTable : allocationTable)(view, controls, now, columns, room)
  const body = controls.help ? helpLines() : table()
  const blank: Line[] = Array.from({ length: Math.max(0, space + 1 - body.length - pane.length) }, () => [])
  const lines = [...head, [], ...body, ...(footer === '' ? [] : blank), ...pane]
  return [...lines.slice(0, height - foot.length), ...foot].map((line) => paintLine(line, columns))
}

/** The head: the pool, this node, its connectivity, and the elected members. */
function headOf(view: PoolView, now: number): Line[] {
  const { self, entered, status, health, ledger } = view
  const gone = [view.left > 0 ? `${view.left} left` : '', view.died > 0 ? `${view.died} died` : ''].filter(Boolean).join(', ')
  const time = entered === undefined ? '' : `for ${durationText(Math.max(0, now - entered))}`
  const state = self === undefined ? 'entering …' : view.stopped ? 'left' : `${view.here} ${view.here === 1 ? 'member' : 'members'}`
  const lines: Line[] = [
    [[oneLine(view.pool), colors.bold], [`  ${state}`], [gone === '' ? '' : `  ${gone}`, colors.dim], [`  ${time}`, colors.dim]],
  ]
  if (self !== undefined) {
    const memory = status === undefined ? '' : `  version ${status.version}, ${(status.memory / 1e6).toFixed(0)} MB`
    lines.push([['node      ', colors.dim], [`${nodeName(self)} at ${addressText(self.addresses[0] ?? '')}`], [memory, colors.dim]])
  }
  if (health !== undefined) {
    const paint = { bad: colors.red, warn: colors.yellow, good: colors.green }[healthLevel(health)]
    lines.push([
      ['health    ', colors.dim],
      [healthText({ event: 'health', ...health }), paint],
    ])
    for (const { address, reason } of health.introducers.slice(0, INTRODUCERS_MOST)) {
      lines.push([['          '], [oneLine(reasonAt(address, reason)), colors.yellow]])
    }
  }
  if (ledger !== undefined)
    lines.push([
      ['ledger    ', colors.dim],
      [ledgerText(ledger), ledger.state === 'ready' ? colors.green : colors.red],
    ])
  const reigns = [...view.reigns.values()].reverse()
  if (reigns.length > 0) {
    const words = reigns.map(({ election, epoch, node }) => `${oneLine(election)}: ${nodeName(node)}, epoch ${epoch}`)
    lines.push([
      ['elected   ', colors.dim],
      [words.join('   '), colors.cyan],
    ])
  }
  return lines
}

function filterOf({ filter, typing }: Controls, found: number, all: number): Line | undefined {
  if (filter === '' && !typing) return undefined
  return [['filter    ', colors.dim], [filter, colors.bold], [typing ? '_' : ''], [`  ${found} of ${all}`, colors.dim]]
}

function tableOf(view: PoolView, controls: Controls, rows: readonly Row[], now: number, columns: number, room: number): Line[] {
  const shown = controls.window(rows, room)
  const fitted = fitColumns(rows, now, columns)
  const position = rows.length > shown.length ? `  ${controls.offset + 1}–${controls.offset + shown.length} of ${rows.length}` : ''
  const head: Line = [
    ['  '],
    ...fitted.map(({ name, width }): Line[number] => [
      `${fill(name.toUpperCase(), width)}  `,
      name === controls.sort ? (text) => colors.dim(colors.underline(text.trimEnd()) + text.slice(text.trimEnd().length)) : colors.dim,
    ]),
    [position, colors.dim],
  ]
  const body = shown.map((row): Line => {
    const texts = fitted.map((column) => fill(column.text(row, now), column.width))
    const mark = row.node.id === view.self?.id ? '* ' : '  '
    if (row.node.id === controls.selected) return [[fill(mark + texts.join('  '), columns), colors.inverse]]
    const paint = paintOf(row, now)
    return [
      [mark],
      ...fitted.map(({ name }, index): Line[number] => [
        `${texts[index]}  `,
        name === 'elected' && row.state === 'here' ? colors.cyan : paint,
      ]),
    ]
  })
  return [head, ...body]
}

/** Newcomers are green. Dead members are red, and then fade like leavers. */
function paintOf({ state, since }: Row, now: number): Paint {
  const fresh = now - since < FRESH
  if (state === 'here') return fresh ? colors.green : String
  if (state === 'left') return colors.dim
  return fresh ? colors.red : (text) => colors.dim(colors.red(text))
}

/** Returns the part below the table, in at most `most` lines. */
function paneOf(view: PoolView, controls: Controls, rows: readonly Row[], now: number, most: number): Line[] {
  const selected = controls.details && controls.table === 'members' ? rows.find(({ node }) => node.id === controls.selected) : undefined
  const lines = selected !== undefined ? detailsOf(selected, now) : controls.events ? eventsOf(view, most) : []
  return lines.slice(0, Math.max(0, most))
}

function detailsOf({ node, state, since, location, tag, elected }: Row, now: number): Line[] {
  const lines: (readonly [string, string])[] = [
    ['id', node.id],
    ['state', `${state} for ${durationText(Math.max(0, now - since))}, incarnation ${node.incarnation}`],
    ['location', location],
    ['tag', tag],
    ...node.addresses.map((address) => ['address', oneLine(address)] as const),
    ...elected.map(({ election, epoch }) => ['elected', `${election}, epoch ${epoch}`] as const),
  ]
  return [[], ...lines.map(([what, words]): Line => [[what.padEnd(10), colors.dim], [words]])]
}

function eventsOf({ happenings }: PoolView, most: number): Line[] {
  const room = Math.min(EVENTS_MOST, Math.floor((most + ROWS_LEAST) * EVENTS_SHARE))
  const shown = room > 0 ? happenings.slice(-room) : []
  if (shown.length === 0) return []
  return [
    [],
    ...shown.map(({ time, kind, text }): Line => [
      [`${new Date(time).toTimeString().slice(0, 8)}  `, colors.dim],
      [text, COLOURS[kind] ?? colors.dim],
    ]),
  ]
}

const COLOURS: Partial<Record<Happening['kind'], Paint>> = {
  joined: colors.green,
  died: colors.red,
  elected: colors.cyan,
  error: colors.yellow,
  note: String,
}

function helpLines(): Line[] {
  return HELP.map(([key, words]): Line => [['  '], [key.padEnd(14), colors.bold], [words]])
}
