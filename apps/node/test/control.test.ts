import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import type { NodeEvent } from '../src/events/events.ts'
import { join1, joinAll, JelProcess, loopback, run, runtime, script } from './jel-process.ts'

const sockets = join(runtime, 'jel')

/** Runs a command, and returns the one object that it prints. */
async function asked(...args: string[]): Promise<NodeEvent> {
  const { status, lines, stderr } = await run(...args, '--json')
  expect(stderr).toBe('')
  expect(status).toBe(0)
  expect(lines).toHaveLength(1)
  return JSON.parse(lines[0] as string) as NodeEvent
}

/**
 * Sends commands to a socket, as any program would. Returns all events until the node ends the
 * connection.
 */
async function speak(path: string, ...commands: object[]): Promise<NodeEvent[]> {
  const socket = connect({ path, allowHalfOpen: true })
  socket.end(commands.map((command) => `${JSON.stringify(command)}\n`).join(''))
  const heard: NodeEvent[] = []
  for await (const line of createInterface({ input: socket })) heard.push(JSON.parse(line) as NodeEvent)
  return heard
}

it('the keys of a private pool are listed and changed', async () => {
  const [former, next] = [join(runtime, 'former.key'), join(runtime, 'next.key')]
  for (const file of [former, next]) expect(await run('keygen', '--key-file', file)).toMatchObject({ status: 0 })
  await join1('keys', '--key-file', former)
  const keys = async (...args: string[]): Promise<string[]> => {
    const { status, lines, stderr } = await run('keys', 'keys', ...args)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return lines
  }
  const [old] = await keys()
  expect(old).toMatch(/^[0-9a-f]{16} primary$/u)
  const [, added] = (await keys('install', next)) as [string, string]
  expect(await keys('use', added)).toEqual([`${added} primary`, old!.slice(0, 16)])
  expect(await keys('remove', old!.slice(0, 16))).toEqual([`${added} primary`])
  expect(await asked('keys', 'keys', 'list')).toMatchObject({ event: 'keys', keys: [{ id: added, primary: true }] })

  for (const [args, said] of [
    [['remove', added], 'is the primary key'],
    [['use', old!.slice(0, 16)], 'is not installed'],
    [['install', join(runtime, 'none.key')], 'none.key'],
  ] as const) {
    const { status, stderr } = await run('keys', 'keys', ...args)
    expect({ status, said: stderr.includes(said) }).toEqual({ status: 1, said: true })
  }
  for (const args of [['dance'], ['use'], ['list', 'x']]) expect(await run('keys', 'keys', ...args)).toMatchObject({ status: 2, lines: [] })
})

it('a running node answers questions and carries out commands', async () => {
  const [one, other] = (await joinAll('asked', 2)) as [JelProcess, JelProcess]
  const at = (node: JelProcess): string[] => ['--node', node.id.slice(-8)]

  const members = await asked('members', 'asked', ...at(one))
  expect(members).toMatchObject({ event: 'members', pool: 'asked' })
  expect(members.event === 'members' && members.nodes.map(({ id, state }) => `${id} ${state}`).toSorted()).toEqual(
    [one.id, other.id].toSorted().map((id) => `${id} here`),
  )

  expect(await asked('elect', 'asked', 'master', ...at(one))).toMatchObject({ event: 'elected', epoch: 1, node: { id: one.id } })
  expect(await asked('elect', 'asked', 'master', '--result', ...at(other))).toMatchObject({ event: 'elected', node: { id: one.id } })
  expect(await asked('status', 'asked', ...at(other))).toMatchObject({
    event: 'status',
    node: { id: other.id },
    pid: other.child.pid,
    members: 2,
    reigns: [{ election: 'master', epoch: 1, node: { id: one.id } }],
    health: { alone: false, minority: false },
  })
  expect(await asked('health', 'asked', ...at(other))).toMatchObject({ event: 'health', members: 2, alone: false })
  expect(await asked('elect', 'asked', 'master', '--withdraw', ...at(one))).toMatchObject({ event: 'done' })
  const nobody = await run('elect', 'asked', 'master', '--result', '--timeout', '0.5', ...at(one))
  expect(nobody).toMatchObject({ status: 1, stderr: 'jel: no answer within 0.5 s\n' })

  expect(await asked('signal', 'asked', 'go', one.id, ...at(other))).toMatchObject({ event: 'done' })
  await one.until(() => one.of('signal').length > 0, 'the signal')
  expect(one.of('signal')).toMatchObject([{ name: 'go', node: { id: other.id } }])
  expect(await run('maybe-dead', 'asked', one.id, ...at(other))).toMatchObject({ status: 0, lines: [], stderr: '' })
  const unknown = await run('maybe-dead', 'asked', 'nobody', ...at(other))
  expect(unknown).toMatchObject({ status: 1, stderr: expect.stringContaining('nobody') })

  expect(await run('leave', 'asked', ...at(one))).toMatchObject({ status: 0, lines: [], stderr: '' })
  expect(await one.exited).toBe(0)
  await other.until(() => other.told('left').includes(one.id), 'left')
  // The only node that remains needs no `--node`.
  const gone = await asked('members', 'asked', '--state', 'left')
  expect(gone).toMatchObject({ nodes: [{ id: one.id, state: 'left', since: expect.any(Number) }] })
})

it('where several nodes run, any lists the members, and a command to one node is told their locations and ages', async () => {
  const older = await join1('several', '--location', 'a@delft')
  const gone = await join1('several', '--bootstrap', older.address)
  gone.send({ command: 'leave' })
  await gone.exited
  await older.until(() => older.told('left').length === 1, 'left')
  const younger = await join1('several', '--location', 'b@paris', '--bootstrap', older.address)
  await younger.until(() => younger.of('joined').length === 2, 'both joined')
  const end = (node: JelProcess): string => node.id.slice(-16)
  const unnamed = await run('status', 'several')
  expect(unnamed).toMatchObject({ status: 1, lines: [] })
  expect(unnamed.stderr).toMatch(/^jel: 2 nodes of the pool several run here: name one with --node or JEL_NODE, by the end of its id: /u)
  expect(unnamed.stderr).toMatch(new RegExp(`${end(older)}, a@delft, for \\d+ s`, 'u'))
  expect(unnamed.stderr).toMatch(new RegExp(`${end(younger)}, b@paris, for \\d+ s`, 'u'))
  const withNode = async (node: string, ...args: string[]): Promise<string[]> => {
    const command = new JelProcess(args, 'ignore', script, { JEL_NODE: node })
    expect({ status: await command.exited, stderr: command.stderr }).toEqual({ status: 0, stderr: '' })
    return command.lines
  }
  expect((await withNode(end(younger), 'status', 'several'))[0]).toContain(younger.id)
  expect((await withNode(end(younger), 'status', 'several', '--node', end(older)))[0]).toContain(older.id)

  // Only the older node knows the member that left before the younger one entered.
  expect(await asked('members', 'several', '--state', 'left')).toMatchObject({ nodes: [{ id: gone.id }] })
  expect(await run('jobs', 'several')).toMatchObject({ status: 0 })
  for (const node of [older, younger]) node.send({ command: 'answer', name: 'load', id: 'a' })
  for (const node of [older, younger]) await node.answer('a')
  const answered = (async () => {
    for (const node of [older, younger]) {
      await node.until(() => node.of('query').length === 1, 'the query')
      const [query] = node.of('query')
      expect(query).toMatchObject({ node: { id: older.id } })
      node.send({ command: 'reply', query: query?.query, payload: '' })
    }
  })()
  const asking = await run('query', 'several', 'load')
  expect(asking).toMatchObject({ status: 0, stderr: '' })
  expect(asking.lines).toHaveLength(2)
  await answered
  // Only a candidate is one node.
  for (const flags of [[], ['--withdraw']]) expect((await run('elect', 'several', 'master', ...flags)).stderr).toContain('name one with')
  younger.send({ command: 'elect', election: 'master' })
  expect((await run('elect', 'several', 'master', '--result')).lines.join()).toContain(younger.id)
  older.child.kill('SIGSTOP')
  expect(await asked('members', 'several')).toMatchObject({ event: 'members' })
  expect((await run('status', 'several')).stderr).toContain(`${end(older)}, which does not answer`)
  older.child.kill('SIGCONT')
})

it('members are found by location, tag and state', async () => {
  const gpu = await join1('filters', '--location', 'a@rack1@delft', '--tag', 'gpu=2')
  const cpu = await join1('filters', '--location', 'b@rack2@delft', '--tag', 'cpu=16', '--bootstrap', gpu.address, '--no-control')
  await gpu.until(() => gpu.told('joined').includes(cpu.id), 'joined')
  const found = async (...filter: string[]): Promise<string[]> => {
    const answer = await asked('members', 'filters', ...filter)
    return answer.event === 'members' ? answer.nodes.map(({ id }) => id) : []
  }
  expect(await found('--location', 'delft')).toEqual([gpu.id, cpu.id].toSorted())
  expect(await found('--location', 'rack2@delft')).toEqual([cpu.id])
  expect(await found('--location', 'ack2@delft')).toEqual([])
  expect(await found('--tag', '^gpu')).toEqual([gpu.id])
  expect(await found('--state', 'died')).toEqual([])
  const { status, lines } = await run('members', 'filters', '--tag', 'cpu')
  expect(status).toBe(0)
  expect(lines).toMatchObject([
    expect.stringMatching(/^ID +STATE +FOR +LOCATION +TAG +REACH +ADDRESS$/u),
    expect.stringMatching(new RegExp(`^${cpu.id} +here +\\d+ s +b@rack2@delft +cpu=16 +direct +${cpu.address}$`, 'u')),
  ])
  expect(await run('members', 'filters', '--tag', '(')).toMatchObject({ status: 1, stderr: expect.stringContaining('members: tag: ') })
  expect(await run('members', 'filters', '--state', 'ill')).toMatchObject({ status: 2 })
})

it('the socket has the format of jel join --json, for this user only, and vanishes with the node', async () => {
  const node = await join1('contract')
  const name = readdirSync(sockets).find((each) => each.includes(node.id.slice(-16))) as string
  const path = join(sockets, name)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(sockets).mode & 0o777).toBe(0o700)

  const heard = await speak(path, { command: 'members', id: 'm' }, { command: 'dance', id: 'd' })
  expect(heard).toMatchObject([
    { event: 'started', node: { id: node.id } },
    { event: 'joined', node: { id: node.id } },
    { event: 'members', re: 'm' },
    { event: 'error', code: 'UNKNOWN_COMMAND', re: 'd' },
  ])
  // A command that waits for an answer can be cancelled.
  const cancelled = await speak(
    path,
    { command: 'result', election: 'nobody', id: 'r' },
    { command: 'cancel', of: 'r', id: 'c' },
    { command: 'cancel', of: 'r', id: 'again' },
  )
  expect(cancelled.slice(2)).toMatchObject([
    { event: 'done', re: 'c' },
    { event: 'error', code: 'INVALID_COMMAND', re: 'again' },
    { event: 'error', code: 'CANCELLED', re: 'r' },
  ])
  // Several connections at once get all events, including the end.
  const followers = [connect(path), connect(path)].map((socket) => {
    const lines: string[] = []
    createInterface({ input: socket }).on('line', (line) => lines.push(line))
    return { lines, closed: new Promise((resolve) => socket.on('close', resolve)) }
  })
  await node.until(() => followers.every(({ lines }) => lines.length === 2), 'two followers')
  node.send({ command: 'leave', id: 'bye' })
  expect(await node.exited).toBe(0)
  await Promise.all(followers.map(({ closed }) => closed))
  for (const { lines } of followers) {
    const last = JSON.parse(lines.at(-1) as string) as NodeEvent
    expect(last).toMatchObject({ event: 'stopped' })
    expect(last).not.toHaveProperty('re')
  }
  expect(existsSync(path)).toBe(false)
})

it('a command reports that no node runs, or that none can be reached', async () => {
  expect(await run('members', 'nowhere')).toMatchObject({
    status: 1,
    lines: [],
    stderr: 'jel: no node of the pool nowhere runs here: jel join nowhere starts one\n',
  })
  const gone = await run('status', 'nowhere', '--control', join(runtime, 'none.sock'))
  expect(gone).toMatchObject({ status: 1, stderr: `jel: no node listens at ${join(runtime, 'none.sock')}: ENOENT\n` })

  const silent = await join1('nowhere', '--no-control')
  expect(await run('members', 'nowhere')).toMatchObject({ status: 1 })
  silent.child.kill('SIGKILL')
  // A killed node leaves its socket behind. That hinders no other node.
  const killed = await join1('nowhere', '--control', join(runtime, 'given.sock'))
  expect(await asked('status', 'nowhere', '--control', join(runtime, 'given.sock'))).toMatchObject({ node: { id: killed.id } })
  const taken = await run('join', 'nowhere', '--control', join(runtime, 'given.sock'), '--listen', '127.0.0.1:0', '--for', '1')
  expect(taken).toMatchObject({ status: 1, stderr: expect.stringContaining('given.sock is in use by another node') })
  killed.child.kill('SIGKILL')
  await killed.exited
  const next = await join1('nowhere', '--control', join(runtime, 'given.sock'))
  expect(await asked('status', 'nowhere', '--control', join(runtime, 'given.sock'))).toMatchObject({ node: { id: next.id } })
})

it('a file that is no socket is neither replaced nor used', async () => {
  const file = join(runtime, 'precious')
  writeFileSync(file, 'precious')
  const joined = await run('join', 'precious', '--control', file, ...loopback, '--for', '1')
  expect(joined).toMatchObject({ status: 1, stderr: expect.stringContaining(`${file} can't be a control socket: another file is there`) })
  const asked1 = await run('status', 'precious', '--control', file)
  expect(asked1).toMatchObject({ status: 1, stderr: `jel: --control ${file}: it is not a socket\n` })
  expect(readFileSync(file, 'utf8')).toBe('precious')
})

it('commands refuse a folder in which others could listen, and a node reports it and goes on', async () => {
  const [folder, env] = [join(runtime, 'planted', 'jel'), { XDG_RUNTIME_DIR: join(runtime, 'planted') }]
  mkdirSync(join(runtime, 'elsewhere'))
  mkdirSync(join(runtime, 'planted'))
  symlinkSync(join(runtime, 'elsewhere'), folder)
  const node = new JelProcess(['join', 'planted', '--json', ...loopback], 'pipe', script, env)
  await node.until(() => node.of('error').length > 0, 'NO_CONTROL_SOCKET')
  expect(node.of('error')).toMatchObject([
    { code: 'NO_CONTROL_SOCKET', message: expect.stringContaining(`${folder}, the folder for control sockets, is not a folder`) },
  ])
  expect(node.of('started')).toHaveLength(1)
  const asks = new JelProcess(['keys', 'planted', 'list'], 'ignore', script, env)
  expect(await asks.exited).toBe(1)
  expect(asks.stderr).toContain(`${folder}, the folder for control sockets, is not a folder`)
})

it('streams of members are passed to other programs as local sockets', async () => {
  const [one, other] = (await joinAll('bridge', 2)) as [JelProcess, JelProcess]
  const path = join(runtime, 'echo.sock')
  // This stands for a program in any language. It reads who opened the stream, and sends the rest
  // back.
  const heads: string[] = []
  const answer = async (socket: Socket): Promise<void> => {
    const pieces: Buffer[] = []
    for await (const piece of socket) pieces.push(piece as Buffer)
    const [head, ...rest] = Buffer.concat(pieces).toString('latin1').split('\n')
    heads.push(head as string)
    socket.end(Buffer.from(rest.join('\n'), 'latin1'))
  }
  const echo = createServer({ allowHalfOpen: true }, (socket) => void answer(socket)).listen(path)
  try {
    other.send({ command: 'handle', protocol: '/echo/1.0.0', path, id: 'h' })
    expect(await other.answer('h')).toMatchObject({ event: 'done' })
    one.send({ command: 'open', node: other.id, protocol: '/echo/1.0.0', id: 'o' })
    const opened = await one.answer('o')
    expect(opened).toMatchObject({ event: 'opened', path: expect.any(String) })
    const sent = Buffer.alloc(3_000_000, 'every byte comes back')
    const socket = connect({ path: (opened as { path: string }).path, allowHalfOpen: true })
    socket.end(sent)
    const back: Buffer[] = []
    for await (const piece of socket) back.push(piece as Buffer)
    expect(Buffer.concat(back).equals(sent)).toBe(true)
    expect(heads.map((head) => JSON.parse(head) as unknown)).toEqual([{ from: one.id, protocol: '/echo/1.0.0' }])

    other.send({ command: 'unhandle', protocol: '/echo/1.0.0', id: 'u' })
    expect(await other.answer('u')).toMatchObject({ event: 'done' })
    one.send({ command: 'open', node: other.id, protocol: '/echo/1.0.0', id: 'o2' })
    expect(await one.answer('o2')).toMatchObject({ event: 'error' })
  } finally {
    echo.close()
  }
})

it('a running node answers questions about jobs, whether it computes or not', async () => {
  const owner = join(runtime, 'owner')
  const program = join(runtime, 'squares.mjs')
  writeFileSync(
    program,
    `import { task } from '@jel/compute/program'
export const square = task((number) => number ** 2)
export const sum = task(async (count, { run }) => (await Promise.all(Array.from({ length: count }, (_, each) => run(square, each)))).reduce((a, b) => a + b, 0))`,
  )
  const worker = new JelProcess(['work', 'jobs', '--json', ...loopback, '--workers', '1', '--owner', owner])
  await worker.until(() => worker.lines.length > 0, 'started')
  const plain = await join1('jobs', '--bootstrap', worker.address)
  const at = (node: JelProcess): string[] => ['--node', node.id.slice(-8)]

  const done = await run('submit', 'jobs', program, 'sum', '10', '--name', 'squares', ...at(worker))
  expect(done).toMatchObject({ status: 0, lines: ['285'] })
  const [line] = (await run('job', 'jobs', 'squares', '--result', '--json', ...at(plain))).lines
  expect(JSON.parse(line as string)).toMatchObject({ event: 'done', result: 285 })
  expect((await run('jobs', 'jobs', ...at(plain))).lines).toMatchObject([
    expect.stringMatching(/^job +name +state/u),
    expect.stringMatching(/^[\da-f]{20} +squares +done +100 %/u),
  ])
  expect((await run('job', 'jobs', 'squares', ...at(worker))).lines).toContainEqual(expect.stringMatching(/^state +done$/u))
  expect(await run('job', 'jobs', 'no such', ...at(worker))).toMatchObject({ status: 1, stderr: expect.stringContaining('no such') })
  worker.send({ command: 'jobs', id: 'j' })
  await worker.until(() => worker.of('done').some(({ re }) => re === 'j'), 'done')
  expect(worker.events.filter((event) => 're' in event && event.re === 'j')).toMatchObject([
    { event: 'job', name: 'squares' },
    { event: 'done' },
  ])
  expect(await run('jobs', 'jobs', '--node', 'nobody')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^jel: no node nobody of the pool jobs runs here, but /u),
  })
})
