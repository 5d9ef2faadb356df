import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, expect, test, vi } from 'vitest'
import { startPeer, stopAll } from '../../test/peers.ts'

afterEach(async () => {
  vi.useRealTimers()
  await stopAll()
})

test('a host forgets the peers that it has no connection to, and no others', async () => {
  const [one, stays, goes] = await Promise.all([startPeer(), startPeer(), startPeer()])
  await one.link(stays)
  await one.link(goes)
  const known = async (): Promise<string[]> => (await one.host.libp2p.peerStore.all()).map(({ id }) => id.toString())
  await expect.poll(known).toEqual(expect.arrayContaining([stays.id, goes.id]))
  await goes.stop()
  await expect.poll(() => one.host.libp2p.getConnections().length).toBe(1)
  expect(await known()).toContain(goes.id)
  await one.host.forgetPeers()
  expect(await known()).toContain(stays.id)
  expect(await known()).not.toContain(goes.id)
})

test('a host keeps at most eight connections of one peer, the latest', async () => {
  const [one, other] = await Promise.all([startPeer(), startPeer()])
  const to = multiaddr(one.address).encapsulate(`/p2p/${one.id}`)
  for (let n = 0; n < 10; n++) await other.host.libp2p.dial(to, { force: true })
  await expect.poll(() => other.host.libp2p.getConnections().length).toBe(8)
  expect(one.host.libp2p.getConnections()).toHaveLength(8)
  expect(await one.host.libp2p.dial(multiaddr(other.address).encapsulate(`/p2p/${other.id}`))).toMatchObject({ status: 'open' })
})

test('a stop ends the connections that peers keep open', async () => {
  const [one, other] = await Promise.all([startPeer(), startPeer()])
  await one.link(other)
  // libp2p waits for each connection to end.
  const { libp2p, traffic } = one.host
  const stop = libp2p.stop.bind(libp2p)
  vi.spyOn(libp2p, 'stop').mockImplementation(async () => {
    await vi.waitFor(() => expect(traffic.total.connections).toBe(0), { timeout: 10_000 })
    await stop()
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await one.host.stop()
  expect(traffic.total.connections).toBe(0)
})
