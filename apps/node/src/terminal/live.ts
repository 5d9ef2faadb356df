import { createLogUpdate } from 'log-update'
import colors from 'picocolors'
import stringWidth from 'string-width'
import type { NodeEvent, NodeJson } from '../agent/events.ts'
import { describe, healthWords, isInternal, nodeName, type Reporter } from './reporter.ts'
import { tableOf } from '../base/table.ts'
import { oneLine } from '../base/text.ts'
import { span } from '../base/time.ts'

/** How often the picture is drawn at most, in milliseconds. A guess: smooth enough to read. */
const DRAW_INTERVAL = 100
/** How long who is gone stays in the table, in milliseconds. A guess: long enough to be noticed. */
const GONE_FOR = 10_000
const RECENT_EVENTS = 6
/** Title, address, column heads, blank lines and the recent events. */
const ROWS_BESIDES_TABLE = RECENT_EVENTS + 7

interface Row {
  readonly node: NodeJson
  readonly state: 'here' | 'left' | 'died'
  readonly since: number
}

/** The pool as a person at a terminal likes to look at it: who is here, who has which role, what happened last. */
export class LiveView {
  readonly #pool: string
  readonly #rows = new Map<string, Row>()
  readonly #roles = new Map<string, NodeJson>()
  readonly #recent: string[] = []
  #self: NodeJson | undefined
  #health: string | undefined

  constructor(pool: string) {
    this.#pool = pool
  }

  take(event: NodeEvent, now: number): void {
    switch (event.event) {
      case 'started':
        this.#self = event.node
        break
      case 'joined':
        if (event.node.id === this.#self?.id) this.#self = event.node
        this.#rows.set(event.node.id, { node: event.node, state: 'here', since: now })
        break
      case 'left':
      case 'died':
        this.#rows.set(event.node.id, { node: event.node, state: event.event, since: now })
        break
      case 'updated': {
        if (event.node.id === this.#self?.id) this.#self = event.node
        const row = this.#rows.get(event.node.id)
        if (row) this.#rows.set(event.node.id, { ...row, node: event.node })
        break
      }
      case 'elected':
        this.#roles.set(event.election, event.node)
        break
      case 'health':
        this.#health = event.alone || event.minority || event.suspectedShare > 0 ? healthWords(event) : undefined
        return
      default:
    }
    if (!isInternal(event)) this.note(describe(event), now)
  }

  note(text: string, now: number): void {
    this.#recent.push(`${new Date(now).toTimeString().slice(0, 8)} ${text}`)
    if (this.#recent.length > RECENT_EVENTS) this.#recent.shift()
  }

  /** The picture, not wider and not higher than the terminal. */
  draw(now: number, columns: number, height: number): string {
    for (const [id, row] of this.#rows) {
      if (row.state !== 'here' && now - row.since > GONE_FOR) this.#rows.delete(id)
    }
    const rows = [...this.#rows.values()]
    const here = rows.filter((row) => row.state === 'here').length
    const room = Math.max(3, height - ROWS_BESIDES_TABLE)
    const shown =
      rows.length > room
        ? [...rows.filter((row) => this.#isNotable(row)), ...rows.filter((row) => !this.#isNotable(row))].slice(0, room)
        : rows
    const table = [['', 'NODE', 'STATE', 'FOR', 'LOCATION', 'ROLES'], ...shown.map((row) => this.#cells(row, now))]
    const lines: [string, Paint][] = [
      [`${oneLine(this.#pool)}  ${here} ${here === 1 ? 'member' : 'members'}`, colors.bold],
      [this.#self?.addresses[0] ?? '', colors.dim],
      [this.#health ?? '', colors.yellow],
      ...tableOf(table).map((line, index): [string, Paint] => [line, paintOf(shown[index - 1])]),
      [rows.length > shown.length ? `… and ${rows.length - shown.length} more` : '', colors.dim],
      ...this.#recent.map((line): [string, Paint] => [line, colors.dim]),
      ['Ctrl-C leaves the pool', colors.dim],
    ]
    return lines.map(([line, paint]) => paint(cut(line, columns))).join('\n')
  }

  #isNotable(row: Row): boolean {
    return row.state !== 'here' || row.node.id === this.#self?.id || this.#rolesOf(row.node).length > 0
  }

  #cells({ node, state, since }: Row, now: number): string[] {
    return [
      node.id === this.#self?.id ? '*' : '',
      nodeName(node),
      state,
      span(now - since),
      cut(oneLine(node.location), 32),
      this.#rolesOf(node).join(' '),
    ]
  }

  #rolesOf(node: NodeJson): string[] {
    return [...this.#roles]
      .filter(([, winner]) => winner.id === node.id && winner.incarnation === node.incarnation)
      .map(([name]) => oneLine(name))
  }
}

/** Draws a view at the bottom of the terminal and keeps it up to date. */
export function liveReporter(terminal: NodeJS.WriteStream, pool: string): Reporter {
  const view = new LiveView(pool)
  const update = createLogUpdate(terminal)
  let changed = true
  const draw = (): void => update(view.draw(Date.now(), terminal.columns, terminal.rows))
  const timer = setInterval(() => {
    // The column with the time spent here moves on by itself.
    if (changed || Date.now() % 1000 < DRAW_INTERVAL) draw()
    changed = false
  }, DRAW_INTERVAL)
  return {
    report(event) {
      view.take(event, Date.now())
      changed = true
    },
    note(text) {
      view.note(text, Date.now())
      changed = true
    },
    close() {
      clearInterval(timer)
      draw()
      update.done()
    },
  }
}

type Paint = (text: string) => string

function paintOf(row: Row | undefined): Paint {
  if (row === undefined) return colors.dim
  if (row.state === 'here') return String
  return row.state === 'died' ? colors.red : colors.dim
}

/** Cuts text without escapes by how wide it is on a terminal. */
function cut(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text
  let kept = ''
  for (const character of text) {
    if (stringWidth(kept + character) > columns - 1) break
    kept += character
  }
  return `${kept}…`
}
