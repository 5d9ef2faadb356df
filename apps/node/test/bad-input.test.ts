import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { JelProcess, join1, loopback, run, script } from './jel-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'jel-'))
const file = (name: string): string => join(folder, name)

afterAll(() => rmSync(folder, { recursive: true }))

it.each([
  [[], 'missing command'],
  [['join', 'p', '--wings'], '--wings'],
  [['join', 'p', '--json', '--bootstrap', '/ip4'], '/ip4'],
  [['join', 'p', '--tag', 'role=db', '--tag', 'dc=delft'], 'one tag'],
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

it('a file that is no pool key is refused, and its content not shown', async () => {
  writeFileSync(file('no.key'), 'my secret password', { mode: 0o600 })
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

it('keygen into a file that others can read says so, and such a file is refused as an identity is', async () => {
  const key = file('open.key')
  for (const [mode, warned] of [
    [0o644, 1],
    [0o600, 0],
  ] as const) {
    writeFileSync(key, '')
    chmodSync(key, mode)
    const descriptor = openSync(key, 'w')
    const { status, stderr } = spawnSync(process.execPath, [script, 'keygen'], { stdio: ['ignore', descriptor, 'pipe'], encoding: 'utf8' })
    closeSync(descriptor)
    expect({ status, warned: stderr.split('\n').length - 1 }).toEqual({ status: 0, warned })
    if (warned === 1) expect(stderr).toMatch(/other users can read.*--key-file.*chmod 600/u)
    const joined = await run('join', 'p', '--json', ...loopback, '--key-file', key, '--for', '0.1')
    expect(joined.status).toBe(warned)
    if (warned === 1)
      expect(joined.lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ event: 'error', code: 'POOL_KEY_FILE' }])
  }
})

it.each([
  ['--identity', 'IDENTITY_FILE'],
  ['--key-file', 'POOL_KEY_FILE'],
])('a folder as %s is reported as a folder, and nothing is written beside it', async (flag, code) => {
  const inner = file(`folder${flag}`)
  mkdirSync(inner, { mode: 0o755 })
  const { status, lines, stderr } = await run('join', 'p', '--json', ...loopback, flag, inner)
  expect(status).toBe(1)
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ event: 'error', code }])
  expect(stderr).toMatch(/is a folder: name a file in it/u)
  expect(stderr).not.toMatch(/chmod/u)
  expect(existsSync(`${inner}.lock`)).toBe(false)
})

it('a key file that is not there is named, with status 1', async () => {
  const { status, stderr } = await run('join', 'p', ...loopback, '--key-file', '/nowhere/pool.key')
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('/nowhere/pool.key') })
})

it
  .skipIf(!existsSync('/dev/full'))
  .each([
    ['--help'],
    ['keygen'],
    ['demo', '--nodes', '3'],
    ['join', 'p', '--listen', '127.0.0.1:0', '--for', '1'],
    ['join', 'p', '--json', '--listen', '127.0.0.1:0', '--for', '1'],
  ])('standard output on a full disk is status 1: jel %j %j %j %j', (...args) => {
  const full = openSync('/dev/full', 'w')
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
    timeout: 15_000,
  })
  closeSync(full)
  expect(status).toBe(1)
  expect(stderr).toMatch(/jel: can't write to standard output: [^\n]*no space left on device[^\n]*\n$/u)
})

it('standard output that nobody reads any more is not a failure', () => {
  const piped = `{ "${process.execPath}" "${script}" join p --listen 127.0.0.1:0 --for 1; echo "status $?" >&2; } | true`
  expect(spawnSync('/bin/sh', ['-c', piped], { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', timeout: 15_000 }).stderr).toBe(
    'status 0\n',
  )
})

it('addresses may be host and port', async () => {
  const first = await join1('host-and-port')
  const { address, port } = /^\/ip4\/(?<address>[^/]+)\/tcp\/(?<port>\d+)/u.exec(first.address)!.groups as Record<string, string>
  const second = await join1('host-and-port', '--bootstrap', `${address}:${port}`)
  await second.until(() => second.told('joined').includes(first.id), 'it is in')
})

// Under another key each side reads noise. It may look like the beginning of a longer message, so
// both sides wait 5 s for the handshake. The newcomer tries twice before it goes on alone.
it('a private pool lets in nodes with its key, and a node with another key reports the key', { timeout: 60_000 }, async () => {
  const [ours, theirs] = [file('ours.key'), file('theirs.key')]
  await Promise.all([ours, theirs].map((key) => run('keygen', '--key-file', key)))
  const first = await join1('private', '--key-file', ours)
  const friend = await join1('private', '--key-file', ours, '--bootstrap', first.address)
  await friend.until(() => friend.of('joined').length === 2, 'the friend is in')

  const stranger = new JelProcess(['join', 'private', '--json', ...loopback, '--key-file', theirs, '--bootstrap', first.address])
  await stranger.until(() => stranger.of('error').length > 0 && stranger.of('joined').length > 0, 'an error, and on its own', 30_000)
  expect(stranger.of('error')[0]).toMatchObject({ code: 'INTRODUCER_UNREACHABLE', message: expect.stringMatching(/key/u) })
  const health = await run('health', 'private', '--node', stranger.id.slice(-8))
  expect(health).toMatchObject({ status: 1, lines: expect.arrayContaining([expect.stringMatching(/key/u)]) })
  expect(stranger.told('joined')).toEqual([stranger.id])
  expect(first.told('joined')).not.toContain(stranger.id)
})

it('an identity keeps its id, its incarnation grows, and no second node can use it meanwhile', async () => {
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
