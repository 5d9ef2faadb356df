import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { JelProcess, join1, loopback, run } from './jel-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'jel-'))
const file = (name: string): string => join(folder, name)

afterAll(() => rmSync(folder, { recursive: true }))

it.each([
  [[], 'missing command'],
  [['fly'], 'fly'],
  [['join'], 'pool'],
  [['join', 'p', 'q'], 'too many arguments'],
  [['join', 'p', '--wings'], '--wings'],
  [['join', '', ...loopback], 'pool name'],
  [['join', 'x'.repeat(10_000), ...loopback], 'pool name'],
  [['join', 'a\nb', ...loopback], 'pool name'],
  [['join', 'p', ...loopback, '--bootstrap', '--json'], '--json'],
  [['join', 'p', '--listen'], '--listen'],
  [['join', 'p', ...loopback, '--bootstrap', 'example.com'], 'example.com'],
  [['join', 'p', ...loopback, '--bootstrap', '127.0.0.1:1/p2p/12D3KooW'], '127.0.0.1:1/p2p/12D3KooW'],
  [['join', 'p', ...loopback, '--bootstrap', '/ip4/127.0.0.1/tcp/1/p2p/12D3KooWbad'], 'peer id'],
  [['join', 'p', '--listen', 'localhost:4001'], 'localhost:4001'],
  [['join', 'p', ...loopback, '--bootstrap', '/ip4/127.0.0.1/udp/4001'], 'udp'],
  [['join', 'p', '--listen', '/ip4/999.0.0.1/tcp/0'], '999.0.0.1'],
  [['join', 'p', ...loopback, '--for', 'soon'], 'soon'],
  [['join', 'p', ...loopback, '--for', '-1'], '-1'],
  [['join', 'p', ...loopback, '--for', '1e99'], '1e99'],
  [['join', 'p', ...loopback, '--elect', ''], 'election name'],
  [['join', 'p', ...loopback, '--tag', 'x'.repeat(1025)], '1024'],
  [['join', 'p', ...loopback, '--location', 'x'.repeat(5000)], 'location'],
  [['join', 'p', ...loopback, '--key-file', '/nowhere/pool.key'], '/nowhere/pool.key'],
  [['join', 'p', ...loopback, '--location', 'a\u001Bb'], 'location'],
  [['join', '', '--json'], 'pool name'],
  [['join', 'p', '--json', '--bootstrap', '/ip4'], '/ip4'],
  [['demo', '--nodes', '2'], '2'],
  [['demo', '--nodes', '51'], '51'],
  [['demo', '--nodes', 'many'], 'many'],
  [['keygen', '--key-file', 'a', '--identity', 'b'], 'one at a time'],
])('wrong usage is status 2 and one line: jel %j', async (args, named) => {
  const { status, lines, stderr } = await run(...args)
  expect({ status, lines }).toEqual({ status: 2, lines: [] })
  expect(stderr).toMatch(/^jel: [^\n]+\n$/u)
  expect(stderr).toContain(named)
})

it('help and version are status 0', async () => {
  expect(await run('--help')).toMatchObject({ status: 0, stderr: '' })
  expect(await run('join', '--help')).toMatchObject({ status: 0, stderr: '' })
  expect((await run('--version')).lines).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+/u)])
})

it.each(['join', 'work', 'submit', 'simulate'])('help of %s does not say that a list is empty by default', async (command) => {
  const { lines } = await run(command, '--help')
  expect(lines.length).toBeGreaterThan(5)
  expect(lines.join(' ')).not.toMatch(/default:\s+[[{]/u)
})

it('a file that is no pool key is refused, and its content not shown', async () => {
  writeFileSync(file('no.key'), 'my secret password')
  const { status, stderr } = await run('join', 'p', '--json', ...loopback, '--key-file', file('no.key'))
  expect(status).toBe(2)
  expect(stderr).toMatch(/^jel: [^\n]+\n$/u)
  expect(stderr).not.toContain('password')
})

it('a port in use is status 1, one line, and an error event', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const { status, lines, stderr } = await run('join', 'p', '--json', '--listen', `/ip4/127.0.0.1/tcp/${port}`)
  server.close()
  expect(status).toBe(1)
  expect(stderr).toMatch(/^jel: [^\n]+\n$/u)
  expect(stderr).toContain(String(port))
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ event: 'error', code: 'LISTEN_FAILED' }])
})

it('keygen makes a pool key that only its owner can read, and replaces nothing', async () => {
  const key = file('pool.key')
  expect(await run('keygen', '--key-file', key)).toMatchObject({ status: 0, lines: [], stderr: '' })
  expect(statSync(key).mode & 0o777).toBe(0o600)
  const text = readFileSync(key, 'utf8')
  expect(text).toMatch(/^\/key\/swarm\/psk\/1\.0\.0\/\n\/base16\/\n[0-9a-f]{64}\n$/u)
  expect((await run('keygen')).lines.join('\n')).not.toBe(text.trimEnd())

  const again = await run('keygen', '--key-file', key)
  expect(again).toMatchObject({ status: 1, lines: [] })
  expect(again.stderr).toContain('exists')
  expect(readFileSync(key, 'utf8')).toBe(text)
})

// Under another key each side reads noise, which may look like the beginning of something longer: both wait for the 5 s of a handshake, and the
// newcomer tries twice before it goes on alone.
it('a private pool: the key lets in, another key does not and the message says so', { timeout: 60_000 }, async () => {
  const [ours, theirs] = [file('ours.key'), file('theirs.key')]
  await Promise.all([ours, theirs].map((key) => run('keygen', '--key-file', key)))
  const first = await join1('private', '--key-file', ours)
  const friend = await join1('private', '--key-file', ours, '--bootstrap', first.address)
  await friend.until(() => friend.of('joined').length === 2, 'the friend is in')

  const stranger = new JelProcess(['join', 'private', '--json', ...loopback, '--key-file', theirs, '--bootstrap', first.address])
  await stranger.until(() => stranger.of('error').length > 0 && stranger.of('joined').length > 0, 'an error, and on its own', 30_000)
  expect(stranger.of('error')[0]).toMatchObject({ code: 'INTRODUCER_UNREACHABLE', message: expect.stringMatching(/key/u) })
  expect(stranger.told('joined')).toEqual([stranger.id])
  expect(first.told('joined')).not.toContain(stranger.id)
})

it('an identity keeps its id, its incarnation grows, and nobody else can use it meanwhile', async () => {
  const identity = file('me.json')
  const { status, lines } = await run('keygen', '--identity', identity)
  expect({ status, lines }).toEqual({ status: 0, lines: [expect.stringMatching(/^12D3KooW/u)] })
  expect((await run('keygen', '--identity', identity)).status).toBe(1)

  const first = await join1('identity', '--identity', identity)
  expect(first.of('started')[0]!.node).toMatchObject({ id: lines[0], incarnation: 1 })
  const twice = await run('join', 'identity', '--json', ...loopback, '--identity', identity)
  expect(twice.status).toBe(1)
  expect(twice.lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ event: 'error', code: 'IDENTITY_IN_USE' }])
  expect(twice.stderr).toMatch(/^jel: [^\n]+\n$/u)

  first.send({ command: 'leave' })
  await first.exited
  const later = await join1('identity', '--identity', identity)
  expect(later.of('started')[0]!.node).toMatchObject({ id: lines[0], incarnation: 2 })
})

it('a damaged identity file is refused and left as it is', async () => {
  const identity = file('damaged.json')
  writeFileSync(identity, '{"format":"jel-iden')
  chmodSync(identity, 0o600)
  const { status, lines, stderr } = await run('join', 'p', '--json', ...loopback, '--identity', identity)
  expect(status).toBe(1)
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ event: 'error', code: 'IDENTITY_CORRUPT' }])
  expect(stderr).toContain(identity)
  expect(readFileSync(identity, 'utf8')).toBe('{"format":"jel-iden')
})
