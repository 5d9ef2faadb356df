import { multiaddr } from '@multiformats/multiaddr'
import { expect, test } from 'vitest'
import { OwnAddresses } from './own-addresses.ts'

const loopback = '/ip4/127.0.0.1/tcp/1'
const home = '/ip4/192.168.1.5/tcp/1'
const away = '/ip4/10.0.0.7/tcp/1'

function host(...texts: string[]): { set: (...texts: string[]) => void; own: OwnAddresses } {
  let now = texts
  return { set: (...others) => (now = others), own: new OwnAddresses(() => now.map((text) => multiaddr(text)), 2) }
}

const bytes = (...texts: string[]): Uint8Array[] => texts.map((text) => multiaddr(text).bytes)

test('own addresses are reported once for each change', () => {
  const { set, own } = host(home)
  expect(own.first()).toEqual(bytes(home))
  expect(own.changed()).toBeUndefined()
  set(home, away)
  expect(own.changed()).toEqual(bytes(home, away))
  expect(own.changed()).toBeUndefined()
})

test('a host between two networks keeps the addresses that it had', () => {
  const { set, own } = host(home)
  own.first()
  set(loopback)
  expect(own.changed()).toBeUndefined()
  set(home)
  expect(own.changed()).toBeUndefined()
  set(away)
  expect(own.changed()).toEqual(bytes(away))
})

test('a host that has only had loopback addresses announces them', () => {
  const { set, own } = host(loopback)
  expect(own.first()).toEqual(bytes(loopback))
  set('/ip4/127.0.0.1/tcp/2')
  expect(own.changed()).toEqual(bytes('/ip4/127.0.0.1/tcp/2'))
})

test('no more own addresses than the limit are announced', () => {
  const { own } = host(home, away, '/ip4/10.0.0.8/tcp/1')
  expect(own.first()).toEqual(bytes(home, away))
})
