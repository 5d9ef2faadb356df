import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compartmentNames } from '../src/executors/compartment-globals.ts'
import { confinement, spawnProgram } from '../src/executors/confinement.ts'
import { computeLocal, type LocalGrid } from '../src/index.ts'

const hostile = join(import.meta.dirname, 'programs/hostile.ts')
const various = join(import.meta.dirname, 'programs/various.ts')
const spaces = join(import.meta.dirname, 'programs/spaces.ts')
const folder = mkdtempSync(join(tmpdir(), 'jel-sandbox-'))
let grid: LocalGrid
/** A grid with a short time limit, for programs that never end. */
let impatient: LocalGrid

beforeAll(() => {
  grid = computeLocal({ workers: 2, cache: folder, place: 'sandbox', limits: { time: 10_000, memory: 40 } })
  impatient = computeLocal({ workers: 1, cache: folder, place: 'sandbox', limits: { time: 200, memory: 40 } })
})

afterAll(async () => {
  await Promise.all([grid.close(), impatient.close()])
  rmSync(folder, { recursive: true })
})

async function resultOf(program: string, fn: string, input?: unknown): Promise<unknown> {
  return (await grid.submit(program, fn, input)).result
}

describe('a program in a sandbox', () => {
  it.each([
    ['a tree of tasks', various, 'queens', 6, 4],
    ['a task that waits for something else', various, 'sleeps', 20, 'rested'],
    ['a task that catches what its child throws', various, 'catches', undefined, 'caught: no such luck'],
    ['a space whose pieces unite', spaces, 'sum', undefined, 44_999_850_000n],
    ['a class of errors of an older kind', various, 'inherits', undefined, [true, true, 'RangeError: too far']],
    ['a driver', spaces, 'squares', 4, { sum: 0 + 1 + 4 + 9 + 16, results: 5 }],
  ])('computes as elsewhere: %s', async (_, program, fn, input, expected) => {
    expect(await resultOf(program, fn, input)).toEqual(expected)
  })

  it('fails with the error that it throws, and its stack', async () => {
    await expect(resultOf(various, 'throws')).rejects.toMatchObject({
      code: 'TASK_THREW',
      message: 'no such luck',
      remoteStack: expect.stringMatching(/^RangeError: no such luck\n    at various\.ts:50:9$/u),
    })
  })

  it('has the names that a program may use', async () => {
    const names = (await resultOf(hostile, 'names')) as string[]
    expect([...compartmentNames].filter((name) => name !== 'arguments' && !names.includes(name))).toEqual([])
  })

  it('has random numbers, and nothing else of the module for encryption', async () => {
    const id = expect.stringMatching(/^[\da-f-]{36}$/u)
    expect(await resultOf(hostile, 'random')).toEqual({ isChanged: true, id, names: ['getRandomValues', 'randomUUID'] })
  })

  it.each(['sees', 'changes'])('finds nothing but the language: %s', async (fn) => {
    const found = (await resultOf(hostile, fn)) as Record<string, string>
    const got = Object.entries(found).filter(([, what]) => what.startsWith('got'))
    expect(got).toEqual([])
    expect(Object.keys(found).length).toBeGreaterThan(8)
  })

  it.each(['loops', 'loopsLater', 'lies'])('is ended when it exceeds its time: %s', async (fn) => {
    const { result } = await impatient.submit(hostile, fn)
    await expect(result).rejects.toMatchObject({ message: expect.stringMatching(/ran for more than 200 ms/u) })
  })

  it.each([
    ['hoardsHeap', /more memory than a task may take/u],
    ['hoardsBuffers', /more memory than a task may take|allocation failed/u],
    ['hoardsAssembly', /more memory than a task may take|Unable to grow/u],
    ['spawnsWithoutEnd', /more memory than a task may take|ran for more/u],
    ['deep', /call stack/u],
  ])('is ended when it exceeds its memory or stack: %s', async (fn, message) => {
    await expect(resultOf(hostile, fn)).rejects.toMatchObject({ message: expect.stringMatching(message) })
  })

  it('does no harm to other programs', async () => {
    const [bad, good] = await Promise.allSettled([resultOf(hostile, 'hoardsBuffers'), resultOf(hostile, 'answers', 21)])
    expect([bad.status, good]).toEqual(['rejected', { status: 'fulfilled', value: 42 }])
  })
})

/**
 * Runs a module outside of a compartment and returns what it reaches. The module writes to
 * descriptor 3.
 */
async function confined(body: string): Promise<string> {
  const module = `import { Socket } from 'node:net'
    const socket = new Socket({ fd: 3, readable: true, writable: true })
    const say = (what) => socket.end(String(what))
    const attempt = async () => { ${body} }
    attempt().then(say, (error) => say('refused: ' + (error.code ?? error.message)))`
  const { child, channel, livenessPipe } = spawnProgram(module, await confinement(), 96)
  let said = ''
  const timer = setTimeout(() => livenessPipe.destroy(), 5000)
  channel.on('data', (data) => (said += String(data)))
  channel.on('end', () => livenessPipe.destroy())
  await once(child, 'exit')
  clearTimeout(timer)
  return said
}

describe('a confined process, even if its program escapes,', async () => {
  const { namespaces, limits } = await confinement()

  it.each([
    ['no file', `return (await import('node:fs')).readFileSync('/etc/passwd', 'utf8').length`],
    ['no file to write', `return (await import('node:fs')).writeFileSync('/tmp/jel-sandbox-escaped', 'x')`],
    ['no other process', `return (await import('node:child_process')).execFileSync('/bin/true')`],
    ['no thread', `return new (await import('node:worker_threads')).Worker('1', { eval: true })`],
    ['no addon', `return process.dlopen({ exports: {} }, '/lib/x.node')`],
    ['no inspector', `return (await import('node:inspector')).open(0)`],
    ['no standard input of others', `return (await import('node:fs')).readFileSync('/dev/stdin', 'utf8')`],
  ])('has %s', async (_, body) => {
    expect(await confined(body)).toMatch(/^refused: ERR_(ACCESS_DENIED|DLOPEN_DISABLED)/u)
  })

  it('knows no environment variables, nor through a report', async () => {
    const names = await confined(
      `return JSON.stringify([...Object.keys(process.env), ...Object.keys(process.report.getReport().environmentVariables)])`,
    )
    expect((JSON.parse(names) as string[]).filter((name) => name !== 'PWD' && name !== '_' && name !== 'SHLVL')).toEqual([])
  })

  it.runIf(limits)('writes no file through a database', async () => {
    const file = join(folder, 'escaped.db')
    const said = await confined(
      `const { DatabaseSync } = await import('node:sqlite'); const db = new DatabaseSync(${JSON.stringify(file)}); db.exec('create table x(y); insert into x values (1)'); return 'written'`,
    )
    expect(said).not.toBe('written')
    expect(existsSync(file) ? statSync(file).size : 0).toBe(0)
  })

  it.runIf(namespaces !== 'none')('has no network', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const said = await confined(
      `const net = await import('node:net'); return await new Promise((resolve, reject) => net.connect(${port}, '127.0.0.1').on('connect', () => resolve('connected')).on('error', reject))`,
    )
    server.close()
    expect(said).toMatch(/^refused: (ENETUNREACH|ECONNREFUSED|EADDRNOTAVAIL|ERR_ACCESS_DENIED)/u)
  })

  it.each(['own', 'sandbox'] as const)('ends after its parent is gone, though it loops (%s)', async (place) => {
    const { child, livenessPipe } = spawnProgram('for (;;);', place === 'own' ? undefined : await confinement(), 96)
    await sleep(500)
    expect(child.exitCode).toBeNull()
    livenessPipe.destroy()
    await once(child, 'exit')
  })

  it('ends with all that it started after its parent is gone', async () => {
    // The channel ends when the last process that has it ends.
    const module = `import { spawn } from 'node:child_process'
      import { Socket } from 'node:net'
      spawn('/bin/sleep', ['30'], { stdio: ['ignore', 'ignore', 'ignore', 3] })
      new Socket({ fd: 3, readable: true, writable: true }).write('started')`
    const { channel, livenessPipe } = spawnProgram(module, undefined, 96)
    await once(channel, 'data')
    livenessPipe.destroy()
    channel.resume()
    await once(channel, 'end', { signal: AbortSignal.timeout(3000) })
  })
})
