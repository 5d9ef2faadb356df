import { spawn, type ChildProcess } from 'node:child_process'
import { afterEach, expect } from 'vitest'
import { runtime } from './jel-process.ts'

/** The shells of this test that still run. */
const running = new Set<ChildProcess>()

afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
})

/** A shell on a pseudo-terminal of `script` (util-linux), and its screen. */
export class PseudoTerminal {
  /** All output to the terminal. */
  written = ''
  readonly exited: Promise<number>
  readonly #child: ChildProcess

  constructor(command: string, { columns, rows }: { columns: number; rows: number }) {
    this.#child = spawn('script', ['-qfec', `stty cols ${columns} rows ${rows}; ${command}`, '/dev/null'], {
      stdio: 'pipe',
      env: { ...process.env, XDG_RUNTIME_DIR: runtime, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    })
    running.add(this.#child)
    this.#child.stdin?.on('error', () => {})
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.written += text))
    this.exited = new Promise((resolve) => {
      this.#child.on('close', (status) => {
        running.delete(this.#child)
        resolve(status ?? -1)
      })
    })
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys)
  }

  /** The visible lines of a screen that is drawn line by line. */
  get lines(): string[] {
    const lines: string[] = []
    // A match is a line with its position, or the erasure of the rest.
    for (const [, row, line, rest] of this.written.matchAll(
      /\p{Cc}\[(?:(\d+);1H(?:\p{Cc}\[2K((?:(?!\p{Cc}\[(?:\d+;1H|\?)).)*)|\p{Cc}\[(J))|2J)/gsu,
    )) {
      if (row === undefined) lines.length = 0
      else if (rest !== undefined) lines.length = Number(row) - 1
      // Colours are not part of the text.
      else lines[Number(row) - 1] = (line ?? '').replaceAll(/\p{Cc}\[[\d;]*m/gu, '').trimEnd()
    }
    return [...lines].map((line) => line ?? '')
  }

  /** Waits until a visible line matches. */
  async sees(pattern: RegExp, limit = 15_000): Promise<void> {
    await this.until(() => this.lines.some((line) => pattern.test(line)), String(pattern), limit)
  }

  async until(condition: () => boolean, what: string, limit = 15_000): Promise<void> {
    const end = Date.now() + limit
    while (!condition()) {
      if (Date.now() > end)
        expect.fail(`${what}: not within ${limit} ms\n${this.lines.join('\n')}\n${JSON.stringify(this.written.slice(-2000))}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
