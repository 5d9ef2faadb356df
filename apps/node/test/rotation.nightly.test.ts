import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generatePoolKey } from '@jel/jel'
import { afterAll, expect, it } from 'vitest'
import { JelProcess, join1, loopback, run, type Kind } from './jel-process.ts'

const count = 20
const folder = mkdtempSync(join(tmpdir(), 'jel-rotation-'))
afterAll(() => rmSync(folder, { recursive: true }))

function keyFile(name: string): { file: string; text: string } {
  const file = join(folder, name)
  const text = Buffer.from(generatePoolKey()).toString()
  writeFileSync(file, text, { mode: 0o600 })
  return { file, text }
}

it(
  `one command changes the key of ${count} processes, and its repetition that of one that stood still for a minute`,
  { timeout: 600_000 },
  async () => {
    const [former, next] = [keyFile('old'), keyFile('new')]
    const admin = join(folder, 'admin.key')
    const [id = ''] = (await run('keygen', '--identity', admin)).lines
    const flags = ['--key-file', former.file, '--admin', id]
    const first = await join1('ordered', ...flags)
    const nodes = [first]
    while (nodes.length < count) nodes.push(await join1('ordered', ...flags, '--bootstrap', first.address))
    await Promise.all(nodes.map((node) => node.until(() => node.of('joined').length === count, 'all joined', 60_000)))
    const all = async (...args: readonly string[]): Promise<{ status: unknown; done: string[]; others: string[]; stderr: string }> => {
      const { status, lines, stderr } = await run(
        'keys',
        'ordered',
        ...args,
        '--all',
        '--json',
        '--admin-key',
        admin,
        '--node',
        first.id.slice(-8),
      )
      const members = lines.flatMap((line) => (JSON.parse(line) as Kind<'keys'>).members ?? [])
      const of = (isDone: boolean): string[] => members.filter(({ result }) => (result === 'done') === isDone).map(({ node }) => node)
      return { status, done: of(true), others: of(false), stderr }
    }

    const stopped = nodes.at(-1) as JelProcess
    stopped.child.kill('SIGSTOP')
    const continued = sleep(60_000).then(() => stopped.child.kill('SIGCONT'))
    const partly = await all('install', next.file)
    expect(partly).toMatchObject({ status: 1, others: [stopped.id] })
    expect(partly.done).toHaveLength(count - 1)
    expect(await all('use', next.file)).toMatchObject({ status: 1, stderr: expect.stringContaining(stopped.id) })

    await continued
    // It is back once all have it among the members again.
    await expect.poll(async () => (await all('install', next.file)).done.length, { timeout: 60_000, interval: 1000 }).toBe(count)
    expect(await all('use', next.file)).toMatchObject({ status: 0 })
    // Newcomers with either key can enter.
    const late = await join1('ordered', '--key-file', former.file, '--bootstrap', first.address)
    await late.until(() => late.of('joined').length === count + 1, 'let in by the former key')
    late.send({ command: 'leave' })
    await late.exited
    // On a busy machine a member may answer late. Then the command says so, and is repeated.
    await expect.poll(async () => await all('remove', former.file), { timeout: 60_000, interval: 1000 }).toMatchObject({ status: 0 })
    const [own = ''] = (await run('keys', 'ordered', '--node', stopped.id.slice(-8))).lines
    expect(own).toMatch(/^[0-9a-f]{16} primary$/u)
    // A node with only the former key stays out, and gets an error.
    const entry = ['--bootstrap', first.address, '--require', '2', '--timeout', '3']
    const stranger = new JelProcess(['join', 'ordered', '--json', ...loopback, '--key-file', former.file, ...entry])
    expect(await stranger.exited).toBe(1)
    await first.until(() => first.of('error').some(({ code }) => code === 'PEER_REFUSED'), 'that it was refused')
    expect(first.of('error').find(({ code }) => code === 'PEER_REFUSED')?.message).toContain('none of the pool keys')
    const newcomer = await join1('ordered', '--key-file', next.file, '--bootstrap', stopped.address)
    await newcomer.until(() => newcomer.of('joined').length === count + 1, 'let in by the new key', 30_000)
    await Promise.all(nodes.map((node) => node.until(() => node.told('joined').includes(newcomer.id), 'the newcomer', 30_000)))
    for (const node of [...nodes, newcomer]) expect(node.told('died').filter((dead) => node !== stopped && dead !== stopped.id)).toEqual([])
  },
)
