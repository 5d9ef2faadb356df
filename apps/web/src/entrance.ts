/** The form with which a tab enters a pool, and the button with which it leaves. */
import { keyText, type Wanted } from './fragment.ts'

export interface EntranceEvents {
  readonly onEnter: (wanted: Wanted) => void
  readonly onLeave: () => void
}

export class Entrance {
  readonly #dialog = make('dialog', 'entrance')
  readonly #pool = field('pool', 'text')
  readonly #key = field('key of a private pool: its 64 digits, or the text of its file', 'password')
  readonly #problem = make('p', 'bad')
  readonly #leave = make('button', 'leave')

  constructor({ onEnter, onLeave }: EntranceEvents) {
    this.#dialog.id = 'entrance'
    this.#dialog.ariaLabel = 'enter a pool'
    this.#problem.role = 'alert'
    const form = this.#dialog.appendChild(make('form', ''))
    form.method = 'dialog'
    const title = form.appendChild(make('h2', ''))
    title.textContent = 'take part'
    const about = form.appendChild(make('p', ''))
    about.textContent =
      'This tab becomes a member of the pool. Others see it, may elect it, and may exchange messages with it. It computes nothing unless you say so.'
    form.append(this.#pool.label, this.#key.label, this.#problem)
    if (!isSecureContext) this.#warn('This page came without TLS. Others on the network can read the key.')
    const enter = form.appendChild(make('button', 'primary'))
    enter.textContent = 'enter'
    form.addEventListener('submit', () => {
      const [pool, key] = [this.#pool.input.value, this.#key.input.value]
      onEnter(key === '' ? { pool } : { pool, key: keyText(key) })
    })
    this.#pool.input.required = true
    this.#leave.hidden = true
    this.#leave.addEventListener('click', onLeave)
    document.body.append(this.#dialog)
    document.querySelector('header .space')?.after(this.#leave)
  }

  /** Shows the warning as long as the field of the key has text. */
  #warn(text: string): void {
    const { label, input } = this.#key
    const warning = note(text)
    warning.hidden = true
    warning.id = 'key-warning'
    label.after(warning)
    input.setAttribute('aria-describedby', warning.id)
    input.addEventListener('input', () => (warning.hidden = input.value === ''))
  }

  /** Asks for a pool. `problem`: why the last try failed. `more`: the same in technical terms. */
  ask(pool = '', problem = '', more = ''): void {
    this.#pool.input.value = pool
    this.#problem.textContent = problem
    this.#problem.title = more
    this.#leave.hidden = true
    if (!this.#dialog.open) this.#dialog.showModal()
    if (problem.includes('key')) this.#key.input.focus()
  }

  /** The tab waits to become a member. */
  entering(): void {
    this.#leave.textContent = 'cancel'
    this.#leave.title = 'do not enter the pool'
    this.#leave.hidden = false
  }

  /** The tab is a member. */
  entered(): void {
    this.#dialog.close()
    this.#leave.textContent = 'leave'
    this.#leave.title = 'leave the pool'
    this.#leave.hidden = false
  }
}

function make<Name extends keyof HTMLElementTagNameMap>(name: Name, className: string): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  if (className !== '') made.className = className
  return made
}

function note(text: string): HTMLElement {
  const made = make('small', 'warn')
  made.textContent = text
  return made
}

function field(text: string, type: string): { readonly label: HTMLLabelElement; readonly input: HTMLInputElement } {
  const label = make('label', '')
  const input = make('input', '')
  input.type = type
  input.autocomplete = 'off'
  input.spellcheck = false
  label.append(text, input)
  return { label, input }
}
