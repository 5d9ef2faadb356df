import fc from 'fast-check'
import { multiaddr } from '@multiformats/multiaddr'
import { describe, expect, test } from 'vitest'
import { announceable, formatAddresses, looksDialable, parseIntroducer, parseListenAddress, tcpEndpoint, networkOf } from './addresses.ts'
import { InvalidAddressError } from './errors.ts'

const id = '12D3KooWQbjhTZwRrkRXZWwusceeWZ9xLT9HSpyCNhpzj9um7iM5'
const addr = (text: string): Uint8Array => multiaddr(text).bytes

test('an announced name with control characters is no address', () => {
  const name = new TextEncoder().encode('\u001B]0;owned\u0007x')
  const announced = Uint8Array.of(0x36, name.length, ...name, 0x06, 0x0f, 0xa1)
  expect(formatAddresses([announced], undefined)).toEqual([])
  expect(tcpEndpoint(announced)).toBeUndefined()
})

describe('addresses of the user', () => {
  test.each([
    '',
    'localhost:4001',
    '/ip4/300.0.0.1/tcp/1',
    '/ip4/127.0.0.1/udp/1',
    '/ip4/127.0.0.1',
    '/dns4/example.org/tcp/1',
    '/ip4/127.0.0.1/tcp/1/ws',
  ])('that no host can listen on are refused, and named: %j', (text) => {
    expect(() => parseListenAddress(text)).toThrow(InvalidAddressError)
    expect(() => parseListenAddress(text)).toThrow(JSON.stringify(text))
  })

  test.each([
    '',
    'nonsense',
    '/ip4/127.0.0.1/udp/1/quic-v1',
    '/ip4/127.0.0.1/tcp/1/p2p/12D3KooW0',
    `/p2p/${id}`,
    'example.org',
    'example.org:port',
    '127.0.0.1:65536',
    'fe80::1:4001',
    '[127.0.0.1]:4001',
    'http://example.org:4001',
  ])('that no host can dial are refused, and named: %j', (text) => {
    expect(() => parseIntroducer(text)).toThrow(InvalidAddressError)
    expect(() => parseIntroducer(text)).toThrow(JSON.stringify(text))
  })

  test.each(['12D3KooWbad', id.slice(0, -1), `${id}x`, 'QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N'])(
    'with a peer id that no node can have are refused at once: %s',
    (malformed) => {
      const text = `/ip4/127.0.0.1/tcp/1/p2p/${malformed}`
      expect(() => parseIntroducer(text)).toThrow(InvalidAddressError)
      expect(() => parseIntroducer(text)).toThrow(/peer id|malformed/u)
    },
  )

  test.each([
    ['192.0.2.7:4001', '/ip4/192.0.2.7/tcp/4001'],
    ['[2001:db8::7]:4001', '/ip6/2001:db8::7/tcp/4001'],
    ['example.org:4001', '/dns/example.org/tcp/4001'],
    ['localhost:1', '/dns/localhost/tcp/1'],
  ])('may be host and port: %s', (text, meant) => {
    expect(parseIntroducer(text)).toEqual({ address: addr(meant) })
    if (!meant.startsWith('/dns')) expect(parseListenAddress(text).toString()).toBe(meant)
  })

  test.each(['/ip4/127.0.0.1/tcp/1', '/ip6/::1/tcp/1', '/dns4/example.org/tcp/1', '/dnsaddr/example.org'])(
    'lead to an introducer: %s',
    (text) => {
      expect(parseIntroducer(text)).toEqual({ address: addr(text) })
      expect(parseIntroducer(`${text}/p2p/${id}`)).toEqual({ id, address: addr(text) })
    },
  )
})

describe('addresses of peers', () => {
  test('are read without an exception, whatever their bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (garbage) => {
        tcpEndpoint(garbage)
        for (const text of formatAddresses([garbage], id)) expect(text).toMatch(new RegExp(`/p2p/${id}$`, 'u'))
      }),
    )
  })

  test('are shown with the id', () => {
    expect(formatAddresses([addr('/ip4/1.2.3.4/tcp/5'), Uint8Array.of(1)], id)).toEqual([`/ip4/1.2.3.4/tcp/5/p2p/${id}`])
  })

  test('give an endpoint for TCP only', () => {
    expect(tcpEndpoint(addr('/ip4/1.2.3.4/tcp/5'))).toEqual({ host: '1.2.3.4', port: 5 })
    expect(tcpEndpoint(addr('/ip6zone/eth0/ip6/fe80::1/tcp/5'))).toEqual({ host: 'fe80::1%eth0', port: 5 })
    expect(tcpEndpoint(addr('/ip4/1.2.3.4/udp/5'))).toBeUndefined()
    expect(tcpEndpoint(addr('/ip4/1.2.3.4/tcp/5/ws'))).toBeUndefined()
  })
})

describe('announced addresses', () => {
  const announced = (...texts: string[]): string[] => announceable(texts.map((text) => multiaddr(text))).map(String)
  test('exclude loopback where there are others, and link-local addresses always', () => {
    expect(announced('/ip4/127.0.0.1/tcp/1', '/ip4/192.168.1.5/tcp/1', '/ip6/fe80::1/tcp/1', '/ip6/::1/tcp/1')).toEqual([
      '/ip4/192.168.1.5/tcp/1',
    ])
  })
  test('are loopback addresses where there are no others', () => {
    expect(announced('/ip4/127.0.0.1/tcp/1')).toEqual(['/ip4/127.0.0.1/tcp/1'])
  })
})

describe('a peer that connected looks dialable', () => {
  const from = (text: string, announced?: string[]): boolean => looksDialable(multiaddr(text), announced?.map(addr))
  test('from loopback', () => expect(from('/ip4/127.0.0.1/tcp/50000', ['/ip4/10.0.0.1/tcp/1'])).toBe(true))
  test('from an IP that it announces', () =>
    expect(from('/ip4/8.8.8.8/tcp/50000', ['/ip4/10.0.0.1/tcp/1', '/ip4/8.8.8.8/tcp/1'])).toBe(true))
  test('not from behind a NAT', () => expect(from('/ip4/8.8.8.8/tcp/50000', ['/ip4/10.0.0.1/tcp/1'])).toBe(false))
  test('before its addresses are known, from a private network only', () => {
    expect(from('/ip4/192.168.1.5/tcp/50000')).toBe(true)
    expect(from('/ip4/8.8.8.8/tcp/50000')).toBe(false)
  })
})

test.each([
  ['/ip4/192.0.2.7/tcp/1', '/ip4/192.0.2.8/tcp/1', 3, 4, true],
  ['/ip4/192.0.2.7/tcp/1', '/ip4/192.0.2.8/tcp/1', 4, 4, false],
  ['/ip6/2001:db8:1::5/tcp/1', '/ip6/2001:db8:1:0:a:b:c:d/tcp/1', 4, 4, true],
  ['/ip6/2001:db8::a:1:2:3/tcp/1', '/ip6/2001:db8::b:1:2:3/tcp/1', 4, 4, true],
  ['/ip6/2001:db8:1:1::5/tcp/1', '/ip6/2001:db8:1:2::5/tcp/1', 4, 4, false],
  ['/ip6/2001:db8:1:1::5/tcp/1', '/ip6/2001:db8:1:2::5/tcp/1', 4, 3, true],
  ['/ip6/fd00::1/tcp/1', '/ip6/fd00::2/tcp/1', 3, 4, true],
])('%s and %s are of one network (%i bytes, %i groups): %s', (one, other, bytes, groups, isOne) => {
  expect(networkOf(multiaddr(one), bytes, groups) === networkOf(multiaddr(other), bytes, groups)).toBe(isOne)
})
