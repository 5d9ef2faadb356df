import { once } from 'node:events'
import { connect } from 'node:net'
import type { Listener, MultiaddrConnection, Upgrader } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import { afterEach, expect, test, vi } from 'vitest'
import { endpointOf } from '../../base/addresses.ts'
import { TrafficMeter } from '../../host/traffic.ts'
import { tuned } from '../../host/upgrades.ts'
import { tcpTransport, type Components } from './tcp.ts'

const log = Object.assign(() => {}, { error: () => {}, trace: () => {}, newScope: () => log })
const logger = { forComponent: () => log }

let listener: Listener | undefined
afterEach(async () => {
  vi.useRealTimers()
  await listener?.close()
})

test('a socket ends soon after its peer has ended, though the peer takes no bytes', async () => {
  const meter = new TrafficMeter()
  const accepted = Promise.withResolvers<MultiaddrConnection>()
  const upgrader = {
    upgradeInbound(connection: MultiaddrConnection) {
      accepted.resolve(connection)
      return Promise.resolve()
    },
  }
  const { createListener } = tcpTransport((each) => tuned(each, meter, () => {}))({ logger, upgrader: {} } as unknown as Components)
  listener = createListener({ upgrader: upgrader as unknown as Upgrader })
  await listener.listen(multiaddr('/ip4/127.0.0.1/tcp/0'))
  const { port } = endpointOf(listener.getAddrs()[0] as ReturnType<typeof multiaddr>) as { port: number }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

  const peer = connect({ host: '127.0.0.1', port, allowHalfOpen: true }).pause()
  peer.on('error', () => {})
  const connection = await accepted.promise
  // More than the kernel takes.
  connection.send(new Uint8Array(32 * 1024 * 1024))
  const ended = vi.waitFor(() => expect(connection).toMatchObject({ remoteWriteStatus: 'closed' }))
  peer.end()
  await ended
  expect(meter.total.connections).toBe(1)
  vi.advanceTimersByTime(4_900)
  await new Promise((resolve) => setImmediate(resolve))
  expect(meter.total.connections).toBe(1)
  const closed = once(peer, 'close')
  vi.advanceTimersByTime(200)
  await new Promise((resolve) => setImmediate(resolve))
  expect(meter.total.connections).toBe(0)
  peer.destroy()
  await closed
})
