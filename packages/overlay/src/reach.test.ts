import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { hasNamespaces, inNamespace } from '../test/namespace.ts'
import { until } from '../test/peers.ts'
import { enter, leaveAll, type Node } from '../test/pool.ts'
import { generateIdentity } from './identity/file-identity.ts'

const folder = mkdtempSync(join(tmpdir(), 'jel-reach-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(leaveAll)

const warnings = ({ heard }: Node, code: string): string[] =>
  heard.flatMap((each) => (each.type === 'warning' && each.code === code ? [each.message] : []))
const portOf = (node: Node): string => /\/tcp\/(\d+)\//u.exec(node.overlay.self.addresses[0]!)![1]!

describe('announced addresses', () => {
  test('are those of the member, whatever it listens on', async () => {
    const node = await enter({ announce: ['192.0.2.7:4001', '/dns/example.org/tcp/4001'] })
    const { id, addresses } = node.overlay.self
    expect(addresses).toEqual([`/ip4/192.0.2.7/tcp/4001/p2p/${id}`, `/dns/example.org/tcp/4001/p2p/${id}`])
  })

  test('are dialled by others', async () => {
    const first = await enter()
    // Like a port mapping: localhost is another name of the listen address.
    const behind = await enter({
      listen: ['127.0.0.1:4987'],
      announce: ['/dns4/localhost/tcp/4987'],
      bootstrap: [...first.overlay.self.addresses],
    })
    const last = await enter({ bootstrap: [...behind.overlay.self.addresses] })
    await until(() => last.overlay.members().length === 3)
    expect(last.overlay.members().find(({ id }) => id === behind.id)?.addresses).toEqual([`/dns4/localhost/tcp/4987/p2p/${behind.id}`])
  })

  test.each(['192.0.2.7', '192.0.2.7:0', '0.0.0.0:4001', '[::]:4001', '/ip4/192.0.2.7/udp/4001', '/dnsaddr/example.org'])(
    'that no host can dial are refused: %s',
    async (address) => await expect(enter({ announce: [address] })).rejects.toMatchObject({ code: 'INVALID_ADDRESS' }),
  )

  test('are limited in number, and refused together with a port mapping', async () => {
    await expect(enter({ announce: Array.from({ length: 9 }, (_, i) => `192.0.2.${i}:1`) })).rejects.toThrow(/9 addresses to announce/u)
    await expect(enter({ announce: ['192.0.2.7:1'], portMapping: true })).rejects.toThrow(RangeError)
  })
})

describe('IPv6', () => {
  test('works like IPv4', async () => {
    const first = await enter({ listen: ['[::1]:0'] })
    expect(first.overlay.self.addresses[0]).toMatch(/^\/ip6\/::1\/tcp\/\d+\/p2p\//u)
    const second = await enter({ listen: ['/ip6/::1/tcp/0'], bootstrap: [`[::1]:${portOf(first)}`] })
    expect(second.overlay.members()).toHaveLength(2)
  })

  test.skipIf(!hasNamespaces)('is listened on beside IPv4 by default, on the same port', async () => {
    const setup = 'ip addr add 192.0.2.1/24 dev lo && ip addr add 2001:db8::1/64 dev lo nodad'
    const { addresses, members } = (await inNamespace(setup, 'anywhere')) as { addresses: string[]; members: number }
    const [four, six] = addresses.map((address) => /^\/ip([46])\/([^/]+)\/tcp\/(\d+)/u.exec(address)!.slice(1))
    expect(four).toEqual(['4', '192.0.2.1', expect.any(String)])
    expect(six).toEqual(['6', '2001:db8::1', four![2]])
    expect(members).toBe(2)
  })

  test.skipIf(!hasNamespaces)('is not required', async () => {
    const setup = 'ip addr add 192.0.2.1/24 dev lo && sysctl -qw net.ipv6.conf.all.disable_ipv6=1'
    const { addresses, members } = (await inNamespace(setup, 'anywhere')) as { addresses: string[]; members: number }
    expect(addresses).toEqual([expect.stringMatching(/^\/ip4\/192\.0\.2\.1\//u)])
    expect(members).toBe(2)
  })
})

test.skipIf(!hasNamespaces)('a machine without IPv6 concludes nothing about a host from its IPv6 address', async () => {
  expect(await inNamespace('sysctl -qw net.ipv6.conf.all.disable_ipv6=1', 'routeless')).toEqual({
    both: 'refused',
    six: 'silent',
    dialled: 'refused',
  })
})

describe('names as bootstrap addresses', () => {
  test.each(['/dns4/localhost', '/dns/localhost'])('lead to a member: %s', async (name) => {
    const first = await enter()
    const second = await enter({ bootstrap: [`${name}/tcp/${portOf(first)}`] })
    expect(second.overlay.members()).toHaveLength(2)
  })

  test.skipIf(!hasNamespaces)('of both families are looked up for the one that is asked for', async () => {
    const hosts = join(folder, 'hosts')
    writeFileSync(hosts, '127.0.0.1 both.test\n::1 both.test\n')
    expect(await inNamespace(`mount --bind ${hosts} /etc/hosts`, 'families')).toEqual({ four: 2, six: 2 })
  })

  test.skipIf(!hasNamespaces)('with records of addresses (dnsaddr) lead to a member', async () => {
    const resolv = join(folder, 'resolv.conf')
    writeFileSync(resolv, 'nameserver 127.0.0.1\n')
    expect(await inNamespace(`mount --bind ${resolv} /etc/resolv.conf`, 'dnsaddr')).toEqual({ members: 2, asked: ['_dnsaddr.pool.test'] })
  })
})

test.skipIf(!hasNamespaces)('only a node with a port mapping asks a router for a port', async () => {
  const setup = 'ip link add v0 type veth peer name v1 && ip addr add 192.0.2.1/24 dev v0 && ip link set v0 up && ip link set v1 up'
  expect(await inNamespace(setup, 'routers')).toEqual({ silent: 0, asks: true })
})

describe('a list of the nodes that may connect', () => {
  const identity = async (name: string): Promise<{ file: string; id: string }> => {
    const file = join(folder, name)
    return { file, id: await generateIdentity(file) }
  }

  test('lets in only these nodes, and reports others with their addresses', async () => {
    const friend = await identity('friend')
    const guarded = await enter({ allow: [friend.id] })
    const bootstrap = [...guarded.overlay.self.addresses]
    const let1 = await enter({ identityFile: friend.file, bootstrap })
    expect(let1.overlay.members()).toHaveLength(2)
    const stranger = await enter({ bootstrap, config: { introduction: { aloneAfter: 1_000 } } })
    await until(() => warnings(guarded, 'PEER_REFUSED').length === 1)
    const [warning] = warnings(guarded, 'PEER_REFUSED')
    expect(warning).toMatch(/^\/ip4\/127\.0\.0\.1\/tcp\/\d+ is refused: /u)
    expect(warning).toContain(`${stranger.id} is not among those that are allowed here`)
    await until(() => stranger.overlay.health().introducers[0]?.reason.includes('it may not allow this node') === true)
    expect(guarded.overlay.members()).toHaveLength(2)
  })

  test('applies to the peers that this node dials, too', async () => {
    const [open, friend] = [await enter(), await identity('other')]
    for (const bootstrap of [[...open.overlay.self.addresses], [`127.0.0.1:${portOf(open)}`]]) {
      const guarded = await enter({ allow: [friend.id], bootstrap })
      expect(guarded.overlay.members()).toHaveLength(1)
      await until(() => guarded.overlay.health().introducers.length === 1)
      expect(guarded.overlay.health().introducers[0]!.reason).toContain('this node does not allow it')
    }
    expect(open.overlay.members()).toHaveLength(1)
  })

  test('accepts only ids of nodes', async () => {
    await expect(enter({ allow: ['12D3KooW'] })).rejects.toMatchObject({
      code: 'INVALID_PEER_ID',
      message: expect.stringContaining('"12D3KooW"'),
    })
  })
})

test('an empty list of keys does not make an open pool', async () => {
  await expect(enter({ key: [] })).rejects.toMatchObject({ code: 'POOL_KEYS', message: expect.stringContaining('is empty') })
})

test('a node of another pool is refused and reported', async () => {
  const here = await enter()
  await enter({ pool: 'other', bootstrap: [...here.overlay.self.addresses] })
  await until(() => warnings(here, 'PEER_REFUSED').length === 1)
  expect(warnings(here, 'PEER_REFUSED')[0]).toMatch(/^\/ip4\/127\.0\.0\.1\/tcp\/\d+ is refused: \w+ belongs to another pool$/u)
})

describe('a node that remembers members', () => {
  test('finds its pool again without an introducer, and stands in no election before', async () => {
    const [first, identityFile] = [await enter(), join(folder, 'again')]
    const former = await enter({ identityFile, bootstrap: [...first.overlay.self.addresses] })
    void first.overlay.elect('e')
    await until(() => former.overlay.reign('e') !== undefined)
    await former.overlay.leave()
    const again = await enter({ identityFile })
    expect(again.overlay.members()).toHaveLength(2)
    void again.overlay.elect('e')
    await until(() => again.overlay.reign('e')?.winner.id === first.id)
    expect(again.overlay.reign('e')).toMatchObject({ epoch: 1 })
  })

  test('founds the pool if none of them answers, like a node without introducers', async () => {
    const [first, identityFile] = [await enter(), join(folder, 'alone')]
    const former = await enter({ identityFile, bootstrap: [...first.overlay.self.addresses] })
    await former.overlay.leave()
    await first.overlay.leave()
    const again = await enter({ identityFile })
    void again.overlay.elect('e')
    await until(() => again.overlay.reign('e')?.winner.id === again.id)
    expect(again.overlay.health().introducers).toEqual([])
    expect(warnings(again, 'INTRODUCER_UNREACHABLE')).toEqual([expect.stringMatching(/none of the 1 remembered addresses/u)])
  })

  test('waits for its introducer, if it has one, or for one of those members', async () => {
    const [first, identityFile] = [await enter(), join(folder, 'given')]
    const bootstrap = [...first.overlay.self.addresses]
    const former = await enter({ identityFile, bootstrap })
    await former.overlay.leave()
    await first.overlay.leave()
    const again = await enter({ identityFile, bootstrap })
    void again.overlay.elect('e')
    await until(() => again.overlay.health().introducers.length === 1)
    expect(again.overlay.health()).toMatchObject({ alone: true })
    expect(again.overlay.reign('e')).toBeUndefined()
  })

  test('starts without them if their file is damaged, and reports that', async () => {
    const identityFile = join(folder, 'damaged')
    writeFileSync(`${identityFile}.peers`, 'x')
    const node = await enter({ identityFile })
    await until(() => warnings(node, 'PEERS_FILE').length === 1)
    expect(warnings(node, 'PEERS_FILE')[0]).toContain(`${identityFile}.peers is ignored`)
    const other = await enter({ bootstrap: [...node.overlay.self.addresses] })
    await node.overlay.leave()
    expect(readFileSync(`${identityFile}.peers`, 'utf8')).toContain(other.id)
  })
})
