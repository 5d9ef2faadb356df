import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { join1, joinAll, JelProcess, loopback, run } from './jel-process.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const at = (node: JelProcess): string[] => ['--node', node.id.slice(-8)]

it('a tag is changed while the node runs', async () => {
  const [one, other] = (await joinAll('tags', 2)) as [JelProcess, JelProcess]
  expect(await run('tag', 'tags', 'load=7', ...at(one))).toMatchObject({ status: 0, lines: [], stderr: '' })
  await other.until(() => other.of('updated').some(({ node }) => node.id === one.id), 'updated')
  expect(other.of('updated').at(-1)?.node).toMatchObject({ id: one.id, incarnation: 1, tag: base64('load=7'), tagText: 'load=7' })
  const { lines } = await run('members', 'tags', '--tag', '^load=7$', ...at(other))
  expect(lines.join('\n')).toContain(one.id)
  one.send({ command: 'tag', tag: base64('x'.repeat(1_025)), id: 't' })
  expect(await one.answer('t')).toMatchObject({ event: 'error', code: 'TAG_TOO_LARGE' })
  expect(await run('tag', 'tags', 'x'.repeat(1_025), ...at(one))).toMatchObject({ status: 2, stderr: expect.stringContaining('1024') })
})

it('an event reaches all nodes, and a query is answered by the nodes whose programs answer', async () => {
  const first = await join1('asking', '--location', 'a@delft', '--tag', 'gpu')
  const second = await join1('asking', '--location', 'b@delft', '--bootstrap', first.address)
  const third = await join1('asking', '--location', 'c@paris', '--tag', 'gpu', '--bootstrap', first.address)
  const nodes = [first, second, third]
  await Promise.all(nodes.map((node) => node.until(() => node.of('joined').length >= 3, 'three joined')))

  expect(await run('event', 'asking', 'deploy', 'v2', ...at(second))).toMatchObject({ status: 0, lines: [], stderr: '' })
  await Promise.all(nodes.map((node) => node.until(() => node.of('event').length > 0, 'the event')))
  for (const node of nodes)
    expect(node.of('event')).toMatchObject([{ name: 'deploy', payload: base64('v2'), payloadText: 'v2', node: { id: second.id } }])

  const piped = new JelProcess(['event', 'asking', 'deploy', '-', ...at(second)])
  piped.child.stdin?.end('v3\n')
  expect(await piped.exited).toBe(0)
  await first.until(() => first.of('event').at(-1)?.payload === base64('v3\n'), 'the event with standard input as its payload')
  second.send({ command: 'event', name: 'bytes', payload: '/w==' })
  await first.until(() => first.of('event').at(-1)?.payload === '/w==', 'the event whose payload is no text')
  expect(first.of('event').at(-1)).not.toHaveProperty('payloadText')

  for (const node of [first, second]) node.send({ command: 'answer', name: 'load', id: 'a' })
  for (const node of [first, second]) expect(await node.answer('a')).toMatchObject({ event: 'done' })
  const answer = async (node: JelProcess, payload: string): Promise<void> => {
    await node.until(() => node.of('query').length > 0, 'the query')
    const [told] = node.of('query')
    expect(told).toMatchObject({ name: 'load', payload: base64('cpu'), node: { id: third.id } })
    node.send({ command: 'reply', query: told?.query, payload: base64(payload) })
  }
  const answered = [answer(first, '0.5'), answer(second, '0.7')]
  const [asked] = await Promise.all([run('query', 'asking', 'load', 'cpu', '--timeout', '3', ...at(third)), ...answered])
  expect(asked).toMatchObject({ status: 0, stderr: 'jel: 2 of 3 members answered\n' })
  expect(asked.lines.toSorted()).toEqual(
    [`${first.id} (a@delft, incarnation 1): 0.5`, `${second.id} (b@delft, incarnation 1): 0.7`].toSorted(),
  )

  // Only one member is asked, so the query ends with its answer.
  third.send({ command: 'query', name: 'load', timeout: 60_000, location: 'delft', tag: '^gpu$', id: 'q' })
  await first.until(() => first.of('query').length > 1, 'the second query')
  first.send({ command: 'reply', query: first.of('query')[1]?.query, payload: base64('one') })
  await third.until(() => third.events.some((event) => event.event === 'done' && event.re === 'q'), 'the end of the query')
  expect(third.of('asked')).toMatchObject([{ re: 'q', members: 1 }])
  expect(third.of('reply')).toMatchObject([{ re: 'q', payload: base64('one'), payloadText: 'one', node: { id: first.id } }])
  expect(second.of('query')).toHaveLength(1)
  first.send({ command: 'reply', query: 99, id: 'r' }, { command: 'unanswer', name: 'load', id: 'u' })
  expect(await first.answer('r')).toMatchObject({ event: 'error', code: 'INVALID_COMMAND' })
  expect(await first.answer('u')).toMatchObject({ event: 'done' })
  const nobody = await run('query', 'asking', 'load', '--timeout', '0.5', '--tag', 'gpu', '--json', ...at(third))
  expect(nobody.lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(['asked', 'done'])
  // prettier-ignore
  expect(await run('query', 'asking', 'load', '--tag', '(', ...at(third))).toMatchObject({ status: 2, stderr: expect.stringContaining('filter.tag') })
})

it('a record of the command line reaches members and newcomers, and is withdrawn', async () => {
  const [first, second] = (await joinAll('records', 2)) as [JelProcess, JelProcess]
  expect(await run('publish', 'records', 'motd', 'hello', '--ttl', '600', ...at(first))).toMatchObject({ status: 0, lines: [], stderr: '' })
  await second.until(() => second.of('record').length > 0, 'the record')
  expect(second.of('record')[0]).toMatchObject({ value: base64('hello'), valueText: 'hello' })
  expect((await run('records', 'records', 'mo', ...at(second))).lines).toMatchObject([
    expect.stringMatching(/^NAME +OWNER +EXPIRES IN +VALUE/u),
    expect.stringMatching(new RegExp(`^motd +${first.id} +(?:10 min|9 min \\d+ s) +hello`, 'u')),
  ])
  expect(await run('unpublish', 'records', 'motd', ...at(first))).toMatchObject({ status: 0, stderr: '' })
  await second.until(() => second.of('record').at(-1)?.value === null, 'the withdrawal')
  expect((await run('records', 'records', ...at(second))).lines).toHaveLength(1)
})

it('a pool is terminated for present members and newcomers', async () => {
  const [one, other] = (await joinAll('ending', 2)) as [JelProcess, JelProcess]
  expect(await run('terminate', 'ending', ...at(one))).toMatchObject({ status: 0, lines: [], stderr: '' })
  await other.until(() => other.of('terminated').length > 0, 'terminated')
  expect(other.of('terminated')).toMatchObject([{ by: one.id, at: expect.any(Number) }])
  const late = await join1('ending', '--bootstrap', one.address)
  await late.until(() => late.of('terminated').length > 0, 'terminated, for a newcomer')
  expect(late.of('terminated')[0]?.by).toBe(one.id)
})

it('a pool of a fixed size is closed when all members are there, and refuses later nodes', async () => {
  const one = await join1('fixed', '--pool-size', '2')
  const two = await join1('fixed', '--pool-size', '2', '--bootstrap', one.address)
  for (const node of [one, two]) await node.until(() => node.of('poolClosed').length > 0, 'closed')
  expect(two.of('poolClosed')).toMatchObject([{ size: 2 }])
  const late = await run('join', 'fixed', ...loopback, '--bootstrap', two.address)
  expect(late).toMatchObject({ status: 1, stderr: expect.stringContaining('is for 2 members') })
  const other = await run('join', 'fixed', '--pool-size', '3', ...loopback, '--bootstrap', two.address)
  expect(other).toMatchObject({ status: 1, stderr: expect.stringContaining('poolSize') })
})

it('a node that takes long to enter reports the reason meanwhile', { timeout: 60_000 }, async () => {
  // This server accepts connections, but sends nothing.
  const mute = createServer().listen(0, '127.0.0.1')
  await once(mute, 'listening')
  const { port } = mute.address() as AddressInfo
  const node = new JelProcess(['join', 'slow', '--json', ...loopback, '--bootstrap', `127.0.0.1:${port}`])
  await node.until(() => node.lines.length > 0, 'a word', 15_000)
  expect(node.events).toMatchObject([{ event: 'error', code: 'INTRODUCER_UNREACHABLE', message: expect.stringContaining(`${port}`) }])
  expect(node.of('started')).toEqual([])
  node.child.kill('SIGTERM')
  expect(await node.exited).toBe(0)
  mute.close()
})
