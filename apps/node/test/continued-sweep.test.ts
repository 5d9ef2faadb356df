import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { JelProcess, loopback, removeFolder } from './jel-process.ts'

const program = `
import { appendFileSync } from 'node:fs'
export const square = ({ x, log }) => {
  appendFileSync(log, 'begun ' + x + '\\n')
  for (const end = performance.now() + 100; performance.now() < end; );
  appendFileSync(log, 'ended ' + x + '\\n')
  return x * x
}
`
const count = 30

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'jel-continued-'))))
afterEach(async () => await removeFolder(folder))

const owner = (machine: string): string[] => ['--owner', join(folder, machine, 'owner')]

async function worker(...args: string[]): Promise<JelProcess> {
  const process = new JelProcess(['work', 'continued', '--json', '--workers', '1', ...loopback, ...owner('first'), ...args])
  await process.until(() => process.lines.length > 0, 'it started')
  return process
}

/** Returns the inputs of the tasks that began, or that ended, in order. */
function tasks(what: 'begun' | 'ended'): number[] {
  const lines = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')
  return lines.filter((line) => line.startsWith(what)).map((line) => Number(line.split(' ')[1]))
}

/** Returns the line of standard error that names the job. */
const jobOf = ({ stderr }: JelProcess): string => /^job [\da-f]{20} squares\n/mu.exec(stderr)?.[0] ?? stderr

it('a sweep whose submitter is killed is completed by the same command on another machine', async () => {
  const first = await worker()
  const second = await worker('--bootstrap', first.address)
  await second.until(() => second.told('joined').length === 2, 'it is in')
  const inputs = Array.from({ length: count }, (_, x) => ({ x, log: join(folder, 'log') }))
  writeFileSync(join(folder, 'log'), '')
  writeFileSync(join(folder, 'first', 'program.js'), program)
  writeFileSync(join(folder, 'first', 'inputs.json'), JSON.stringify(inputs))
  // The other machine has the same files in a folder of its own, and finds no node that runs there.
  cpSync(join(folder, 'first'), join(folder, 'other'), { recursive: true })
  mkdirSync(join(folder, 'other', 'run'))
  const sweep = (machine: string, env: NodeJS.ProcessEnv): JelProcess => {
    const files = [join(folder, machine, 'program.js'), 'square', '--inputs', join(folder, machine, 'inputs.json')]
    const args = ['map', 'continued', ...files, '--name', 'squares', ...loopback, ...owner(machine), '--bootstrap', first.address]
    return new JelProcess(args, 'ignore', undefined, env)
  }

  const submitter = sweep('first', {})
  await submitter.until(() => tasks('ended').length >= count * 0.4, 'the sweep is under way')
  submitter.child.kill('SIGKILL')
  expect(await submitter.exited).toBe('SIGKILL')
  const before = tasks('ended')
  expect(submitter.lines).toEqual([])
  expect(before.length).toBeLessThan(count)

  const again = sweep('other', { XDG_RUNTIME_DIR: join(folder, 'other', 'run') })
  expect({ status: await again.exited, stderr: again.stderr }).toEqual({ status: 0, stderr: jobOf(submitter) })
  expect(again.lines.map((line) => JSON.parse(line) as unknown)).toEqual(inputs.map((input) => ({ input, value: input.x ** 2 })))
  const runs = tasks('begun')
  for (const x of before) expect(runs.filter((each) => each === x)).toEqual([x])
  expect(new Set(runs).size).toBe(count)
})
