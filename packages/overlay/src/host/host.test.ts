import { afterEach, expect, test } from 'vitest'
import { startPeer, stopAll } from '../../test/peers.ts'

afterEach(stopAll)

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
