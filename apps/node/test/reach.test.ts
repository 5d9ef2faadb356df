import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { join1, JelProcess, loopback, run, runtime } from './jel-process.ts'

it('a node can be reached at the address that it announces', async () => {
  const node = await join1('announce', '--announce', '192.0.2.7:4001', '--announce', '/dns4/example.org/tcp/4001')
  expect(node.of('started')[0]!.node.addresses).toEqual([
    `/ip4/192.0.2.7/tcp/4001/p2p/${node.id}`,
    `/dns4/example.org/tcp/4001/p2p/${node.id}`,
  ])
})

it('a node lets in the nodes on its list, and reports those that it refuses', async () => {
  const [mine, friends] = [join(runtime, 'friend.identity'), join(runtime, 'friends')]
  const [id] = (await run('keygen', '--identity', mine)).lines as [string]
  writeFileSync(friends, `# these\n\n${id} # the other one\n`)
  const node = await join1('allowed', '--allow-file', friends)
  const friend = await join1('allowed', '--identity', mine, '--bootstrap', node.address)
  await friend.until(() => friend.told('joined').length === 2, 'let in')
  const stranger = new JelProcess([
    'join',
    'allowed',
    '--json',
    ...loopback,
    '--bootstrap',
    node.address,
    '--require',
    '2',
    '--timeout',
    '2',
  ])
  expect(await stranger.exited).toBe(1)
  expect(stranger.of('error').at(-1)).toMatchObject({
    code: 'TOO_FEW_MEMBERS',
    message: expect.stringContaining('it may not allow this node'),
  })
  await node.until(() => node.of('error').length > 0, 'that it was refused')
  expect(node.of('error').map(({ code, message }) => `${code}: ${message}`)).toEqual([
    expect.stringMatching(/^PEER_REFUSED: \/ip4\/127\.0\.0\.1\/tcp\/\d+ is refused: 12D3\w+ is not among those that are allowed here$/u),
  ])
})

it.each([
  [['--announce', '192.0.2.7:0'], 2, '192.0.2.7:0'],
  [['--announce', '192.0.2.7:1', '--port-mapping'], 2, 'portMapping'],
  [['--allow', 'somebody'], 2, 'somebody'],
  [['--allow-file', '/nowhere/ids'], 1, '/nowhere/ids'],
])('a flag that makes no sense is refused and named: %j', async (args, expected, named) => {
  const { status, stderr } = await run('join', 'p', ...loopback, ...args)
  expect({ status, named: stderr.includes(named) }).toEqual({ status: expected, named: true })
})

it('a problem while a node enters is reported once the node has entered', async () => {
  const identity = join(runtime, 'own.identity')
  writeFileSync(`${identity}.peers`, 'no peers', { mode: 0o600 })
  const node = await join1('early', '--identity', identity)
  await node.until(() => node.of('error').length > 0, 'that the file is ignored')
  expect(node.of('error')).toMatchObject([{ code: 'PEERS_FILE', message: expect.stringContaining(`${identity}.peers is ignored`) }])
  expect(node.events[0]).toMatchObject({ event: 'started' })
})
