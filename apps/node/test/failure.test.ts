import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { join1, JelProcess, loopback, run } from './jel-process.ts'

const dead = '127.0.0.1:1'
const folder = mkdtempSync(join(tmpdir(), 'jel-'))
const file = (name: string): string => join(folder, name)

afterAll(() => rmSync(folder, { recursive: true }))

describe('--require', () => {
  it('is met: the node goes on, and reports events as usual', async () => {
    const first = await join1('require')
    const second = await join1('require', '--bootstrap', first.address, '--require', '2', '--timeout', '10')
    await second.until(() => second.of('joined').length === 2, 'both joined')
    expect(second.events.map(({ event }) => event).slice(0, 3)).toEqual(['started', 'joined', 'joined'])
    second.send({ command: 'leave' })
    expect(await second.exited).toBe(0)
  })

  it('is not met: status 1, one line and an error give the reason for each introducer', async () => {
    const stranger = '12D3KooWQbjhTZwRrkRXZWwusceeWZ9xLT9HSpyCNhpzj9um7iM5'
    const member = await join1('require')
    const mistyped = member.address.replace(/\/p2p\/.*/u, `/p2p/${stranger}`)
    const args = [
      'join',
      'require',
      '--json',
      ...loopback,
      '--bootstrap',
      dead,
      '--bootstrap',
      mistyped,
      '--require',
      '2',
      '--timeout',
      '1',
    ]
    const { status, lines, stderr } = await run(...args)
    expect(status).toBe(1)
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ event: 'error', code: 'TOO_FEW_MEMBERS' }])
    expect(stderr).toMatch(
      /^jel: 1 of 2 members were here after 1 s; [^\n]*tcp\/1: connection refused; [^\n]*another node lives there now[^\n]*\n$/u,
    )
    expect(stderr).toContain(member.id)
  })

  it('is not met for another key: the key is named', { timeout: 60_000 }, async () => {
    await Promise.all([file('ours'), file('theirs')].map((key) => run('keygen', '--key-file', key)))
    const member = await join1('require', '--key-file', file('ours'))
    const args = ['--key-file', file('theirs'), '--bootstrap', member.address, '--require', '2', '--timeout', '7']
    const { status, stderr } = await run('join', 'require', ...loopback, ...args)
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/connected, but the handshake failed .*pool key/u) })
  })

  it.each([
    [['--require', '0'], '0'],
    [['--require', 'many'], 'many'],
    [['--timeout', '5'], '--require'],
  ])('is refused as wrong usage: %j', async (args, named) => {
    const { status, stderr } = await run('join', 'p', ...loopback, ...args)
    expect(status).toBe(2)
    expect(stderr).toContain(named)
  })
})

describe('a node whose introducers do not answer', () => {
  it('reports that, and is not elected', async () => {
    const node = await join1('alone', '--bootstrap', dead, '--elect', 'master', '--for', '3')
    expect(await node.exited).toBe(0)
    expect(node.of('error')).toMatchObject([{ code: 'INTRODUCER_UNREACHABLE', message: expect.stringMatching(/refused.*no election/u) }])
    expect(node.of('elected')).toEqual([])
  })

  it('founds the pool with --found', async () => {
    const node = new JelProcess(['join', 'alone', '--json', ...loopback, '--bootstrap', dead, '--elect', 'master', '--found'])
    await node.until(() => node.of('elected').length > 0, 'elected')
  })
})

it('a node whose only peer is killed reports a minority, as text as well', async () => {
  const first = await join1('minority')
  const second = new JelProcess(['join', 'minority', ...loopback, '--bootstrap', first.address])
  await second.until(() => second.lines.some((line) => line.includes(` joined ${first.id}`)), 'joined')
  first.child.kill('SIGKILL')
  await second.until(() => second.lines.some((line) => line.includes(` died ${first.id}`)), 'died')
  const words = 'health: 1 member, 0 links, 100 % of the others suspected or lost, in a minority'
  await second.until(() => second.lines.some((line) => line.includes(words)), 'a minority')
  for (const line of second.lines) if (line.includes('alone')) expect(line).toContain('in a minority')
})

it('a node whose only peer was killed finds a later node at its address, under another id', async () => {
  const first = await join1('replaced')
  const address = first.address.replace(/\/p2p\/.*/u, '')
  const second = await join1('replaced', '--bootstrap', address)
  first.child.kill('SIGKILL')
  await second.until(() => second.told('died').includes(first.id), 'died')
  const third = new JelProcess(['join', 'replaced', '--json', '--listen', address])
  await second.until(() => second.told('joined').length === 3, 'the next one is found', 15_000)
  await second.until(() => second.of('health').at(-1)?.minority === false, 'it is well again')
  expect(second.of('health').at(-1)).toMatchObject({ alone: false, members: 2 })
  expect(second.told('joined').at(-1)).toBe(third.id)
})

describe('a node that can’t store the files of jobs', () => {
  const start = async (places: NodeJS.ProcessEnv): Promise<JelProcess> => {
    const node = new JelProcess(['join', 'stored', '--json', ...loopback], 'pipe', undefined, places)
    await node.until(() => node.of('started').length > 0, 'started')
    return node
  }
  const leaves = async (node: JelProcess): Promise<void> => {
    node.send({ command: 'leave', id: 'leave' })
    expect(await node.exited).toBe(0)
    expect(node.of('stopped')).toMatchObject([{ re: 'leave' }])
  }

  it('tries again at the next command, and leaves in order', async () => {
    const cache = file('cache')
    // No folder can be made below a file, as on a full disk.
    writeFileSync(cache, '')
    const node = await start({ XDG_CACHE_HOME: cache, XDG_CONFIG_HOME: file('config') })
    node.send({ command: 'jobs', id: 1 })
    expect((await node.answer(1)).event).toBe('error')
    rmSync(cache)
    mkdirSync(cache)
    node.send({ command: 'jobs', id: 2 })
    expect((await node.answer(2)).event).toBe('done')
    await leaves(node)
  })

  it('leaves in order before a command has failed', async () => {
    mkdirSync(file('locked/jel'), { recursive: true })
    // The lock of a process that makes the owner's key: the node waits 5 s for the key.
    using lock = new DatabaseSync(file('locked/jel/owner.lock'))
    lock.exec('BEGIN IMMEDIATE')
    const node = await start({ XDG_CONFIG_HOME: file('locked') })
    node.send({ command: 'jobs', id: 1 })
    await setTimeout(1_000)
    expect(node.of('error')).toEqual([])
    await leaves(node)
  })
})
