/** The controls with which a user lets the tab compute for others, and what it does. */
import { plainText, shortId, spanText } from '@jel/node/page'
import type { Work } from './messages.ts'

export interface ComputePanelEvents {
  readonly onStart: (workers: number) => void
  readonly onStop: () => void
}

/** The default share of the cores. */
const HALF = 2

/**
 * Nothing begins by itself, not even after a reload. Unless the user says otherwise, the tab stops
 * while it is hidden, and begins again when it is shown.
 */
export class ComputePanel {
  readonly #button = make('button')
  readonly #workers = make('input')
  readonly #hidden = make('input')
  readonly #status = make('span')
  readonly #controls = make('span')
  readonly #element = make('section')
  readonly #events: ComputePanelEvents
  /** The user wants this tab to compute. */
  #isWanted = false
  #work: Work | undefined

  constructor(events: ComputePanelEvents) {
    this.#events = events
    const cores = navigator.hardwareConcurrency
    Object.assign(this.#workers, { type: 'number', min: '1', max: String(cores), value: String(Math.max(1, Math.floor(cores / HALF))) })
    this.#hidden.type = 'checkbox'
    this.#status.role = 'status'
    this.#controls.append(labelled('cores', this.#workers), labelled('also when hidden', this.#hidden))
    this.#button.className = 'primary'
    this.#button.title = 'run programs of others, in sandboxes without network, for jobs whose results are checked by votes'
    this.#button.addEventListener('click', () => (this.#isWanted || this.#work !== undefined ? this.#stop() : this.#start()))
    this.#workers.addEventListener('change', () => this.#isWanted && this.#go())
    document.addEventListener('visibilitychange', () => this.#shown())
    // A browser may freeze a hidden page. Its workers then stand still, and others need not wait.
    document.addEventListener('freeze', () => this.#isWanted && this.#events.onStop())
    document.addEventListener('resume', () => this.#isWanted && this.#isShown() && this.#go())
    this.#element.className = 'panel volunteer'
    this.#element.ariaLabel = 'computing'
    this.#element.append(this.#button, this.#controls, this.#status)
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

  /** @param work undefined: the member does not compute */
  take(work: Work | undefined): void {
    this.#work = work
    this.#write()
  }

  #start(): void {
    this.#isWanted = true
    this.#go()
  }

  #stop(): void {
    this.#isWanted = false
    this.#work = undefined
    this.#events.onStop()
    this.#write()
  }

  #go(): void {
    const { value, max } = this.#workers
    const workers = Math.min(Number(max), Math.max(1, Math.floor(Number(value))))
    this.#workers.value = String(workers)
    this.#events.onStart(workers)
    this.#write()
  }

  #shown(): void {
    if (!this.#isWanted || this.#hidden.checked) return
    if (document.hidden) this.#events.onStop()
    else this.#go()
  }

  #isShown(): boolean {
    return !document.hidden || this.#hidden.checked
  }

  #write(): void {
    const isOn = this.#isWanted || this.#work !== undefined
    this.#button.textContent = isOn ? 'stop computing' : 'compute'
    this.#controls.hidden = this.#work !== undefined && !this.#isWanted
    this.#status.textContent = this.#work === undefined ? (isOn ? 'starts…' : '') : textOf(this.#work)
  }
}

function textOf({ workers, tasks, failed, ran, bytes, jobs }: Work): string {
  const whose = jobs.map(({ name, owner }) => `${plainText(name)} of ${shortId(owner)}`).join(', ')
  const figures = `cores: ${workers} · tasks: ${tasks}${failed > 0 ? `, failed: ${failed}` : ''} · computed: ${spanText(ran)}`
  return `${whose === '' ? 'waits for jobs with votes' : `works for ${whose}`} · ${figures} · keeps ${(bytes / 1e6).toFixed(1)} MB`
}

function make<Name extends keyof HTMLElementTagNameMap>(name: Name): HTMLElementTagNameMap[Name] {
  return document.createElement(name)
}

function labelled(text: string, input: HTMLInputElement): HTMLLabelElement {
  const label = make('label')
  label.append(input, ` ${text}`)
  return label
}
