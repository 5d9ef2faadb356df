import { multiaddr } from '@multiformats/multiaddr'
import { expect, it } from 'vitest'
import { urlOf, webAddress, webEndpointOf, type WebEndpoint } from './web-address.ts'

it.each([
  ['/ip4/192.0.2.7/tcp/8080/ws', 'ws://192.0.2.7:8080/ws'],
  ['/ip6/2001:db8::7/tcp/8080/ws', 'ws://[2001:db8::7]:8080/ws'],
  ['/dns4/pool.example.org/tcp/443/tls/ws', 'wss://pool.example.org:443/ws'],
  ['/dns/pool.example.org/tcp/443/wss', 'wss://pool.example.org:443/ws'],
])('%s is a WebSocket at %s', (text, url) => {
  expect(urlOf(webEndpointOf(multiaddr(text)) as WebEndpoint)).toBe(url)
})

it.each(['/ip4/192.0.2.7/tcp/8080', '/ip4/192.0.2.7/udp/8080/ws', '/ip4/192.0.2.7/ws', '/unix/%2Ftmp%2Fa'])('%s is none', (text) => {
  expect(webEndpointOf(multiaddr(text))).toBeUndefined()
})

it.each(['192.168.1.1/reboot?x=', 'a b', 'user@host', 'host#x', 'a:b/c', ''])('a name such as %j makes no URL', (name) => {
  const bytes = new TextEncoder().encode(name)
  // /dns4/<name>/tcp/80/ws
  const address = Uint8Array.of(0x36, bytes.length, ...bytes, 0x06, 0, 80, 0xdd, 0x03)
  let parsed
  try {
    parsed = multiaddr(address)
  } catch {
    return // the library refuses it already
  }
  expect(webEndpointOf(parsed)).toBeUndefined()
})

it('the address of an end leads to the end', () => {
  const endpoint = { host: '2001:db8::7', port: 8_080, isSecure: true }
  expect(webEndpointOf(webAddress(endpoint))).toEqual(endpoint)
})
