import { SORTS, sortRows, type Column } from './columns.ts'
import type { Row } from './view.ts'

/** A key in the form of `node:readline`. */
export interface Key {
  readonly name?: string | undefined
  readonly ctrl?: boolean | undefined
  readonly meta?: boolean | undefined
  /** The characters that the key sent. */
  readonly sequence?: string | undefined
}

/** The keys that act in all tables, not only in the table of members. */
const EVERYWHERE: ReadonlySet<string> = new Set(['q', '?', 'e', 'l', 'tab'])

/** A table. `leases` also has groups and services. */
export type Table = 'members' | 'jobs' | 'leases'

/** The longest filter, in characters. A guess: longer filters find nothing. */
const FILTER_LIMIT = 64

/**
 * The state that a person sets by keys: filter, order, selection and panes. It has no access to a
 * terminal.
 */
export class Controls {
  filter = ''
  /** Whether the filter is being typed. */
  typing = false
  sort: Column['name'] = 'state'
  events = true
  details = false
  help = false
  /** The table that is shown. */
  table: Table = 'members'
  /** The first visible line of a table other than that of members. */
  lineOffset = 0
  /** The id of the selected member. */
  selected: string | undefined
  /** The first visible row of the table. */
  offset = 0
  /** The number of visible rows. */
  room = 1

  /** Returns the rows that match the filter, in order. */
  choose(rows: readonly Row[]): Row[] {
    const wanted = this.filter.toLowerCase()
    const found = rows.filter(({ node, location, tag }) => [node.id, location, tag].some((text) => text.toLowerCase().includes(wanted)))
    return sortRows(found, this.sort)
  }

  /** Returns the visible rows, at most `room`. The selected row is among them. */
  window(rows: readonly Row[], room: number): readonly Row[] {
    this.room = Math.max(1, room)
    const index = this.#indexIn(rows)
    if (index !== -1) this.offset = Math.min(index, Math.max(this.offset, index - this.room + 1))
    this.offset = Math.max(0, Math.min(this.offset, rows.length - this.room))
    return rows.slice(this.offset, this.offset + room)
  }

  /** Returns the visible lines of another table than that of members, at most `room`. */
  windowOfLines<Type>(lines: readonly Type[], room: number): readonly Type[] {
    this.room = Math.max(1, room)
    this.lineOffset = Math.max(0, Math.min(this.lineOffset, lines.length - this.room))
    return lines.slice(this.lineOffset, this.lineOffset + room)
  }

  /** Handles a key. `rows`: the result of `choose`. Returns `quit` if the key ends the view. */
  take(key: Key, rows: readonly Row[]): 'quit' | undefined {
    if (this.typing) this.#type(key)
    else if (this.help) this.help = false
    else if (this.table !== 'members' && !EVERYWHERE.has(key.sequence ?? '') && !EVERYWHERE.has(key.name ?? '')) this.#scroll(key.name)
    else return this.#command(key, rows)
    return undefined
  }

  #command({ name, sequence }: Key, rows: readonly Row[]): 'quit' | undefined {
    switch (sequence === '/' || sequence === '?' ? sequence : name) {
      case 'q':
        return 'quit'
      case 'tab':
        this.#show('jobs')
        break
      case 'l':
        this.#show('leases')
        break
      case '/':
        this.typing = true
        break
      case '?':
        this.help = true
        break
      case 's':
        this.sort = SORTS[(SORTS.indexOf(this.sort) + 1) % SORTS.length] ?? this.sort
        break
      case 'e':
        this.events = !this.events
        break
      case 'd':
      case 'return':
        this.details = !this.details
        this.selected ??= rows[0]?.node.id
        break
      case 'escape':
        if (this.details) this.details = false
        else if (this.filter === '') this.selected = undefined
        else this.filter = ''
        break
      default:
        this.#move(name, rows)
    }
    return undefined
  }

  /** Shows a table. If it is shown already, shows the members instead. */
  #show(table: Table): void {
    this.table = this.table === table ? 'members' : table
    this.lineOffset = 0
  }

  /** Scrolls a table other than that of members. */
  #scroll(name: string | undefined): void {
    const by = { down: 1, j: 1, up: -1, k: -1, pagedown: this.room, pageup: -this.room, home: -Infinity, end: Infinity }[name ?? '']
    if (by !== undefined) this.lineOffset = Math.max(0, this.lineOffset + by)
    if (name === 'escape') this.table = 'members'
  }

  #move(name: string | undefined, rows: readonly Row[]): void {
    const index = this.#indexIn(rows)
    const last = rows.length - 1
    const to = new Map([
      ['down', index + 1],
      ['j', index + 1],
      ['up', index - 1],
      ['k', index - 1],
      ['pagedown', Math.max(index, 0) + this.room],
      ['pageup', index - this.room],
      ['home', 0],
      ['end', last],
    ]).get(name ?? '')
    if (to !== undefined) this.selected = rows[Math.max(0, Math.min(to, last))]?.node.id
  }

  #type({ name, sequence = '', ctrl, meta }: Key): void {
    if (name === 'return' || name === 'enter') this.typing = false
    else if (name === 'escape') {
      this.typing = false
      this.filter = ''
    } else if (name === 'backspace') this.filter = this.filter.replace(/.$/su, '')
    else if (ctrl === true && name === 'u') this.filter = ''
    else if (ctrl !== true && meta !== true && /^[^\p{Cc}]$/u.test(sequence)) this.filter = (this.filter + sequence).slice(0, FILTER_LIMIT)
  }

  #indexIn(rows: readonly Row[]): number {
    return this.selected === undefined ? -1 : rows.findIndex(({ node }) => node.id === this.selected)
  }
}
