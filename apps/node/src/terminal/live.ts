import type { Command } from '../commands/table.ts'
import type { NodeEvent } from '../events/events.ts'
import { oneLine } from '../base/text.ts'
import { messageOf } from '../base/usage-error.ts'
import { pauseFor } from '../model/allocation.ts'
import { Controls, type Key, type Table } from './controls.ts'
import { draw } from './picture.ts'
import type { Ask, Reporter } from './reporter.ts'
import { Screen, sizeOf } from './screen.ts'
import { PoolView } from './view.ts'
import { durationText } from '../events/quantity.ts'

/** The least time between two drawings, in milliseconds. A guess: smooth enough to read. */
const DRAW_INTERVAL = 100
/** The interval of drawings without events, ms. The shown times change. */
const TICK = 1_000
/**
 * `STATUS_INTERVAL` is the interval of status questions. `STATUS_DELAY` is the delay of a question
 * after a change of the pool, ms. Guesses.
 */
const STATUS_INTERVAL = 5_000
const STATUS_DELAY = 500

/** The pause between questions about jobs while they are shown, ms. Members report each second. */
const JOBS_PAUSE = 1_000
const QUESTIONS: Readonly<Record<Exclude<Table, 'members'>, readonly Command[]>> = {
  jobs: [{ command: 'jobs', work: true }],
  leases: [{ command: 'leases' }, { command: 'services' }],
}

/** The pool, and how the view ends. */
export interface LiveOptions {
  readonly pool: string
  /** The effect of `q`, for the last line: `leave` or `quit`. */
  readonly verb: 'leave' | 'quit'
  readonly quit: () => void
  /** Aborted when the view is about to end. The view takes no more keys then. */
  readonly signal: AbortSignal
}

/** A reporter that shows the pool on the whole terminal, controlled by keys. */
export class LiveReporter implements Reporter {
  readonly #options: LiveOptions
  readonly #view: PoolView
  readonly #controls = new Controls()
  readonly #screen: Screen
  readonly #ticks: NodeJS.Timeout
  #ask: Ask | undefined
  #asking: NodeJS.Timeout | undefined
  #due = 0
  #tableTimer: NodeJS.Timeout | undefined
  /** The table whose lines this view asks for. */
  #askedTable: Table = 'members'
  #drawing: NodeJS.Timeout | undefined
  #drawn = 0

  constructor(options: LiveOptions) {
    this.#options = options
    this.#view = new PoolView(options.pool)
    this.#screen = new Screen(
      { input: process.stdin, output: process.stdout },
      { key: (key) => this.#take(key), redraw: () => this.#change() },
    )
    this.#ticks = setInterval(() => this.#change(), TICK)
    options.signal.addEventListener('abort', () => {
      this.#screen.endKeys()
      this.#change()
    })
  }

  /** Whether the node has reported that it has left. */
  get stopped(): boolean {
    return this.#view.stopped
  }

  report(event: NodeEvent): void {
    this.#view.take(event, Date.now())
    if (event.event === 'joined' || event.event === 'left' || event.event === 'died') this.#askAfter(STATUS_DELAY)
    this.#change()
  }

  note(text: string): void {
    this.#view.note(text, Date.now())
    this.#change()
  }

  /** Asks the node regularly for data that no event carries. */
  follow(ask: Ask): void {
    this.#ask = ask
    void this.#question({ command: 'members', state: 'all' })
    this.#questions()
    this.#askAfter(STATUS_INTERVAL)
  }

  close(): void {
    clearInterval(this.#ticks)
    this.#ask = undefined
    clearTimeout(this.#asking)
    clearTimeout(this.#tableTimer)
    clearTimeout(this.#drawing)
    this.#screen[Symbol.dispose]()
    const { stopped, entered, pool } = this.#view
    if (stopped && entered !== undefined) process.stdout.write(`left ${oneLine(pool)} after ${durationText(Date.now() - entered)}\n`)
  }

  /**
   * Asks for the status after `delay` milliseconds, or earlier if a question is due earlier. Then
   * asks repeatedly.
   */
  #askAfter(delay: number): void {
    const due = Date.now() + delay
    if (this.#ask === undefined || (this.#asking !== undefined && this.#due <= due)) return
    clearTimeout(this.#asking)
    this.#due = due
    this.#asking = setTimeout(() => {
      this.#asking = undefined
      this.#questions()
      this.#askAfter(STATUS_INTERVAL)
    }, delay)
  }

  #questions(): void {
    void this.#question({ command: 'status' })
    void this.#question({ command: 'links' })
  }

  /** Asks for the lines of the shown table again and again, as long as it is shown. */
  async #askTable(): Promise<void> {
    const { table } = this.#controls
    if (table === this.#askedTable || this.#ask === undefined) return
    clearTimeout(this.#tableTimer)
    this.#askedTable = table
    if (table === 'members') return
    try {
      for (const command of QUESTIONS[table]) {
        const answer = await this.#ask(command)
        if (answer !== undefined && answer.event !== 'done') this.report(answer)
      }
    } catch (error) {
      // Without an answer the table would stay empty for no visible reason.
      if (this.#controls.table === table) this.#controls.table = 'members'
      this.note(`${table}: ${messageOf(error)}`)
    }
    // Another table may be shown by now, or the view has ended.
    if (this.#askedTable !== table || this.#ask === undefined) return
    const again = (): void => {
      this.#askedTable = 'members'
      void this.#askTable()
    }
    clearTimeout(this.#tableTimer)
    this.#tableTimer = setTimeout(again, table === 'jobs' ? JOBS_PAUSE : pauseFor(this.#view.here))
  }

  async #question(command: Command): Promise<void> {
    try {
      const answer = await this.#ask?.(command)
      if (answer !== undefined) this.report(answer)
    } catch {
      // An event has reported that the node is gone.
    }
  }

  #take(key: Key): void {
    if (this.#controls.take(key, this.#controls.choose(this.#view.rows(Date.now()))) === 'quit') this.#options.quit()
    else this.#change()
    void this.#askTable()
  }

  /** Draws now, or as soon as the interval permits. */
  #change(): void {
    this.#drawing ??= setTimeout(() => this.#draw(), Math.max(0, this.#drawn + DRAW_INTERVAL - Date.now()))
  }

  #draw(): void {
    this.#drawing = undefined
    this.#drawn = Date.now()
    this.#screen.draw(draw(this.#view, this.#controls, this.#drawn, sizeOf(process.stdout), this.#footer()))
  }

  #footer(): string {
    const { verb, signal } = this.#options
    if (signal.aborted) return verb === 'leave' ? 'leaving …' : ''
    if (!this.#screen.readsKeys) return `Ctrl-C: ${verb}`
    const { table } = this.#controls
    if (table !== 'members') return `q ${verb}  j k scroll  e events  ${table === 'jobs' ? 'Tab' : 'l'} members  ? help`
    return this.#controls.typing
      ? 'Enter keeps the filter, Escape ends it'
      : `q ${verb}  / filter  s sort  j k select  d details  e events  Tab jobs  l leases  ? help`
  }
}
