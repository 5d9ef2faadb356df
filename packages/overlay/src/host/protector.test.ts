import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import { preSharedKey } from '@libp2p/pnet'
import { tcp } from '@libp2p/tcp'
import { multiaddrConnectionPair } from '@libp2p/utils'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p, type Libp2p } from 'libp2p'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { bytes, maxFrameBytes, startPeer, stopAll, until, type Peer } from '../../test/peers.ts'
import { tcpEndpoint } from '../base/addresses.ts'
import { PoolKeys } from '../identity/pool-keys.ts'
import { checkPoolKey, generatePoolKey } from '../identity/pool-key.ts'
import { Protector } from './protector.ts'
import { Cipher } from './protected-connection.ts'

const [former, next] = [checkPoolKey(generatePoolKey()), checkPoolKey(generatePoolKey())]

const others: Libp2p[] = []
afterEach(async () => {
  await Promise.all(others.splice(0).map(async (each) => await each.stop()))
  await stopAll()
})

const peerWith = async (...keys: Uint8Array[]): Promise<Peer> => await startPeer({ keys: new PoolKeys(keys), timeout: 1_000 })

/** An unmodified libp2p host with its own protector. */
async function another(key: Uint8Array): Promise<Libp2p> {
  const libp2p = await createLibp2p({
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionProtector: preSharedKey({ psk: key }),
  })
  others.push(libp2p)
  return libp2p
}

describe('a host with several pool keys', () => {
  test('lets in diallers under any of them, and dials under the primary', async () => {
    const [both, old, young] = [await peerWith(former, next), await peerWith(former), await peerWith(next)]
    await old.link(both)
    await young.link(both)
    await both.link(await peerWith(former))
    await expect(both.link(await peerWith(next))).rejects.toThrow(/pool key/u)
    expect(both.links.count).toBe(3)
  })

  test('speaks as @libp2p/pnet does, in both directions', async () => {
    const peer = await peerWith(former, next)
    const [old, young] = [await another(former), await another(next)]
    for (const each of [old, young]) {
      const connection = await each.dial(multiaddr(peer.address).encapsulate(`/p2p/${peer.id}`))
      expect(connection.status).toBe('open')
    }
    const [address] = old.getMultiaddrs()
    expect((await peer.host.libp2p.dial(address!, { force: true })).status).toBe('open')
  })

  test('carries much over many connections, in both directions', async () => {
    const [hub, ...spokes] = await Promise.all([former, former, former].map(async (key) => await peerWith(key)))
    for (const spoke of spokes) await spoke.link(hub!)
    await until(() => hub!.links.count === 2)
    const frame = new Uint8Array(maxFrameBytes).fill(97)
    for (let i = 0; i < 1_500; i += 1) {
      for (const spoke of spokes) {
        spoke.links.send(hub!.id, frame)
        hub!.links.send(spoke.id, frame)
      }
    }
    const received = (peer: Peer): number => peer.log.filter((each) => each.length === maxFrameBytes).length
    await until(() => received(hub!) === 3_000 && spokes.every((spoke) => received(spoke) === 1_500), 20_000)
    expect(new Set(hub!.log.filter((each) => each.length === maxFrameBytes)).size).toBe(1)
  })

  test('ends the connections under a key that is removed, and no others', async () => {
    const keys = new PoolKeys([next, former])
    const hub = await startPeer({ keys })
    keys.follow({ onInstalled: () => {}, onRemoved: (key) => hub.host.drop(key) })
    const [old, young] = [await peerWith(former), await peerWith(next)]
    await old.link(hub)
    await young.link(hub)
    await until(() => hub.links.count === 2)
    keys.remove(former)
    await until(() => hub.links.count === 1 && old.log.includes(`down ${hub.id}`))
    hub.links.send(young.id, bytes('still here'))
    await until(() => young.log.includes('still here'))
    await expect(old.link(hub)).rejects.toThrow(/pool key/u)
  })
})

test('a connection whose key is removed during its handshake ends at once', async () => {
  const keys = new PoolKeys([former, next])
  const [outbound, inbound] = multiaddrConnectionPair()
  const opening = new Protector(keys).protect(outbound)
  keys.use(next)
  keys.remove(former)
  inbound.send(new Uint8Array(24))
  const opened = await opening
  await until(() => opened.status !== 'open' && outbound.status !== 'open')
})

test('ciphers of large pieces, in turn, never use up the memory that they share', () => {
  const [secret, nonce] = [new Uint8Array(32), new Uint8Array(24)]
  const ciphers = [new Cipher(nonce, secret), new Cipher(nonce, secret)]
  const clear = new Uint8Array(3_000_000)
  for (let i = 0; i < 25; i += 1) {
    const [one, other] = ciphers.map((cipher) => cipher.update(clear))
    expect(Buffer.compare(one!, other!)).toBe(0)
  }
})

describe('a refused peer', () => {
  const dial = async (to: Peer, ...keys: Uint8Array[]): Promise<void> => {
    await expect((await peerWith(...keys)).link(to)).rejects.toThrow(/pool key/u)
  }

  test('is reported with the reason: another key, no key, or a key in an open pool', async () => {
    const [closed, open] = [await peerWith(former), await peerWith()]
    await dial(closed, next)
    await dial(closed)
    await dial(open, former)
    await until(() => closed.refused.length === 2 && open.refused.length === 1)
    expect(closed.refused).toEqual([
      expect.stringMatching(/^\/ip4\/127\.0\.0\.1\/tcp\/\d+ is refused: it has none of the pool keys that are installed here$/u),
      expect.stringMatching(/ is refused: it has no pool key$/u),
    ])
    expect(open.refused).toEqual([
      expect.stringMatching(/ is refused: it has a pool key and this pool has none, or it does not speak libp2p$/u),
    ])
  })

  test('is reported once, however often it is refused for the same reason', async () => {
    const closed = await peerWith(former)
    const stranger = await peerWith(next)
    for (let i = 0; i < 3; i += 1) await expect(stranger.link(closed)).rejects.toThrow(/pool key/u)
    expect(closed.refused).toHaveLength(1)
  })

  test('is not reported if it sends nothing, as a probe does', async () => {
    const closed = await peerWith(former)
    const { port } = tcpEndpoint(closed.address)!
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.destroy())
      socket.on('close', () => resolve())
    })
    await (await peerWith(former)).link(closed)
    await until(() => closed.links.count === 1)
    expect(closed.refused).toEqual([])
  })
})
