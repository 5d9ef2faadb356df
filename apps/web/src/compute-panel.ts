/** The controls that let the tab compute for others, and the display of its work. */
import { plainText, shortId, durationText } from '@jel/node/page'
import type { Work } from './messages.ts'

export interface ComputePanelEvents {
  readonly onStart: (workers: number) => void
  readonly onStop: () => void
}

/** The share of the cores that the tab uses by default. A guess. */
const DEFAULT_SHARE = 0.5
/**
 * A job without a task here for this time counts as waiting, ms. A guess: to steal a task from
 * another member takes far less time.
 */
const IDLE_TIME = 5_000

/**
 * The panel of computing. It does not begin to compute by itself, not even after a reload. Unless
 * the user chooses otherwise, it stops while the tab is hidden, and begins again when the tab is
 * shown.
 */
export class ComputePanel {
  readonly #button = make('button')
  readonly #workers = make('input')
  readonly #hidden = make('input')
  /** A screen reader reads each change of the state. It reads the figures only on demand. */
  readonly #state = make('span')
  readonly #figures = make('span')
  readonly #controls = make('span')
  readonly #about = make('small')
  readonly #element = make('section')
  readonly #events: ComputePanelEvents
  /** The user wants this tab to compute. */
  #isWanted = false
  #work: Work | undefined
  #busyAt = 0
  /** Why the member could not begin to compute. */
  #problem: string | undefined
  #isFrozen = false
  /** The tasks and the time of earlier periods of computing in this tab. */
  #before = { tasks: 0, ran: 0 }

  constructor(events: ComputePanelEvents) {
    this.#events = events
    const cores = navigator.hardwareConcurrency
    Object.assign(this.#workers, {
      type: 'number',
      min: '1',
      max: String(cores),
      value: String(Math.max(1, Math.floor(cores * DEFAULT_SHARE))),
    })
    this.#hidden.type = 'checkbox'
    this.#state.role = 'status'
    this.#figures.className = 'figures'
    this.#about.textContent = 'Programs of others run here in a sandbox without network. Nothing runs until you press the button.'
    this.#controls.append(labelled(`cores of ${cores}`, this.#workers), labelled('also when hidden', this.#hidden))
    this.#button.className = 'primary'
    this.#button.addEventListener('click', () => (this.#isWanted || this.#work !== undefined ? this.#stop() : this.#start()))
    this.#workers.addEventListener('change', () => {
      this.#chosen()
      if (this.#isWanted) this.#go()
    })
    document.addEventListener('visibilitychange', () => this.#shown())
    // A browser may freeze a hidden page. The programs of a frozen page do not run. So the page
    // stops computing, and others take over its tasks.
    document.addEventListener('freeze', () => {
      this.#isFrozen = true
      if (this.#isWanted) this.#events.onStop()
    })
    document.addEventListener('resume', () => {
      this.#isFrozen = false
      if (this.#isWanted && !this.#isPaused) this.#go()
    })
    this.#element.className = 'panel volunteer'
    this.#element.ariaLabel = 'computing'
    this.#element.append(this.#button, this.#controls, this.#state, this.#figures, this.#about)
    document.querySelector('header')?.after(this.#element)
    this.hide()
  }

  /** The tab is a member. */
  show(): void {
    this.#element.hidden = false
    this.#write()
  }

  /** The tab is no member. */
  hide(): void {
    this.#isWanted = false
    this.#work = undefined
    this.#element.hidden = true
  }

  /**
   * @param work undefined: the member does not compute
   * @param problem why the member could not begin to compute
   */
  take(work: Work | undefined, problem?: string): void {
    // With another number of cores the member counts anew.
    if (work === undefined || work.tasks < (this.#work?.tasks ?? 0)) this.#keep()
    // The user stopped computing in another tab, or the member could not begin.
    const isOver = work === undefined && !this.#isPaused && !this.#isFrozen
    if (isOver || problem !== undefined) this.#isWanted = false
    if (problem !== undefined) this.#problem = problem
    if (work !== undefined && (work.busy > 0 || work.tasks !== this.#work?.tasks)) this.#busyAt = performance.now()
    this.#work = work
    this.#write()
  }

  get #isPaused(): boolean {
    return document.hidden && !this.#hidden.checked
  }

  #start(): void {
    this.#isWanted = true
    this.#go()
  }

  #stop(): void {
    this.#keep()
    this.#isWanted = false
    this.#problem = undefined
    this.#events.onStop()
    this.#write()
  }

  /** Adds the figures of this period to the figures of earlier periods. */
  #keep(): void {
    const { tasks = 0, ran = 0 } = this.#work ?? {}
    this.#before = { tasks: this.#before.tasks + tasks, ran: this.#before.ran + ran }
    this.#work = undefined
  }

  #go(): void {
    this.#problem = undefined
    this.#events.onStart(this.#chosen())
    this.#write()
  }

  /** Returns the chosen number of cores. Corrects the field if its value is out of range. */
  #chosen(): number {
    const { value, max } = this.#workers
    const workers = Math.min(Number(max), Math.max(1, Math.floor(Number(value))))
    this.#workers.value = String(workers)
    return workers
  }

  #shown(): void {
    if (!this.#isWanted || this.#hidden.checked) return
    if (document.hidden) this.#events.onStop()
    else this.#go()
    this.#write()
  }

  #write(): void {
    const isOn = this.#isWanted || this.#work !== undefined
    this.#button.textContent = isOn ? 'stop computing' : 'lend cores'
    this.#controls.hidden = this.#work !== undefined && !this.#isWanted
    this.#about.hidden = isOn
    put(this.#state, this.#stateText())
    put(this.#figures, this.#figuresText())
  }

  #stateText(): string {
    if (this.#work === undefined) {
      if (this.#isWanted) return this.#isPaused ? 'paused while this tab is hidden' : 'starts…'
      if (this.#problem !== undefined) return `could not begin to compute: ${plainText(this.#problem)}`
      return this.#before.tasks > 0 ? 'stopped' : ''
    }
    const [job] = this.#work.jobs
    if (job === undefined) return 'ready: waits for a job (this tab runs only jobs whose results another member checks)'
    const more = this.#work.jobs.length > 1 ? ` and ${this.#work.jobs.length - 1} more` : ''
    const isIdle = performance.now() - this.#busyAt > IDLE_TIME
    return `${isIdle ? 'waits for tasks of' : 'works for'} ${plainText(job.name)} of owner ${shortId(job.owner)}${more}`
  }

  #figuresText(): string {
    const { tasks = 0, ran = 0, failed = 0, bytes = 0, workers } = this.#work ?? {}
    const all = { tasks: this.#before.tasks + tasks, ran: this.#before.ran + ran }
    if (workers === undefined && all.tasks === 0) return ''
    const parts = [`tasks: ${all.tasks}${failed > 0 ? `, failed: ${failed}` : ''}`, `computed: ${durationText(all.ran)}`]
    return [...parts, ...(workers === undefined ? [] : [`keeps ${(bytes / 1e6).toFixed(1)} MB`])].join(' · ')
  }
}

function put(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

function make<Name extends keyof HTMLElementTagNameMap>(name: Name): HTMLElementTagNameMap[Name] {
  return document.createElement(name)
}

function labelled(text: string, input: HTMLInputElement): HTMLLabelElement {
  const label = make('label')
  label.append(input, ` ${text}`)
  return label
}
