import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { join1, JelProcess, run, runtime, type Told } from './jel-process.ts'

interface Entry {
  readonly time: string
  readonly level: string
  readonly code: string
  readonly message: string
  readonly [field: string]: unknown
}

function entries(text: string): Entry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry)
}

it('a node logs events and problems, and standard output stays the same', async () => {
  const node = await join1('logged', '--log', 'debug', '--log-format', 'json', '--location', 'a@delft')
  const logged = (code: string): Entry[] =>
    entries(node.stderr.slice(0, node.stderr.lastIndexOf('\n') + 1)).filter((entry) => entry.code === code)
  const other = await join1('logged', '--bootstrap', node.address, '--no-control')
  await node.until(() => node.told('joined').includes(other.id), 'joined')
  expect((await run('elect', 'logged', 'master')).status).toBe(0)
  other.child.kill('SIGKILL')
  await node.until(() => logged('MEMBER_DIED').length > 0, 'died')
  node.child.kill('SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, 2500))
  node.child.kill('SIGCONT')
  await node.until(() => logged('SLOW_LOOP').length > 0, 'slow')
  expect((await run('leave', 'logged')).status).toBe(0)
  expect(await node.exited).toBe(0)

  const codes = [
    'STARTED',
    'MEMBER_JOINED',
    'CONTROL_CONNECTED',
    'COMMAND',
    'ELECTED',
    'CONTROL_CLOSED',
    'MEMBER_DIED',
    'SLOW_LOOP',
    'LEAVE_ASKED',
    'LEAVING',
    'STOPPED',
  ]
  const told = entries(node.stderr)
  expect([...new Set(told.map(({ code }) => code))]).toEqual(expect.arrayContaining(codes))
  expect(told.map(({ time }) => time)).toEqual(told.map(({ time }) => time).toSorted())
  expect(logged('MEMBER_JOINED')).toMatchObject([
    { member: node.id, location: 'a@delft' },
    { level: 'info', pool: 'logged', member: other.id },
  ])
  expect(logged('MEMBER_DIED')).toMatchObject([{ level: 'warn', member: other.id, incarnation: 1 }])
  expect(logged('ELECTED')).toMatchObject([{ election: 'master', epoch: 1, member: node.id }])
  expect(logged('LEAVING')).toMatchObject([{ message: 'leaving the pool: command' }])
  expect((logged('SLOW_LOOP')[0] as Entry)['late']).toBeGreaterThan(1000)
  expect(node.events.at(-1)).toMatchObject({ event: 'stopped' })
})

it('an address that does not answer, and a start that fails, are logged with their codes', async () => {
  const path = join(runtime, 'start.log')
  const node = await join1('unreached', '--log-file', path, '--bootstrap', '127.0.0.1:9', '--for', '0.1')
  expect(await node.exited).toBe(0)
  expect(node.stderr).toBe('')
  const lines = readFileSync(path, 'utf8').split('\n')
  expect(lines).toContainEqual(expect.stringMatching(/^\S+Z warn {2}INTRODUCER_UNREACHABLE .*127\.0\.0\.1.*9/u))
  expect(lines).toContainEqual(expect.stringMatching(/^\S+Z info {2}LEAVING leaving the pool: time$/u))

  // A second node appends to the same file.
  const port = /tcp\/(\d+)/u.exec((await join1('taken')).address)?.[1]
  const failed = await run('join', 'unreached', '--json', '--listen', `127.0.0.1:${port}`, '--log', 'error', '--log-file', path)
  expect(failed.status).toBe(1)
  const after = readFileSync(path, 'utf8').split('\n')
  expect(after.slice(0, lines.length - 1)).toEqual(lines.slice(0, -1))
  expect(after.slice(lines.length - 1)).toEqual([expect.stringMatching(/ error LISTEN_FAILED .*/u), ''])
})

it('without --log nothing is logged', async () => {
  const node = await join1('unlogged', '--for', '0.1')
  expect(await node.exited).toBe(0)
  expect(node.stderr).toBe('')
})

it('a log that can’t be opened ends the start, and one that can’t be written does not end the node', async () => {
  const refused = await run('join', 'lost', '--json', '--listen', '127.0.0.1:0', '--log-file', join(runtime, 'no', 'such.log'))
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/^jel: the log file can't be opened: ENOENT.*\n$/u) })
  expect(refused.lines.map((line) => JSON.parse(line) as Told)).toMatchObject([{ event: 'error' }])
  for (const args of [
    ['--log', 'loud'],
    ['--log-format', 'xml'],
  ])
    expect(await run('join', 'lost', ...args)).toMatchObject({ status: 2 })

  const node = await join1('lost', '--log-file', '/dev/full')
  await node.until(() => node.of('error').length > 0, 'an error')
  expect(node.of('error')).toMatchObject([{ code: 'LOG_LOST' }])
  node.send({ command: 'status', id: 1 })
  expect(await node.answer(1)).toMatchObject({ event: 'status', members: 1 })
  const silent = new JelProcess([
    'join',
    'lost',
    '--json',
    '--listen',
    '127.0.0.1:0',
    '--log',
    'silent',
    '--log-file',
    '/dev/full',
    '--for',
    '0.1',
  ])
  expect(await silent.exited).toBe(0)
  expect(silent.of('error')).toEqual([])
})
