/** Attacks on links, streams and addresses. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { parseIntroducer, tcpEndpoint } from '@jel/overlay/internals'
import { multiaddr } from '@multiformats/multiaddr'
import type { HostileLink } from './attacker.ts'
import { askForAll, everything, madeUp } from './frames.ts'
import type { Attack } from './trial.ts'

/** Number of made-up members. They make the state large, so that a request for it is costly. */
const MEMBERS = 500

const endlessReconciliation: Attack = {
  name: 'reconciliation without end',
  does: 'asks for the whole state again and again, and answers every round with another difference',
  bound: 'bytes and processor time are bounded: the answers come later and later',
  run: async ({ pool, enter, attack, sleep }) => {
    const { link } = await enter()
    link.send(madeUp(pool.name, MEMBERS))
    await sleep(300)
    link.onFrame = ({ reconcile }) => {
      if (reconcile === undefined) return
      const another = { ...everything, listed: false, count: 1_000_000, fingerprint: crypto.getRandomValues(new Uint8Array(8)) }
      link.send({ reconcile: { round: (reconcile.round % 20) + 1, ranges: [another] } })
    }
    let asked = 0
    await attack([link], () => {
      link.send(askForAll)
      asked += 1
    })
    return `asked ${asked} times for everything`
  },
}

const slowReader: Attack = {
  name: 'slow reading',
  does: 'asks for the whole state again and again, and reads no answer',
  bound: 'at most 16 MiB wait for the attacker, and its link ends when it has taken no byte for 15 s',
  isDropped: true,
  run: async ({ pool, enter, attack, sleep }) => {
    const { link } = await enter()
    link.send(madeUp(pool.name, MEMBERS))
    await sleep(300)
    link.stream.pause()
    let asked = 0
    await attack([link], (turn) => {
      if (turn % 10 > 0) return
      link.send(askForAll)
      asked += 1
    })
    return `asked ${asked} times for everything`
  },
}

const PROTOCOLS = ['/echo/1', '/ipfs/id/1.0.0', '/meshsub/1.1.0', '/nobody/speaks/this']

const abandonedStreams: Attack = {
  name: 'streams opened and abandoned',
  does: 'opens streams of every protocol, sends the beginning of a message on each, and abandons them; then does the same on another connection',
  bound: 'streams a connection and connections a peer are bounded, and all of them end when the attacker is gone',
  // An honest link opens its urgent stream when it first has an urgent frame to send. So the number
  // of streams of the honest nodes may double during the attack.
  check: ({ before, after }) =>
    after.figures.streams > before.figures.streams * 2 + 30 ? `${after.figures.streams} streams were left open` : undefined,
  run: async ({ pool, enter, isOver }) => {
    const { mallory } = await enter()
    let [opened, refused] = [0, 0]
    while (!isOver()) {
      const connection = await mallory.libp2p.dial(multiaddr(pool.address(opened)), { force: true }).catch(() => undefined)
      if (!connection) break
      for (let i = 0; i < 400 && !isOver(); i++) {
        try {
          const stream = await connection.newStream(PROTOCOLS[i % PROTOCOLS.length]!, { signal: AbortSignal.timeout(500) })
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

/** Nested protobuf groups: a decoder calls itself for each level to skip them. */
const nested = (depth: number): Uint8Array => new Uint8Array(depth).fill((15 << 3) | 3)

const BAD: ((link: HostileLink) => unknown)[] = [
  // 200,000,000: a length far above the bound
  (link) => link.raw(Uint8Array.of(0x80, 0x84, 0xaf, 0x5f)),
  (link) => link.sendBytes(nested(200_000)),
  (link) => link.sendBytes(Uint8Array.from({ length: 100 }, () => Math.floor(Math.random() * 256))),
  (link) => link.raw(Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80)), // a length without an end
  (link) => link.raw(Uint8Array.of(0)), // an empty frame
  (link) => link.sendBytes(new Uint8Array(300_000)), // a little larger than a frame may be
]
/**
 * Maximum number of connections that the attacker makes. The pool refuses the fourth connection and
 * all later connections.
 */
const ATTEMPTS = 20

const badFrames: Attack = {
  name: 'oversized and deeply nested frames',
  does: 'sends frames of 200 MB, groups 200,000 deep and random bytes, is dropped, and connects again',
  bound: 'no node keeps any part of the frames; the attacker is dropped, and after the third time refused for a minute',
  isDropped: true,
  run: async ({ pool, attacker, sleep, isOver }) => {
    const mallory = await attacker()
    let [came, sent] = [0, 0]
    while (!isOver() && came < ATTEMPTS) {
      const link = await mallory.link(pool.address()).catch(() => undefined)
      if (link === undefined) {
        await sleep(100)
        continue
      }
      came += 1
      const before = performance.now()
      while (link.isUp && !isOver() && performance.now() - before < 2_000) {
        BAD[sent % BAD.length]!(link)
        sent += 1
        await sleep(20)
      }
      if (link.isUp) break
      await link.connection.close().catch(() => {})
    }
    return `came ${came} times with ${sent} bad frames`
  },
}

/** Maximum number of connections a second from each node: five times the observed rate. */
const MOST_CONNECTIONS = 20

const victimAddress: Attack = {
  name: "a victim's address",
  does: 'announces 100 made-up members, all at the address of a victim that does not belong to the pool',
  bound: 'each node connects to the victim a bounded number of times a second, whatever the attacker announces',
  run: async ({ pool, scale, enter, sleep, breach }) => {
    let connections = 0
    const victim = createServer((socket) => {
      connections += 1
      socket.on('error', () => {}).resume()
    }).listen(0, '127.0.0.1')
    await once(victim, 'listening')
    try {
      const { address } = parseIntroducer(`/ip4/127.0.0.1/tcp/${(victim.address() as AddressInfo).port}`)
      const { link } = await enter()
      link.send(
        madeUp(
          pool.name,
          100,
          Array.from({ length: 8 }, () => address),
        ),
      )
      const started = performance.now()
      await sleep(scale.during)
      const rate = (connections * 1_000) / (performance.now() - started)
      const each = rate / pool.addresses.length
      if (each > MOST_CONNECTIONS) breach('the victim was flooded')
      return `the victim saw ${rate.toFixed(0)} connections a second, ${each.toFixed(1)} from each node`
    } finally {
      victim.close()
    }
  },
}

const handshakeFlood: Attack = {
  name: 'handshakes without end',
  does: 'connects as fast as it can: some connections stay silent, and the attacker drops the others after the handshake',
  bound: 'no node is declared dead, and a newcomer can still enter',
  staysOpen: true,
  run: async ({ pool, attacker, sleep, isOver }) => {
    const mallory = await attacker()
    const { host, port } = tcpEndpoint(parseIntroducer(pool.address()).address)!
    let [silent, shaken, refused] = [0, 0, 0]
    const handshake = async (): Promise<void> => {
      while (!isOver()) {
        const socket = connect({ host, port })
        silent += 1
        socket.on('error', () => {})
        setTimeout(() => socket.destroy(), 1_000).unref()
        await sleep(5)
      }
    }
    const shake = async (): Promise<void> => {
      while (!isOver()) {
        try {
          const connection = await mallory.libp2p.dial(multiaddr(pool.address()), { force: true, signal: AbortSignal.timeout(2_000) })
          shaken += 1
          connection.abort(new Error('enough'))
        } catch {
          refused += 1
          await sleep(5)
        }
      }
    }
    await Promise.all([handshake(), shake(), shake(), shake(), shake()])
    return `${silent} silent connections, ${shaken} handshakes, ${refused} refused`
  },
}

export const onConnections: readonly Attack[] = [
  endlessReconciliation,
  slowReader,
  abandonedStreams,
  badFrames,
  victimAddress,
  handshakeFlood,
]
