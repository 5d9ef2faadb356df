/** The machine of a user: folders for files, the owner key, control sockets and blobs. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { keep } from '../base/child.ts'
import { inCheckout } from '../base/paths.ts'
import { JEL } from './sweep-commands.ts'

export class Machine {
  /** The folder in which commands run. */
  readonly work: string
  readonly env: Readonly<Record<string, string>>
  readonly #base: string

  constructor(base: string) {
    this.#base = base
    this.work = join(base, 'work')
    this.env = {
      XDG_CONFIG_HOME: join(base, 'config'),
      XDG_RUNTIME_DIR: join(base, 'run'),
      XDG_CACHE_HOME: join(base, 'cache'),
    }
    for (const each of ['work', 'config', 'run', 'cache']) mkdirSync(join(base, each), { recursive: true, mode: 0o700 })
  }

  /** Writes a file to the folder in which commands run. */
  write(name: string, content: string): void {
    writeFileSync(join(this.work, name), content)
  }

  take(file: string): void {
    cpSync(file, join(this.work, basename(file)))
  }

  /** Returns another machine with the same files and owner key. */
  another(base: string): Machine {
    const other = new Machine(base)
    for (const each of ['work', 'config']) cpSync(join(this.#base, each), join(base, each), { recursive: true })
    return other
  }

  start(command: readonly string[]): Running {
    return new Running(command, this)
  }
}

/** A command that runs in a process group of its own. */
export class Running {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #stdout = ''
  #stderr = ''

  constructor([program = '', ...args]: readonly string[], { work, env }: Machine) {
    const own = { ...env, PYTHONPATH: inCheckout('apps/python'), JEL }
    const stdio = ['ignore', 'pipe', 'pipe'] as const
    this.#child = keep(spawn(program, args, { cwd: work, env: { ...process.env, ...own }, detached: true, stdio: [...stdio] }))
    this.#ended = once(this.#child, 'close')
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text))
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text))
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Returns the standard output at the end. @throws Error if the command fails */
  async output(): Promise<string> {
    await this.#ended
    const { exitCode, signalCode } = this.#child
    if (exitCode !== 0) throw new Error(`the command ended with ${signalCode ?? exitCode}: ${this.#stderr}`)
    return this.#stdout
  }

  /** Ends all its processes at once by SIGKILL. @throws Error if the command has ended before */
  async kill(): Promise<void> {
    const { pid } = this.#child
    if (this.hasEnded || pid === undefined) throw new Error(`the command ended before it was killed: ${this.#stderr}`)
    process.kill(-pid, 'SIGKILL')
    await this.#ended
  }
}
