import { multiaddr } from '@multiformats/multiaddr'
import type { Attack } from '../trial.ts'

const protocols = ['/echo/1', '/ipfs/id/1.0.0', '/meshsub/1.1.0', '/nobody/speaks/this']

export const abandonedStreams: Attack = {
  name: 'streams opened and abandoned',
  does: 'opens streams of every protocol, says half a word on each, and leaves them; so with the next connection',
  bound: 'streams a connection and connections a peer are bounded, and all are gone when it is',
  // An honest link opens its urgent stream when it first has something to send on it, so its
  // streams may double during the attack.
  check: ({ before, after }) =>
    after.figures.streams > before.figures.streams * 2 + 30 ? `${after.figures.streams} streams were left open` : undefined,
  run: async ({ pool, attacker, until }) => {
    const mallory = await attacker()
    await mallory.enter(pool.address())
    let [opened, refused] = [0, 0]
    while (performance.now() < until) {
      const connection = await mallory.libp2p.dial(multiaddr(pool.address(opened)), { force: true }).catch(() => undefined)
      if (!connection) break
      for (let i = 0; i < 400 && performance.now() < until; i++) {
        try {
          const stream = await connection.newStream(protocols[i % protocols.length]!, { signal: AbortSignal.timeout(500) })
          stream.send(Uint8Array.of(0xff))
          opened += 1
        } catch {
          refused += 1
        }
      }
    }
    return `${opened} streams opened, ${refused} refused`
  },
}
