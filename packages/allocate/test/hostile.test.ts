import { joinPool, type Pool, type Stream } from '@jel/jel'
import { monitor } from '@jel/monitor'
import { lpStream } from '@libp2p/utils'
import { afterEach, describe, expect, it } from 'vitest'
import { allocator } from '../src/index.ts'
import { Granter } from '../src/shell/granter.ts'

const pools: Pool[] = []
afterEach(async () => void (await Promise.all(pools.splice(0).map(async (pool) => await pool.leave()))))

let count = 0
/** A member that serves attributes and leases, a hostile one, and an honest one. */
async function trio() {
  const name = `hostile-${process.pid}-${count++}`
  for (let at = 0; at < 3; at++) {
    const bootstrap = pools.slice(0, 1).flatMap(({ self }) => self.addresses)
    pools.push(await joinPool(name, { listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, bootstrap }))
  }
  const [victim, hostile, honest] = pools as [Pool, Pool, Pool]
  for (const pool of pools) await expect.poll(() => pool.members().length).toBe(3)
  const served = await monitor(victim)
  served.attribute('x', { ttl: 0, read: () => 1 })
  const allocated = await allocator(victim, served)
  allocated.offer('cpus', 100)
  const asking = await monitor(honest)
  const leasing = await allocator(honest, asking)
  return { victim, hostile, asking, leasing }
}

const bytesOf = (message: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(message))

/** Resolves once the other side has ended the stream. */
async function ended(stream: Stream): Promise<void> {
  if (stream.status !== 'open') return
  await new Promise<void>((resolve) => stream.addEventListener('close', () => resolve(), { once: true }))
}

const PROTOCOLS = ['/jel-info/1.0.0', '/jel-watch/1.0.0', '/jel-lease/1.0.0']
const GARBAGE: [string, Uint8Array][] = [
  ['no JSON', Uint8Array.of(1, 2, 3)],
  ['JSON of another form', bytesOf([1, 2])],
  ['deep JSON', new TextEncoder().encode('['.repeat(4000))],
  ['a name of the prototype', new TextEncoder().encode('{"__proto__":{"list":true},"ask":{"amounts":{"__proto__":1}}}')],
  ['a wrong watch', bytesOf({ watch: { attributes: ['x'], every: 0.001 } })],
  ['a lease for ever', bytesOf({ ask: { amounts: { cpus: 1 }, for: 1e300, from: 0, background: false, key: 'k' } })],
]

describe('a member that serves attributes and leases', () => {
  it.each(PROTOCOLS)('goes on after garbage on %s', async (protocol) => {
    const { victim, hostile, asking, leasing } = await trio()
    for (const [what, bytes] of GARBAGE) {
      const stream = await hostile.open(victim.self.id, protocol)
      await lpStream(stream).write(bytes)
      stream.close().catch(() => {})
      await ended(stream)
      const [reading] = await asking.read(victim.self, ['x'])
      expect([what, reading?.value]).toEqual([what, 1])
      await using lease = await leasing.lease(victim.self, { cpus: 1 }, { for: 1000 })
      expect([what, lease.amounts]).toEqual([what, { cpus: 1 }])
    }
  })

  it('serves others beside one that opens streams without end', async () => {
    const { victim, hostile, asking, leasing } = await trio()
    const over = new AbortController()
    const flood = PROTOCOLS.map(async (protocol) => {
      while (!over.signal.aborted) {
        const streams = await Promise.all(
          Array.from({ length: 20 }, async () => await hostile.open(victim.self.id, protocol).catch(() => undefined)),
        )
        for (const stream of streams)
          if (stream !== undefined)
            void lpStream(stream)
              .write(bytesOf({ read: ['x'], response: 'immediate' }))
              .catch(() => {})
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })
    for (let round = 0; round < 10; round++) {
      expect((await asking.read(victim.self, ['x']))[0]?.value).toBe(1)
      await using lease = await leasing.lease(victim.self, { cpus: 1 }, { for: 1000 })
      expect(lease.token.number).toBeGreaterThan(0)
    }
    over.abort()
    await Promise.all(flood)
  })

  it('grants one that hoards at most 64 leases, and they end with it', async () => {
    const { victim, hostile, leasing } = await trio()
    const hoarder = await allocator(hostile, await monitor(hostile))
    const all = await Promise.allSettled(
      Array.from({ length: 80 }, async () => await hoarder.lease(victim.self, { cpus: 1 }, { for: 86_400_000 })),
    )
    expect(all.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(64)
    await expect(leasing.lease(victim.self, { cpus: 90 }, { for: 1000 })).rejects.toMatchObject({ code: 'CAPACITY' })
    await hostile.leave()
    await expect
      .poll(
        async () =>
          await leasing.lease(victim.self, { cpus: 90 }, { for: 1000 }).then(
            () => true,
            () => false,
          ),
      )
      .toBe(true)
  })

  it('forgets all leases of a stream that ends, also if it was for several', async () => {
    const { victim, hostile } = await trio()
    // The protocol of a member that has an allocator is taken.
    const granter = new Granter(
      hostile,
      () => true,
      () => {},
      () => ({ ranks: [], starts: [] }),
    )
    await granter.start(new AbortController().signal)
    granter.offer('cpus', 4)
    const stream = lpStream(await victim.open(hostile.self.id, '/jel-lease/1.0.0'))
    for (const key of ['a', 'b', 'c'])
      await stream.write(bytesOf({ ask: { amounts: { cpus: 1 }, for: 3_600_000, from: 0, background: true, key } }))
    await expect.poll(() => granter.connections).toBe(3)
    stream.unwrap().abort(new Error('over'))
    await expect.poll(() => granter.connections).toBe(0)
    expect(granter.list()).toHaveLength(3)
  })
})
