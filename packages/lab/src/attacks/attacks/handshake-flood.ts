import { connect } from 'node:net'
import { parseIntroducer, tcpEndpoint } from '@jel/overlay/internals'
import { multiaddr } from '@multiformats/multiaddr'
import type { Attack } from '../trial.ts'

export const handshakeFlood: Attack = {
  name: 'handshakes without end',
  does: 'connects as fast as it can: half of the connections say nothing, the other half shake hands and are dropped',
  bound: 'the pool goes on: no death, and a newcomer still gets in',
  staysOpen: true,
  run: async ({ pool, attacker, until }) => {
    const mallory = await attacker()
    const { host, port } = tcpEndpoint(parseIntroducer(pool.address()).address)!
    let [silent, shaken, refused] = [0, 0, 0]
    const handshake = async (): Promise<void> => {
      while (performance.now() < until) {
        const socket = connect({ host, port })
        silent += 1
        socket.on('error', () => {})
        setTimeout(() => socket.destroy(), 1_000).unref()
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const shake = async (): Promise<void> => {
      while (performance.now() < until) {
        try {
          const connection = await mallory.libp2p.dial(multiaddr(pool.address()), { force: true, signal: AbortSignal.timeout(2_000) })
          shaken += 1
          connection.abort(new Error('enough'))
        } catch {
          refused += 1
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      }
    }
    await Promise.all([handshake(), shake(), shake(), shake(), shake()])
    return `${silent} silent connections, ${shaken} handshakes, ${refused} refused`
  },
}
