/** Commands about jobs, as processes, in a pool of their own. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { JelProcess, loopback } from './jel-process.ts'

export const program = `
import { task } from '@jel/compute/program'
export const square = task((number) => number * number)
export const sum = task(async (count, { run }) => (await Promise.all(Array.from({ length: count }, (_, n) => run(square, n)))).reduce((a, b) => a + b, 0))
export const slow = task(async (count, { run }) => (await Promise.all(Array.from({ length: count }, (_, n) => run(busy, n)))).length)
export const busy = task((n) => { for (const end = performance.now() + 20; performance.now() < end; ); return n })
export const length = task(async ({ data, times }, { use }) => (await use(data)).length * times)
export const ratio = ({ a, b }) => { if (b === 0) throw new RangeError('b is 0'); return a / b }
export const throws = task(() => { throw new RangeError('no such luck') })
`

/** Runs commands about jobs as processes, in a pool of one file of tests. */
export class JobCommands {
  readonly folder = mkdtempSync(join(tmpdir(), 'jel-cli-'))
  /** A file with `program`. */
  readonly file = join(this.folder, 'program.js')
  readonly owner = ['--owner', join(this.folder, 'owner')]
  /** The flags of another owner. */
  readonly stranger = ['--owner', join(this.folder, 'stranger')]
  readonly #pool: string

  constructor(pool: string) {
    this.#pool = pool
    writeFileSync(this.file, program)
  }

  async worker(bootstrap?: string): Promise<JelProcess> {
    const known = bootstrap === undefined ? [] : ['--bootstrap', bootstrap]
    const worker = new JelProcess(['work', this.#pool, '--json', '--workers', '1', ...loopback, ...this.owner, ...known])
    await worker.until(() => worker.lines.some((line) => line.includes('"started"')), 'it started')
    return worker
  }

  /** A command that enters the pool itself. */
  command(address: string, name: string, ...args: string[]): JelProcess {
    return new JelProcess([name, this.#pool, ...args, ...loopback, ...this.owner, '--bootstrap', address], 'ignore')
  }

  /** Asks the node that runs here, and enters no pool. */
  here(name: string, ...args: string[]): JelProcess {
    return new JelProcess([name, this.#pool, ...args], 'ignore')
  }
}
