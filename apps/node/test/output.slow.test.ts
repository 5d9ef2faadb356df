import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JelProcess, loopback, removeFolder } from './jel-process.ts'

const program = `
import { spawnSync } from 'node:child_process'
import { task } from '@jel/compute/program'
const line = 'x'.repeat(999)
export const prints = task(() => { for (let n = 0; n < 1_000_000; n++) console.log(line); return 'done' })
export const passesOn = task(() => {
  spawnSync('/bin/sh', ['-c', 'yes ' + line + ' | head -c 1000000000'], { stdio: 'inherit' })
  return 'done'
})
`
/** A shell command that prints 1 GB. */
const flood = 'yes "$(printf %09999d 0)" | head -c 1000000000'

const MEBIBYTE = 2 ** 20
/**
 * A process may hold this much more memory at its peak than before, MiB. Measured: 14. A busy
 * machine collects garbage later.
 */
const PEAK = 64
/**
 * Characters that a member shows at most at once, and in a second: three sources, each with the
 * limits of `OUTPUT_BURST` and `OUTPUT_RATE`, and their notes.
 */
const [SHOWN, SHOWN_RATE] = [3 * 70_000, 3 * 17_000]
/**
 * Bytes that a member sends at most for one flood, and in a second. In each second one copy of the
 * output goes to the replica, and one log of 64 KiB to the reader.
 */
const [SENT, SENT_RATE] = [MEBIBYTE, MEBIBYTE / 4]
/** Bytes of text that the replicas keep of a job. */
const KEPT = 65_536

let folder: string
let worker: JelProcess
let replica: JelProcess
let owner: string[]

async function member(...args: string[]): Promise<JelProcess> {
  const process = new JelProcess(['work', 'floods', '--json', '--http', '127.0.0.1:0', '--workers', '1', ...loopback, ...args])
  await process.until(() => process.of('http').length > 0 && process.of('joined').length > 0, 'it started')
  return process.keep()
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'jel-floods-'))
  owner = ['--owner', join(folder, 'owner')]
  writeFileSync(join(folder, 'program.js'), program)
  writeFileSync(join(folder, 'inputs.json'), '[1]')
  worker = await member('--show-output', ...owner)
  // It runs no task of this owner.
  replica = await member('--accept', 'own', '--owner', join(folder, 'other'), '--show-output', '--bootstrap', worker.address)
})

afterAll(async () => {
  for (const { child } of [worker, replica]) child.kill('SIGKILL')
  await Promise.all([worker, replica].map(({ exited }) => exited))
  await removeFolder(folder)
})

/** Returns a number of bytes that the kernel reports of a process; 0 if the process is gone. */
function memoryOf({ child }: JelProcess, field: 'VmRSS' | 'VmHWM'): number {
  try {
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'mu').exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

/** Returns the bytes that a member has sent so far. */
async function sentBy(node: JelProcess): Promise<number> {
  const text = await (await fetch(new URL('/metrics', node.of('http')[0]?.url))).text()
  return Number(/^jel_traffic_sent_bytes_total (\d+)$/mu.exec(text)?.[1])
}

interface End {
  readonly status: number
  readonly lines: readonly string[]
  readonly stderr: unknown
}

/**
 * Starts a command, follows its output meanwhile, and checks all bounds at its end.
 *
 * @param least the least characters that are shown and kept
 */
async function checkFlood(name: string, args: readonly string[], end: End, least = 1000): Promise<void> {
  const members = [worker, replica]
  const client = (...more: string[]): JelProcess =>
    new JelProcess([...more, ...loopback, ...owner, '--bootstrap', worker.address], 'ignore')
  for (const { child } of members) writeFileSync(`/proc/${child.pid}/clear_refs`, '5')
  const before = members.map((each) => memoryOf(each, 'VmRSS'))
  const sent = await Promise.all(members.map(sentBy))
  const shownBefore = worker.of('output').length
  const since = performance.now()
  const submitter = client(...args, '--name', name)
  await worker.until(() => worker.of('record').some((record) => record.name.endsWith(`/${name}`)), 'it is submitted')
  const reader = client('job', 'floods', name, '--logs', '--follow', '--json')
  let [low, high] = [Infinity, 0]
  const look = setInterval(() => {
    const now = memoryOf(reader, 'VmRSS')
    // Before that it loads its modules.
    if (reader.lines.length === 0 || now === 0) return
    low = Math.min(low, now)
    high = Math.max(high, now)
  }, 50)
  const status = await submitter.exited
  expect(await reader.exited).toBe(0)
  clearInterval(look)
  const seconds = (performance.now() - since) / 1000
  expect({ status, lines: submitter.lines, stderr: submitter.stderr }).toEqual(end)

  const peaks = members.map((each, at) => (memoryOf(each, 'VmHWM') - (before[at] as number)) / MEBIBYTE)
  const traffic = await Promise.all(members.map(async (each, at) => (await sentBy(each)) - (sent[at] as number)))
  const lengthOf = (outputs: readonly { readonly text: string }[]): number => outputs.reduce((sum, { text }) => sum + text.length, 0)
  const shown = lengthOf(worker.of('output').slice(shownBefore))
  const logs = client('job', 'floods', name, '--logs', '--json')
  expect(await logs.exited).toBe(0)
  const kept = lengthOf(logs.of('output'))
  const readerPeak = (high - low) / MEBIBYTE
  for (const peak of [...peaks, readerPeak]) expect(peak).toBeLessThan(PEAK)
  for (const bytes of traffic) expect(bytes).toBeLessThan(SENT + SENT_RATE * seconds)
  expect(shown).toBeGreaterThanOrEqual(least)
  expect(shown).toBeLessThan(SHOWN + SHOWN_RATE * seconds)
  expect(kept).toBeGreaterThanOrEqual(least)
  expect(kept).toBeLessThanOrEqual(KEPT)
  expect(replica.of('output')).toEqual([])
}

describe.runIf(process.platform === 'linux')('1 GB of output stays within the bounds of memory, traffic and logs', () => {
  const submit = (fn: string): readonly string[] => ['submit', 'floods', join(folder, 'program.js'), fn]
  const command = (text: string, ...flags: readonly string[]): readonly string[] => [
    'map',
    'floods',
    '--command',
    text,
    '--inputs',
    join(folder, 'inputs.json'),
    ...flags,
  ]
  const done = { status: 0, lines: ['"done"'], stderr: expect.any(String) }
  const seven = { status: 0, lines: ['{"input":1,"value":7}'], stderr: expect.any(String) }

  it('of console.log', async () => await checkFlood('console', submit('prints'), done))

  it('of a child process that has the streams of the program', async () => await checkFlood('child', submit('passesOn'), done))

  it('of a command on standard error', async () => await checkFlood('stderr', command(`${flood} >&2; echo 7`), seven))

  it('of a command on standard output, which ends it', async () => {
    const stderr = expect.stringContaining('COMMAND_OUTPUT_TOO_LARGE: the command prints more than 900000 bytes')
    await checkFlood('stdout', command(flood), { status: 1, lines: [], stderr }, 0)
  })

  it('of a persistent command, before its answer', async () => {
    const answers = `${flood}; echo; read -r line; echo '{"id":1,"value":7}'`
    await checkFlood('persistent', command(answers, '--persistent'), seven)
  })
})
