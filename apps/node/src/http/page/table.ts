import type { MemberFigures } from '../../agent/member-figures.ts'
import { nodeTime } from './clock.ts'
import type { Model, Row, SortKey } from './model.ts'
import { bytesText } from './text.ts'
import { durationText, shortId, timeText } from '../../events/quantity.ts'

/** The height of a row as in page.css, pixels. */
const ROW = 28

const COLUMNS: readonly { readonly title: string; readonly key: SortKey | undefined; readonly about: string }[] = [
  { title: 'node', key: 'id', about: 'the end of its id' },
  { title: 'state', key: undefined, about: '' },
  { title: 'for', key: 'age', about: 'since this node was told of it' },
  { title: 'location', key: 'location', about: '' },
  { title: 'rtt', key: 'roundTrip', about: 'how long the last probe between it and this node took to be answered' },
  { title: 'busy', key: undefined, about: 'its workers that run a task, of all its workers' },
  { title: 'memory', key: undefined, about: 'the resident memory of its process, without those of programs' },
  { title: 'traffic', key: undefined, about: 'the bytes that it has sent and received since its start' },
  { title: 'roles', key: undefined, about: 'elections that it won' },
  { title: 'tag', key: undefined, about: '' },
  { title: 'address', key: undefined, about: '' },
]

/**
 * The members as a table. The document holds only the visible rows, so thousands of members are as
 * quick as ten.
 */
export class Table {
  readonly #model: Model
  readonly #scroller: HTMLElement
  readonly #body: HTMLElement
  readonly #heads: readonly HTMLElement[]
  readonly #pick: (id: string | undefined) => void
  readonly #lines: HTMLElement[] = []
  #rows: readonly Row[] = []
  #search = ''
  #key: SortKey = 'location'
  #isDescending = false
  #selected: string | undefined

  /** `pick` gets the id of the member that is selected. */
  constructor(model: Model, scroller: HTMLElement, pick: (id: string | undefined) => void) {
    this.#model = model
    this.#scroller = scroller
    this.#pick = pick
    const head = scroller.appendChild(element('div', 'line head'))
    head.role = 'row'
    this.#heads = COLUMNS.map(({ title, key, about }) => {
      const cell = head.appendChild(element(key === undefined ? 'span' : 'button', 'cell'))
      cell.textContent = title
      cell.title = about
      if (key !== undefined) cell.onclick = () => this.#sortBy(key)
      return cell
    })
    this.#body = scroller.appendChild(element('div', 'body'))
    scroller.addEventListener('scroll', () => this.#fill(), { passive: true })
    new ResizeObserver(() => this.#fill()).observe(scroller)
  }

  get count(): number {
    return this.#rows.length
  }

  /** The selected member, if it is still shown. */
  get selected(): Row | undefined {
    return this.#rows.find(({ id }) => id === this.#selected)
  }

  search(text: string): void {
    this.#search = text
    this.update()
  }

  /** Shows the present state of the model. */
  update(): void {
    this.#rows = this.#model.list(this.#search, this.#key, this.#isDescending)
    this.#body.style.height = `${this.#rows.length * ROW}px`
    for (const [i, cell] of this.#heads.entries()) {
      const isKey = COLUMNS[i]?.key === this.#key
      cell.ariaSort = isKey ? (this.#isDescending ? 'descending' : 'ascending') : 'none'
      cell.classList.toggle('up', isKey && !this.#isDescending)
      cell.classList.toggle('down', isKey && this.#isDescending)
    }
    this.#fill()
  }

  /** Moves the selection, but not beyond the first or last row. */
  move(by: number): void {
    const at = this.#rows.findIndex(({ id }) => id === this.#selected)
    const next = at < 0 ? (by > 0 ? 0 : this.#rows.length - 1) : Math.min(Math.max(at + by, 0), this.#rows.length - 1)
    const row = this.#rows[next]
    if (row !== undefined) this.select(row.id)
  }

  select(id: string | undefined): void {
    this.#selected = id
    const at = this.#rows.findIndex((row) => row.id === id)
    if (at >= 0) {
      const { scrollTop, clientHeight } = this.#scroller
      const [top, bottom] = [at * ROW, (at + 2) * ROW]
      if (top < scrollTop) this.#scroller.scrollTop = top
      else if (bottom > scrollTop + clientHeight) this.#scroller.scrollTop = bottom - clientHeight
    }
    this.#fill()
    this.#pick(id)
  }

  #sortBy(key: SortKey): void {
    this.#isDescending = this.#key === key && !this.#isDescending
    this.#key = key
    this.update()
  }

  #fill(): void {
    const first = Math.floor(this.#scroller.scrollTop / ROW)
    const count = Math.min(Math.ceil(this.#scroller.clientHeight / ROW) + 1, this.#rows.length - first)
    while (this.#lines.length < count) this.#lines.push(this.#newLine())
    for (const [i, line] of this.#lines.entries()) {
      const row = i < count ? this.#rows[first + i] : undefined
      line.hidden = row === undefined
      if (row !== undefined) this.#write(line, row, first + i)
    }
  }

  #newLine(): HTMLElement {
    const line = this.#body.appendChild(element('div', 'line'))
    line.role = 'row'
    for (const { title } of COLUMNS) line.appendChild(element('span', `cell ${title}`)).role = 'gridcell'
    line.onclick = () => this.select(line.dataset['id'])
    return line
  }

  #write(line: HTMLElement, row: Row, at: number): void {
    const { id, state, since, location, tag, address } = row
    const model = this.#model
    const trip = state === 'here' ? model.roundTrip(id) : undefined
    const isSelf = id === model.self?.id
    const cells = [
      shortId(id),
      state,
      durationText(nodeTime() - since),
      location,
      trip === undefined ? '' : timeText(trip),
      ...figureTexts(state === 'here' ? model.figuresOf(id) : undefined),
      model.rolesOf(id).join(' '),
      tag,
      address,
    ]
    line.dataset['id'] = id
    line.style.transform = `translateY(${at * ROW}px)`
    const isNew = nodeTime() - since < 4_000
    line.className = `line ${state}${isSelf ? ' self' : ''}${id === this.#selected ? ' selected' : ''}${isNew ? ' new' : ''}`
    line.ariaSelected = String(id === this.#selected)
    for (const [i, text] of cells.entries()) {
      const cell = line.children[i] as HTMLElement
      if (cell.textContent !== text) cell.textContent = text
    }
    line.title = `${id}, incarnation ${row.node.incarnation}`
  }
}

/** Returns the cells of a member's workers, memory and traffic. */
function figureTexts(figures: MemberFigures | undefined): readonly [busy: string, memory: string, traffic: string] {
  if (figures === undefined) return ['', '', '']
  const { workers, busy, memory, traffic } = figures
  return [workers === 0 ? '' : `${busy} of ${workers}`, bytesText(memory), bytesText(traffic)]
}

function element(name: string, className: string): HTMLElement {
  const made = document.createElement(name)
  made.className = className
  return made
}
