import { readFileSync } from 'node:fs'
import { emitKeypressEvents } from 'node:readline'
import type { Key } from './controls.ts'
import type { Size } from './picture.ts'

const ESC = '\u001B['
/** Switches to the alternate screen, without the shell's lines and without a cursor. */
const ENTER = `${ESC}?1049h${ESC}?25l${ESC}2J`
const LEAVE = `${ESC}?25h${ESC}?1049l`
/** Terminals that support these two sequences show all output between them at once. */
const TOGETHER = [`${ESC}?2026h`, `${ESC}?2026l`] as const

/** The output of a screen, and the source of its keys. */
export interface Terminal {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
}

/**
 * A terminal in full-screen use. It is restored when the process ends (but not by SIGKILL), and
 * while the process is stopped (Ctrl-Z).
 */
export class Screen implements Disposable {
  readonly #input: NodeJS.ReadStream
  readonly #output: NodeJS.WriteStream
  readonly #takeKey: (key: Key) => void
  readonly #redraw: () => void
  #lines: string[] = []
  #shown = false
  #readsKeys: boolean

  /**
   * `redraw` is called when the screen is empty: at the start, after a resize, and after a stop
   * (Ctrl-Z).
   */
  constructor({ input, output }: Terminal, { key, redraw }: { key: (key: Key) => void; redraw: () => void }) {
    this.#input = input
    this.#output = output
    this.#takeKey = key
    this.#redraw = redraw
    this.#readsKeys = input.isTTY
    if (this.#readsKeys) {
      emitKeypressEvents(input)
      input.on('keypress', this.#hear)
      // A read error means that the terminal is gone. SIGHUP reports the same.
      input.on('error', ignore)
      input.resume()
    }
    output.on('resize', this.#resize)
    process.on('exit', this.#leave)
    process.on('SIGCONT', this.#enter)
    this.#enter()
  }

  /** Whether the screen reads keys. */
  get readsKeys(): boolean {
    return this.#readsKeys
  }

  /** Shows these lines, none wider than the terminal. Writes only lines that have changed. */
  draw(lines: readonly string[]): void {
    if (!this.#shown) return
    const changed = lines.map((line, row) => (line === this.#lines[row] ? '' : `${ESC}${row + 1};1H${ESC}2K${line}`)).join('')
    const rest = lines.length < this.#lines.length ? `${ESC}${lines.length + 1};1H${ESC}J` : ''
    this.#lines = [...lines]
    if (changed + rest !== '') this.#output.write(TOGETHER.join(changed + rest))
  }

  /** Reads no more keys: the terminal turns Ctrl-C and the like into signals again. */
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

  /** Restores the terminal, and stops as any program does. */
  readonly #suspend = (): void => {
    this.#leave()
    // The signal stops the whole group, as the terminal would: a parent such as `npx` stops too.
    if (process.platform !== 'win32') process.kill(0, 'SIGTSTP')
    // The timer fires when the process continues. A process that can't be stopped gets no SIGCONT,
    // so the timer is needed.
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

/**
 * Returns whether there is a terminal to draw on. A process in the background of a shell must not
 * draw: it would be stopped.
 */
export function canDraw({ isTTY }: NodeJS.WriteStream): boolean {
  return isTTY && process.env['TERM'] !== 'dumb' && inForeground()
}

/** Returns the size of a terminal. A terminal that reports 0 gets the size of a VT100. */
export function sizeOf({ columns, rows }: NodeJS.WriteStream): Size {
  return { columns: columns || 80, rows: rows || 24 }
}

/**
 * Returns whether the terminal's keys go to this process's group. Returns true on systems other
 * than Linux, since they don't report that group.
 */
function inForeground(): boolean {
  try {
    const status = readFileSync('/proc/self/stat', 'utf8')
    // The fields: state, parent, group, session, terminal, foreground group. The last is -1 without
    // a terminal.
    const [, , group, , , foreground] = status.slice(status.lastIndexOf(')') + 2).split(' ')
    return foreground === '-1' || foreground === group
  } catch {
    return true
  }
}

function ignore(): void {}
