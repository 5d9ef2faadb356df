import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { join1, joinAll, JelProcess, loopback, runtime, script, type Told } from './jel-process.ts'

it('a node that is alone reports started, its own joined, and stopped', async () => {
  const before = Date.now()
  const node = await join1('alone', '--location', 'node7@rack2', '--tag', 'gpü')
  node.send({ command: 'leave', id: 'bye' })
  expect(await node.exited).toBe(0)
  const [started, joined, ...rest] = node.events as [Told & { node: { id: string } }, ...Told[]]
  expect(started).toEqual({
    event: 'started',
    time: expect.toSatisfy((time: number) => time >= before && time <= Date.now()),
    pool: 'alone',
    node: {
      id: expect.stringMatching(/^12D3KooW\w+$/u),
      incarnation: 1,
      addresses: [expect.stringMatching(/^\/ip4\/127\.0\.0\.1\/tcp\/\d+\/p2p\/12D3KooW\w+$/u)],
      location: 'node7@rack2',
      tag: Buffer.from('gpü').toString('base64'),
      tagText: 'gpü',
      reach: 'direct',
      joinedAt: expect.toSatisfy((time: number) => time >= before && time <= Date.now()),
    },
  })
  expect(joined).toEqual({ event: 'joined', time: expect.any(Number), pool: 'alone', node: started.node })
  expect(rest).toEqual([{ event: 'stopped', time: expect.any(Number), pool: 'alone', re: 'bye' }])
  expect(node.stderr).toBe('')
})

it('nodes report each other, elect, lose the winner, and leave', async () => {
  const nodes = await joinAll('life', 4)
  const ids = nodes.map(({ id }) => id).toSorted()
  for (const node of nodes) {
    expect(node.told('joined')[0]).toBe(node.id)
    expect(node.told('joined').toSorted()).toEqual(ids)
  }

  nodes[0]!.send({ command: 'members', id: 7 })
  const members = await nodes[0]!.answer(7)
  expect(members).toMatchObject({ event: 'members', pool: 'life' })
  expect(members.event === 'members' && members.nodes.map(({ id }) => id).toSorted()).toEqual(ids)

  for (const node of nodes) node.send({ command: 'elect', election: 'master', id: 'e' })
  const results = await Promise.all(nodes.map((node) => node.answer('e')))
  for (const result of results) expect(result).toMatchObject({ event: 'elected', election: 'master', epoch: expect.any(Number) })
  await Promise.all(nodes.map((node) => node.until(() => latest(node) === latest(nodes[0]!), 'one winner')))

  const winner = nodes.find(({ id }) => id === latest(nodes[0]!)?.split(' ')[1])!
  const epoch = winner.of('elected').at(-1)!.epoch
  const others = nodes.filter((node) => node !== winner)
  winner.child.kill('SIGKILL')
  await Promise.all(others.map((node) => node.until(() => node.told('died').includes(winner.id), 'died')))
  await Promise.all(
    others.map((node) => node.until(() => node.of('elected').at(-1)!.epoch > epoch && latest(node) === latest(others[0]!), 'the next')),
  )
  expect(latest(others[0]!)).not.toContain(winner.id)

  const [leaver, ...rest] = others
  leaver!.child.kill('SIGTERM')
  expect(await leaver!.exited).toBe(0)
  expect(leaver!.events.at(-1)).toMatchObject({ event: 'stopped' })
  await Promise.all(rest.map((node) => node.until(() => node.told('left').includes(leaver!.id), 'left')))
  for (const node of rest) {
    expect(node.told('joined')).toHaveLength(4)
    expect(node.told('died')).toEqual([winner.id])
    expect(node.told('left')).toEqual([leaver!.id])
  }
})

function latest(node: JelProcess): string | undefined {
  const reign = node.of('elected').at(-1)
  return reign && `${reign.epoch} ${reign.node.id}`
}

it('a node reports its links, and the time of the last probe of each peer that it probes', async () => {
  const [one, other] = (await joinAll('links', 2)) as [JelProcess, JelProcess]
  const linksOf = async (node: JelProcess, id: number): Promise<object[]> => {
    node.send({ command: 'links', id })
    const answer = await node.answer(id)
    return answer.event === 'links' ? [...answer.links] : []
  }
  let timed = 0
  for (let id = 0; timed === 0 && id < 100; id += 1) {
    const [links, back] = await Promise.all([linksOf(one, id), linksOf(other, id)])
    timed = [...links, ...back].filter((link) => 'roundTrip' in link && typeof link.roundTrip === 'number').length
    expect([links, back]).toMatchObject([[{ id: other.id }], [{ id: one.id }]])
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(timed).toBeGreaterThan(0)
})

it('signals and hints are carried out, confirmed and refused', async () => {
  const [one, other] = (await joinAll('signals', 2)) as [JelProcess, JelProcess]
  one.send({ command: 'signal', name: 'go', nodes: [other.id], id: '1' }, { command: 'maybeDead', node: other.id, id: '2' })
  expect(await one.answer('1')).toMatchObject({ event: 'done' })
  expect(await one.answer('2')).toMatchObject({ event: 'done' })
  await other.until(() => other.of('signal').length === 1, 'signal')
  expect(other.of('signal')[0]).toMatchObject({ name: 'go', node: { id: one.id } })

  one.send(
    { command: 'signal', name: 'go', nodes: ['nobody'], id: '3' },
    { command: 'maybeDead', node: 'nobody', id: '4' },
    { command: 'elect', election: '', id: '5' },
  )
  expect(await one.answer('3')).toMatchObject({ event: 'error', code: 'UNKNOWN_MEMBER' })
  expect(await one.answer('4')).toMatchObject({ event: 'error', code: 'UNKNOWN_MEMBER' })
  expect(await one.answer('5')).toMatchObject({ event: 'error', code: 'INVALID_ELECTION_NAME' })
  expect(one.of('died')).toEqual([])
})

it('records are published, reported, listed, withdrawn and refused', async () => {
  const [one, other] = (await joinAll('records', 2)) as [JelProcess, JelProcess]
  const value = Buffer.from('hi').toString('base64')
  one.send({ command: 'publish', name: 'job/1', value, ttl: 60_000, id: '1' }, { command: 'publish', name: 'other', value, ttl: 60_000 })
  expect(await one.answer('1')).toMatchObject({ event: 'done' })
  await other.until(() => other.of('record').length === 2, 'records')
  // Records come in any order.
  expect(other.of('record').find(({ name }) => name === 'job/1')).toMatchObject({ owner: one.id, value })
  other.send({ command: 'records', prefix: 'job/', id: '2' }, { command: 'publish', name: 'job/1', value: 'no base64!', ttl: 1, id: '3' })
  expect(await other.answer('2')).toMatchObject({ records: [{ name: 'job/1', value }] })
  expect(await other.answer('3')).toMatchObject({ event: 'error', code: 'INVALID_COMMAND' })
  one.send({ command: 'publish', name: '', value, ttl: 1, id: '4' }, { command: 'publish', name: 'x', value, ttl: 0, id: '5' })
  for (const id of ['4', '5']) expect(await one.answer(id)).toMatchObject({ event: 'error', code: 'INVALID_RECORD' })

  const late = await join1('records', '--bootstrap', other.address)
  await late.until(() => late.of('record').length === 2, 'records of before')
  one.send({ command: 'unpublish', name: 'job/1', id: '6' })
  expect(await one.answer('6')).toMatchObject({ event: 'done' })
  await late.until(() => late.of('record').some((told) => told.value === null), 'that it was withdrawn')
  late.send({ command: 'records', id: '7' })
  expect(await late.answer('7')).toMatchObject({ records: [{ name: 'other' }] })
})

it('a newcomer hears of the current reign, and --elect makes a node a candidate', async () => {
  const first = await join1('reigns', '--elect', 'master')
  await first.until(() => first.of('elected').length > 0, 'elected')
  const second = await join1('reigns', '--bootstrap', first.address)
  second.send({ command: 'result', election: 'master', id: 'r' })
  expect(await second.answer('r')).toMatchObject({ event: 'elected', election: 'master', node: { id: first.id } })
  await second.until(() => second.of('elected').some((event) => event.re === undefined), 'elected without being asked')
})

it('a line that is no command is an error, and the node goes on', async () => {
  const node = await join1('nonsense')
  const long = JSON.stringify({ command: 'members', id: 'x'.repeat(64 * 1024 * 1024) })
  node.send('{"command":', 'hello', '', '[1]', { command: 'dance', id: 'd' }, { command: 'members', id: 'f', all: true }, long)
  node.child.stdin!.write('{"command":"members","id":"crlf"}\r\n{"command":"mem')
  node.child.stdin!.write('bers","id":"cut"}\n')
  await node.answer('cut')
  await node.answer('crlf')
  expect(node.of('error').map(({ code, re }) => [code, re])).toEqual([
    ['MALFORMED_JSON', undefined],
    ['MALFORMED_JSON', undefined],
    ['INVALID_COMMAND', undefined],
    ['UNKNOWN_COMMAND', 'd'],
    ['INVALID_COMMAND', 'f'],
    ['LINE_TOO_LONG', undefined],
  ])
  node.child.kill('SIGINT')
  expect(await node.exited).toBe(0)
})

it('the end of standard input makes the node leave, after the commands before it', async () => {
  const node = await join1('input')
  node.child.stdin!.end('{"command":"members","id":"last"}')
  expect(await node.exited).toBe(0)
  expect(node.events.slice(-2)).toMatchObject([{ event: 'members', re: 'last' }, { event: 'stopped' }])
})

it('/dev/null as standard input does not end a node, and --for does', async () => {
  const node = new JelProcess(['join', 'background', '--json', ...loopback, '--for', '1'], 'ignore')
  expect(await node.exited).toBe(0)
  const [started, stopped] = [node.of('started')[0]!, node.of('stopped')[0]!]
  expect(stopped.time - started.time).toBeGreaterThanOrEqual(990)
})

it('a reader that goes away ends the node quietly', async () => {
  const node = await join1('reader')
  node.child.stdout!.destroy()
  node.send({ command: 'members' }, { command: 'members' })
  expect(await node.exited).toBe(0)
  expect(node.stderr).toBe('')
})

it.runIf(existsSync('/dev/full'))('messages that can not be written do not stop the node', () => {
  const args = ['join', 'mute', ...loopback, '--http', '127.0.0.1:0', '--for', '0.1']
  const { status } = spawnSync('/bin/sh', ['-c', 'exec "$0" "$@" 2>/dev/full </dev/null', process.execPath, script, ...args], {
    env: { ...process.env, XDG_RUNTIME_DIR: runtime },
  })
  expect(status).toBe(0)
})

it('a reader that does not read does not stop the node', async () => {
  const [slow, other] = (await joinAll('slow', 2)) as [JelProcess, JelProcess]
  slow.child.stdout!.pause()
  for (let count = 0; count < 2000; count += 1) slow.send({ command: 'members' })
  await new Promise((resolve) => setTimeout(resolve, 1500))
  other.send({ command: 'signal', name: 'awake', nodes: [slow.id], id: 's' })
  expect(await other.answer('s')).toMatchObject({ event: 'done' })
  slow.child.stdout!.resume()
  slow.send({ command: 'leave' })
  expect(await slow.exited).toBe(0)
  expect(slow.of('members')).toHaveLength(2000)
})

it('a reader that lets 64 MiB wait ends the node, which fails with that reason', { timeout: 60_000 }, async () => {
  const node = await join1('stuck', '--tag', 'x'.repeat(1024))
  node.child.stdout!.pause()
  node.child.stdin!.write('{"command":"members"}\n'.repeat(50_000))
  expect(await node.exited).toBe(1)
  expect(node.stderr).toMatch(/^jel: standard output is not being read\n$/u)
})

it('piped without --json it prints a line an event', async () => {
  const node = new JelProcess(['join', 'words', ...loopback])
  await node.until(() => node.lines.length >= 2, 'two lines')
  node.child.stdin!.end()
  expect(await node.exited).toBe(0)
  expect(node.lines.map((line) => line.split(' ')[1])).toEqual(['started', 'joined', 'stopped'])
  expect(node.lines[0]).toMatch(/started 12D3KooW\w+ at \/ip4\/127\.0\.0\.1\/tcp\/\d+\/p2p\/12D3KooW\w+$/u)
})

it('a bootstrap address that does not answer is reported, and tried again until it does', async () => {
  // The system gives no port of this range to others.
  const port = 10_000 + (process.pid % 20_000)

  const node = await join1('lonely', '--bootstrap', `/ip4/127.0.0.1/tcp/${port}`)
  await node.until(() => node.of('error').length > 0, 'an error')
  expect(node.of('error')[0]).toMatchObject({ code: 'INTRODUCER_UNREACHABLE', message: expect.stringContaining(String(port)) })
  expect(node.told('joined')).toEqual([node.id])

  const late = new JelProcess(['join', 'lonely', '--json', '--listen', `/ip4/127.0.0.1/tcp/${port}`])
  await node.until(() => node.of('joined').length === 2, 'the late introducer', 15_000)
  expect(late.told('joined')).toContain(node.id)
})
