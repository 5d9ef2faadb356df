import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished } from 'vitest'

export const program = join(import.meta.dirname, '../fenced-writer.ts')

/** A process of the program, and the epochs in which a write of it was refused. */
interface Writer {
  readonly child: ChildProcess
  readonly refused: number[]
}

/** A write that the program reports. */
export interface Write {
  readonly writer: Writer
  readonly value: number
  readonly epoch: number
}

/**
 * Starts the program several times on one file, and waits until they have counted for a second: so
 * the ledger has three voters. Kills the processes at the end of the test.
 */
export async function startWriters(count: number): Promise<readonly Write[]> {
  const folder = mkdtempSync(join(tmpdir(), 'jel-writers-'))
  const children: ChildProcess[] = []
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })
  const writes: Write[] = []
  const start = async (...bootstrap: string[]): Promise<string> => {
    const args = ['--disable-warning=ExperimentalWarning', program, join(folder, 'counter.db'), ...bootstrap]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    const writer: Writer = { child, refused: [] }
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    child.on('exit', () => reject(new Error('the program has ended')))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [first, ...words] = line.split(' ')
      if (first === 'address') resolve(words[0] ?? '')
      if (first === 'wrote') writes.push({ writer, value: Number(words[0]), epoch: Number(words[3]) })
      if (first === 'refused') writer.refused.push(Number(words[2]))
    })
    return await promise
  }
  const address = await start()
  await Promise.all(Array.from({ length: count - 1 }, async () => await start(address)))
  const begin = writes.length
  await expect.poll(() => writes.length, { timeout: 60_000 }).toBeGreaterThan(begin + 20)
  return writes
}
