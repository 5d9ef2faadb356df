import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { JelProcess, loopback, removeFolder, run } from './jel-process.ts'

const program = `
import { appendFileSync } from 'node:fs'
import { task } from '@jel/compute/program'
export const sum = task(async ({ count, file }, { run }) =>
  (await Promise.all(Array.from({ length: count }, (_, number) => run(step, { number, file })))).reduce((a, b) => a + b, 0))
export const step = task(({ number, file }) => {
  appendFileSync(file, number + ' ' + Date.now() + '\\n')
  for (const end = performance.now() + 100; performance.now() < end; );
  return number
})
`
const count = 200
/**
 * Outcomes are on the disk after this time, ms: a second until the save, and the same for a busy
 * machine.
 */
const saved = 2000

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'jel-night-'))))
afterEach(async () => await removeFolder(folder))

const owner = (): string[] => ['--owner', join(folder, 'owner')]

async function worker(name: string, bootstrap?: string): Promise<JelProcess> {
  const flags = ['--json', '--workers', '1', ...loopback, ...owner(), '--identity', join(folder, name)]
  const process = new JelProcess(['work', 'night', ...flags, ...(bootstrap === undefined ? [] : ['--bootstrap', bootstrap])])
  await process.until(() => process.lines.some((line) => line.includes('"started"')), `${name} started`)
  return process
}

/** Returns the numbers of the tasks that began, with their times, in order. */
function begun(): { readonly number: number; readonly at: number }[] {
  const lines = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')
  return lines.map((line) => {
    const [number, at] = line.split(' ').map(Number)
    return { number: number as number, at: at as number }
  })
}

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'a job goes on where it was after all members were off at once (%s), and no saved task runs again',
  { timeout: 120_000 },
  async (signal) => {
    writeFileSync(join(folder, 'program.js'), program)
    writeFileSync(join(folder, 'log'), '')
    const first = await worker('a')
    const others = [await worker('b', first.address), await worker('c', first.address)]
    const members = [first, ...others]
    const input = JSON.stringify({ count, file: join(folder, 'log') })
    const through = (address: string): string[] => [...loopback, ...owner(), '--bootstrap', address]
    const flags = ['--name', 'long', '--detach', '--json', ...through(first.address)]
    const submitted = await run('submit', 'night', join(folder, 'program.js'), 'sum', input, ...flags)
    expect(submitted).toMatchObject({ status: 0 })
    await first.until(() => begun().length >= count * 0.6, 'the job is under way')

    const off = Date.now()
    for (const { child } of members) child.kill(signal)
    await Promise.all(members.map(({ exited }) => exited))
    const before = begun()
    expect(before.length).toBeLessThan(count)

    // The first member stays away. The others come back in another order, on other ports.
    const again = await worker('c')
    await worker('b', again.address)
    const result = await run('job', 'night', 'long', '--follow', '--json', ...through(again.address))
    expect(result.lines.join('\n')).toContain(String((count * (count - 1)) / 2))
    const sure = new Set(before.filter(({ at }) => at < off - saved).map(({ number }) => number))
    const repeated = begun().slice(before.length)
    expect(sure.size).toBeGreaterThan(20)
    expect(repeated.filter(({ number }) => sure.has(number))).toEqual([])
    expect(readdirSync(join(folder, 'c.jobs'))).toEqual(expect.arrayContaining(['blobs', 'outcomes']))
  },
)
