/**
 * The programs of tests that run in a network namespace (namespace.ts). Each prints one line of
 * JSON.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { multiaddr } from '@multiformats/multiaddr'
import { DialError } from '../src/dialing/dialing.ts'
import { probeHost } from '../src/dialing/host-probe.ts'
import { startOverlay, type Overlay } from '../src/index.ts'
import { startPeer, stopAll, until } from './peers.ts'

const start = async (options: Partial<Parameters<typeof startOverlay>[0]> = {}): Promise<Overlay> =>
  await startOverlay({ pool: 'test', mdns: false, ...options })

const programs: Record<string, () => Promise<unknown>> = {
  /**
   * The addresses of a node without `listen`, and the number of members that another node sees
   * after it entered under the last address.
   */
  async anywhere() {
    const first = await start()
    const { addresses } = first.self
    const second = await start({ bootstrap: [addresses.at(-1)!] })
    const members = second.members().length
    await Promise.all([first.leave(), second.leave()])
    return { addresses, members }
  },

  /** Enters through a name. A name server of this program has the records of the name. */
  async dnsaddr() {
    const first = await start({ listen: ['127.0.0.1:0'] })
    const asked: string[] = []
    const server = await serveTxt((name) => {
      asked.push(name)
      return `dnsaddr=${first.self.addresses[0]}`
    })
    const second = await start({ listen: ['127.0.0.1:0'], bootstrap: ['/dnsaddr/pool.test'] })
    const members = second.members().length
    await Promise.all([first.leave(), second.leave()])
    server.close()
    return { members, asked: [...new Set(asked)] }
  },

  /**
   * A member listens on one address family, and a node enters through a name that has addresses of
   * both. The number of members that the node sees, for each family.
   */
  async families() {
    const members: number[] = []
    for (const [listen, name] of [
      ['127.0.0.1:4001', '/dns4/both.test/tcp/4001'],
      ['[::1]:4001', '/dns6/both.test/tcp/4001'],
    ] as const) {
      const first = await start({ listen: [listen] })
      const second = await start({ listen: [listen.replace('4001', '0')], bootstrap: [name] })
      members.push(second.members().length)
      await Promise.all([first.leave(), second.leave()])
    }
    const [four, six] = members
    return { four, six }
  },

  /**
   * The results of a probe and a dial of a host where nobody listens. The host also has an IPv6
   * address.
   */
  async routeless() {
    const [four, six] = ['/ip4/127.0.0.1/tcp/1', '/ip6/2001:db8::1/tcp/1'].map((text) => multiaddr(text).bytes)
    const peer = await startPeer()
    const dialled: unknown = await peer.dialer.connect((await startPeer()).id, [four!, six!]).catch((error: unknown) => error)
    const outcomes = {
      both: await probeHost([four!, six!]),
      six: await probeHost([six!]),
      dialled: dialled instanceof DialError && dialled.failure,
    }
    await stopAll()
    return outcomes
  },

  /** How often a node without `portMapping` looks for routers, and whether a node with it does. */
  async routers() {
    const heard = { silent: 0, asking: 0 }
    let who: keyof typeof heard = 'silent'
    const router = createSocket({ type: 'udp4', reuseAddr: true })
    router.on('message', (data) => (heard[who] += Number(data.toString().startsWith('M-SEARCH'))))
    router.bind(1900, () => router.addMembership('239.255.255.250', '192.0.2.1'))
    await once(router, 'listening')
    const silent = await start({ listen: ['192.0.2.1:0'] })
    await delay(1_000)
    await silent.leave()
    who = 'asking'
    const asking = await start({ listen: ['192.0.2.1:0'], portMapping: true })
    await until(() => heard.asking > 0, 10_000)
    await asking.leave()
    router.close()
    return { silent: heard.silent, asks: heard.asking > 0 }
  },
}

/** Answers each question for TXT with one text, as in RFC 1035. */
async function serveTxt(answer: (name: string) => string): Promise<{ close(): void }> {
  const server = createSocket('udp4')
  server.on('message', (query, { port, address }) => {
    const labels: string[] = []
    let at = 12
    for (let length = query[at]!; length > 0; length = query[at]!) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
    const question = query.subarray(12, at + 5)
    const data = Buffer.from(answer(labels.join('.')))
    const head = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])
    const record = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, data.length + 1, data.length])
    server.send(Buffer.concat([head, question, record, data]), port, address)
  })
  server.bind(53, '127.0.0.1')
  await once(server, 'listening')
  return server
}

process.stdout.write(JSON.stringify(await programs[process.argv[2] as string]!()), () => process.exit())
