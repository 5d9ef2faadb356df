import { readFileSync } from 'node:fs'
import { emitKeypressEvents } from 'node:readline'
import type { Key } from './controls.ts'
import type { Size } from './picture.ts'

const ESC = '\u001B['
/** Another screen than the one with the shell's lines, and no cursor. */
const ENTER = `${ESC}?1049h${ESC}?25l${ESC}2J`
const LEAVE = `${ESC}?25h${ESC}?1049l`
/** Terminals that know this show what is between them at once. */
const TOGETHER = [`${ESC}?2026h`, `${ESC}?2026l`] as const

/** What a screen is drawn on, and where its keys come from. */
export interface Terminal {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
}

/** A terminal as long as all of it is drawn on. It is given back as it was however the process ends, SIGKILL apart, and while it is stopped (Ctrl-Z). */
export class Screen implements Disposable {
  readonly #input: NodeJS.ReadStream
  readonly #output: NodeJS.WriteStream
  readonly #takeKey: (key: Key) => void
  readonly #redraw: () => void
  #lines: string[] = []
  #shown = false
  #readsKeys: boolean

  /** `redraw` is called when nothing is to be seen of what was drawn: at the start, and whenever the terminal has another size or was away. */
  constructor({ input, output }: Terminal, { key, redraw }: { key: (key: Key) => void; redraw: () => void }) {
    this.#input = input
    this.#output = output
    this.#takeKey = key
    this.#redraw = redraw
    this.#readsKeys = input.isTTY
    if (this.#readsKeys) {
      emitKeypressEvents(input)
      input.on('keypress', this.#hear)
      // Of a terminal that is gone SIGHUP tells.
      input.on('error', ignore)
      input.resume()
    }
    output.on('resize', this.#resize)
    process.on('exit', this.#leave)
    process.on('SIGCONT', this.#enter)
    this.#enter()
  }

  /** Whether keys are read. */
  get readsKeys(): boolean {
    return this.#readsKeys
  }

  /** Shows these lines, each not wider than the terminal; only those that differ from what is shown are written. */
  draw(lines: readonly string[]): void {
    if (!this.#shown) return
    const changed = lines.map((line, row) => (line === this.#lines[row] ? '' : `${ESC}${row + 1};1H${ESC}2K${line}`)).join('')
    const rest = lines.length < this.#lines.length ? `${ESC}${lines.length + 1};1H${ESC}J` : ''
    this.#lines = [...lines]
    if (changed + rest !== '') this.#output.write(TOGETHER.join(changed + rest))
  }

  /** From now on the terminal makes signals of Ctrl-C and its like, and keys do nothing. */
  endKeys(): void {
    if (!this.#readsKeys) return
    this.#setRaw(false)
    this.#readsKeys = false
    this.#input.off('keypress', this.#hear)
    this.#input.pause()
  }

  [Symbol.dispose](): void {
    this.endKeys()
    this.#leave()
    this.#output.off('resize', this.#resize)
    process.off('exit', this.#leave)
    process.off('SIGCONT', this.#enter)
  }

  readonly #hear = (_text: string | undefined, key: Key): void => {
    if (key.ctrl === true && key.name === 'c') process.kill(process.pid, 'SIGINT')
    else if (key.ctrl === true && key.name === 'z') this.#suspend()
    else if (key.ctrl === true && key.name === 'l') this.#resize()
    else this.#takeKey(key)
  }

  readonly #resize = (): void => {
    if (!this.#shown) return
    this.#lines = []
    this.#output.write(`${ESC}2J`)
    this.#redraw()
  }

  /** Gives the terminal back, and stops as any program does. */
  readonly #suspend = (): void => {
    this.#leave()
    // The whole group, as the terminal would: whoever started this process, as `npx` does, waits with it.
    if (process.platform !== 'win32') process.kill(0, 'SIGTSTP')
    // Reached when it goes on; nobody says so where nobody could stop it.
    setTimeout(this.#enter)
  }

  readonly #enter = (): void => {
    if (!inForeground()) return
    if (!this.#shown) process.on('SIGTSTP', this.#suspend)
    this.#shown = true
    // A shell may have set another mode meanwhile.
    this.#setRaw(false)
    this.#setRaw(true)
    this.#output.write(ENTER)
    this.#lines = []
    this.#redraw()
  }

  readonly #leave = (): void => {
    if (!this.#shown) return
    this.#shown = false
    process.off('SIGTSTP', this.#suspend)
    this.#setRaw(false)
    this.#output.write(LEAVE)
  }

  #setRaw(raw: boolean): void {
    if (this.#readsKeys && !this.#input.destroyed) this.#input.setRawMode(raw)
  }
}

/** Whether there is a terminal to draw on. Who is in the background of a shell must not: it would be stopped. */
export function canDraw({ isTTY }: NodeJS.WriteStream): boolean {
  return isTTY && process.env['TERM'] !== 'dumb' && inForeground()
}

/** The size of a terminal; one that does not know it says 0, and has what terminals had since the VT100. */
export function sizeOf({ columns, rows }: NodeJS.WriteStream): Size {
  return { columns: columns || 80, rows: rows || 24 }
}

/** Whether the terminal's keys go to this process's group, as far as that can be told: on Linux. */
function inForeground(): boolean {
  try {
    const status = readFileSync('/proc/self/stat', 'utf8')
    // state, parent, group, session, terminal, foreground group; -1: there is no terminal that has one.
    const [, , group, , , foreground] = status.slice(status.lastIndexOf(')') + 2).split(' ')
    return foreground === '-1' || foreground === group
  } catch {
    return true
  }
}

function ignore(): void {}
