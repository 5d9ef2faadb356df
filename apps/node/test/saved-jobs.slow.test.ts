import { copyFileSync, mkdtempSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { JelProcess, removeFolder, run } from './jel-process.ts'

const program = `
import { appendFileSync } from 'node:fs'
import { task } from '@jel/compute/program'
export const sum = task(async ({ count, file }, { run }) =>
  (await Promise.all(Array.from({ length: count }, (_, number) => run(step, { number, file })))).reduce((a, b) => a + b, 0))
export const step = task(async ({ number, file }) => {
  appendFileSync(file, number + ' ' + Date.now() + '\\n')
  await new Promise((resolve) => setTimeout(resolve, 100))
  return number
})
`
const count = 400
/** Members save outcomes at this interval, ms, and a busy machine is late by as much. */
const [SAVED, LATE] = [1000, 1000]
const limit = { timeout: 180_000 }
const names = ['a', 'b', 'c', 'd', 'e', 'f']

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'jel-night-'))))
afterEach(async () => await removeFolder(folder))

const owner = (): string[] => ['--owner', join(folder, 'owner')]
const stateOf = (name: string): string => join(folder, `${name}.jobs`, 'outcomes')

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Starts members in this order, each with an address of its own and those of all others. */
async function membersOf(pool: string, order: readonly string[]): Promise<ReadonlyMap<string, JelProcess>> {
  const ports = await Promise.all(order.map(freePort))
  const members = new Map(
    order.map((name, at) => {
      const others = ports.filter((_, other) => other !== at).flatMap((port) => ['--bootstrap', `127.0.0.1:${port}`])
      const flags = ['--json', '--workers', '1', '--listen', `127.0.0.1:${ports[at]}`, ...owner(), '--identity', join(folder, name)]
      return [name, new JelProcess(['work', pool, ...flags, ...others])]
    }),
  )
  await Promise.all([...members.values()].map((each) => each.until(() => each.of('joined').length >= order.length, 'all are in')))
  return members
}

const through = (member: JelProcess): string[] => ['--listen', '127.0.0.1:0', ...owner(), '--bootstrap', member.address]

/** Returns the numbers of the tasks that began, with their times, in order. */
function begun(): { readonly number: number; readonly at: number }[] {
  const lines = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')
  return lines.map((line) => {
    const [number, at] = line.split(' ').map(Number)
    return { number: number as number, at: at as number }
  })
}

/** A pool that was switched off in the middle of a job. */
interface Off {
  readonly job: string
  /** The numbers of the tasks that began, and those whose outcomes must be on the disk. */
  readonly before: readonly number[]
  readonly saved: ReadonlySet<number>
}

/** Starts six members and a job, and ends all of them by a signal when the job is half done. */
async function halfDone(signal: NodeJS.Signals): Promise<Off> {
  writeFileSync(join(folder, 'program.js'), program)
  writeFileSync(join(folder, 'log'), '')
  const members = await membersOf('night', names)
  const first = members.get('a') as JelProcess
  const input = JSON.stringify({ count, file: join(folder, 'log') })
  const flags = ['--name', 'long', '--detach', '--json', ...through(first)]
  const submitted = await run('submit', 'night', join(folder, 'program.js'), 'sum', input, ...flags)
  expect(submitted).toMatchObject({ status: 0 })
  await first.until(() => begun().length >= count * 0.6, 'the job is under way')

  const off = Date.now()
  for (const { child } of members.values()) child.kill(signal)
  await Promise.all([...members.values()].map(({ exited }) => exited))
  const before = begun()
  expect(before.length).toBeLessThan(count)
  const saved = new Set(before.filter(({ at }) => at < off - SAVED - LATE).map(({ number }) => number))
  expect(saved.size).toBeGreaterThan(20)
  const { job } = JSON.parse(submitted.lines[0] as string) as { readonly job: string }
  return { job, before: before.map(({ number }) => number), saved }
}

/** Waits for the end of the job, and checks its result and what ran after the night. */
async function checkRest(member: JelProcess, { before, saved }: Off): Promise<void> {
  const result = await run('job', 'night', 'long', '--result', ...through(member))
  expect(result).toMatchObject({ status: 0, lines: [String((count * (count - 1)) / 2)] })
  const after = begun()
    .slice(before.length)
    .map(({ number }) => number)
  expect(after.filter((number) => saved.has(number))).toEqual([])
  expect(new Set([...before, ...after]).size).toBe(count)
}

/** Returns the warnings of a member about what it has on disk. */
const told = (member: JelProcess | undefined): readonly string[] =>
  member?.of('error').flatMap(({ code, message }) => (code === 'STATE' ? [message] : [])) ?? []

it('a job goes on where it was after SIGKILL of all six members, and no saved task runs again', limit, async () => {
  const off = await halfDone('SIGKILL')
  // They come back in another order, at other addresses.
  const members = await membersOf('night', ['d', 'f', 'b', 'a', 'e', 'c'])
  await checkRest(members.get('e') as JelProcess, off)
  expect([...members.values()].flatMap(told)).toEqual([])
  expect(readdirSync(join(folder, 'c.jobs'))).toEqual(expect.arrayContaining(['blobs', 'outcomes']))
})

it('the same after SIGTERM, though one member stays away', limit, async () => {
  const off = await halfDone('SIGTERM')
  const members = await membersOf('night', ['c', 'f', 'e', 'd', 'b'])
  await checkRest(members.get('f') as JelProcess, off)
})

it('the same though files of three members are cut, noise, and of another pool; the last two are told', limit, async () => {
  // A job of another pool.
  writeFileSync(join(folder, 'inputs.json'), '[1, 2]')
  const elsewhere = (await membersOf('elsewhere', ['x'])).get('x') as JelProcess
  writeFileSync(join(folder, 'other.js'), 'export const seven = () => 7')
  expect(
    await run('map', 'elsewhere', join(folder, 'other.js'), 'seven', '--inputs', join(folder, 'inputs.json'), ...through(elsewhere)),
  ).toMatchObject({
    status: 0,
  })
  elsewhere.child.kill('SIGTERM')
  await elsewhere.exited
  const [foreign] = readdirSync(stateOf('x'))

  const off = await halfDone('SIGKILL')
  const fileOf = (name: string): string => join(stateOf(name), off.job)
  const sizeOf = (name: string): number => statSync(fileOf(name)).size
  // The three replicas have the largest files. One of them keeps its file.
  const [cut, noise, , other] = names.toSorted((a, b) => sizeOf(b) - sizeOf(a)) as [string, string, string, string]
  truncateSync(fileOf(cut), Math.floor(sizeOf(cut) / 2))
  writeFileSync(fileOf(noise), new Uint8Array(sizeOf(noise)).fill(42))
  copyFileSync(join(stateOf('x'), foreign as string), fileOf(other))

  const members = await membersOf('night', ['d', 'f', 'b', 'a', 'e', 'c'])
  await checkRest(members.get('b') as JelProcess, off)
  const problem = `job ${off.job}: its saved outcomes are of use in part or not at all: it belongs to another pool, member or job, or is damaged`
  // A cut is how a killed process leaves its file, so nobody reports it.
  expect(names.map((name) => told(members.get(name)))).toEqual(names.map((name) => (name === noise || name === other ? [problem] : [])))
})
