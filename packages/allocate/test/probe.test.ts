import { setTimeout as sleep } from 'node:timers/promises'
import { joinPool, type Pool, type Stream } from '@jel/jel'
import { managerOf, monitor } from '@jel/monitor'
import { lpStream } from '@libp2p/utils'
import { afterEach, describe, expect, it } from 'vitest'
import { allocator, type Allocator, type Lease, type Pair } from '../src/index.ts'

interface Node {
  readonly pool: Pool
  readonly allocator: Allocator
}

const pools: Pool[] = []
afterEach(async () => void (await Promise.all(pools.splice(0).map(async (pool) => await pool.leave()))))

let count = 0
/**
 * Members at these sites. `hasBare`: also members of delft without an allocator, and one of them is
 * the manager of delft.
 */
async function nodes(sites: readonly string[], hasBare = false): Promise<Node[]> {
  const name = `probed-${process.pid}-${count++}`
  const join = async (site: string): Promise<Pool> => {
    const bootstrap = pools.slice(0, 1).flatMap(({ self }) => self.addresses)
    const location = `n${pools.length}@${site}`
    pools.push(await joinPool(name, { listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, bootstrap, location }))
    return pools.at(-1) as Pool
  }
  const made: Node[] = []
  for (const site of sites) {
    const pool = await join(site)
    made.push({ pool, allocator: await allocator(pool, await monitor(pool)) })
  }
  // The ids are random, and they decide who is the manager.
  const isServed = (): boolean =>
    managerOf(
      pools.map(({ self }) => self),
      'delft',
    )?.id === managerAt(made, 'delft').pool.self.id
  if (hasBare) while (isServed()) await join('delft')
  for (const pool of pools) await expect.poll(() => pool.members().length).toBe(pools.length)
  return made
}

/** Returns the manager of a site among these members. */
const managerAt = (all: readonly Node[], site: string): Node => {
  const manager = managerOf(
    all.map(({ pool }) => pool.self),
    site,
  )
  return all.find(({ pool }) => pool.self.id === manager?.id) as Node
}

/** Resolves once the other side has ended the stream. */
async function ended(stream: Stream): Promise<void> {
  if (stream.status !== 'open') return
  await new Promise<void>((resolve) => stream.addEventListener('close', () => resolve(), { once: true }))
}

describe('members that measure each other', () => {
  it('know the round trip and the bandwidth of each pair', async () => {
    const all = await nodes(['delft', 'delft', 'leiden', 'leiden'])
    const [first] = all as [Node]
    const { pairs, unknown } = await first.allocator.measure(all.map(({ pool }) => pool.self))
    expect([pairs.length, unknown]).toEqual([6, []])
    for (const { roundTrip, bandwidth, took } of pairs) {
      expect(roundTrip).toBeGreaterThan(0)
      expect(bandwidth).toBeGreaterThan(100_000)
      expect(took).toBeGreaterThan(roundTrip)
    }
    const selected = await first.allocator.select({ count: 3, pattern: 'ring', timeout: 0 })
    expect(new Set(selected.map(({ id }) => id)).size).toBe(3)
    await expect(first.allocator.measure(['12D3KooWnobody'])).rejects.toMatchObject({ code: 'UNKNOWN_MEMBER' })
    await expect(first.allocator.select({ count: 5, pattern: 'ring' })).rejects.toThrow('5 wanted, 4 match')
    await expect(first.allocator.select({ pattern: 'ring' })).rejects.toThrow('pattern: must be')
    await expect(first.allocator.select({ count: 2, pattern: 'circle' as never })).rejects.toThrow('pattern: must be')
  })

  it('never probe at once at one site, however many ask', async () => {
    const all = await nodes(['delft', 'delft', 'delft', 'leiden'])
    const [a, b, c, d] = all.map(({ pool }) => pool.self.id) as [string, string, string, string]
    const [probes, ends] = [[] as Pair[], new Set<number>()]
    const end = performance.now() + 20_000
    /** Each one measures from itself, so that the times are of this process. */
    const work = async ({ pool, allocator: by }: Node, to: readonly string[]): Promise<void> => {
      for (let round = 0; performance.now() < end && ends.size < 8; round++) {
        const { pairs } = await by.measure([pool.self.id, to[round % to.length] as string])
        for (const pair of pairs) ends.add(pair.at)
        probes.push(...pairs)
        await sleep(20)
      }
    }
    await Promise.all([work(all[0] as Node, [b, d]), work(all[1] as Node, [c]), work(all[2] as Node, [a, d])])
    // A repeated question within two seconds has the same answer.
    const distinct = [...new Map(probes.map((each) => [each.at, each])).values()].sort((one, other) => one.at - other.at)
    expect(distinct.length).toBeGreaterThan(5)
    for (const [at, { at: over, took }] of distinct.entries()) {
      const before = distinct[at - 1]?.at ?? 0
      expect(over - took).toBeGreaterThanOrEqual(before - 0.5)
    }
  })

  it('go on within ten seconds after the holder of the token is gone without a word', async () => {
    const all = await nodes(['delft', 'delft', 'delft', 'delft'])
    const manager = managerAt(all, 'delft')
    const [holder, other, third] = all.filter((each) => each !== manager) as [Node, Node, Node]
    await holder.allocator.lease(manager.pool.self, { probe: 1 }, { for: 5000 })
    const begin = performance.now()
    const asked = other.allocator.measure([other.pool.self, third.pool.self])
    await sleep(100)
    await holder.pool.libp2p.stop()
    expect((await asked).pairs.length).toBe(1)
    expect(performance.now() - begin).toBeLessThan(10_000)
  })

  it('wait for a holder that stays, at most for its term', async () => {
    const all = await nodes(['delft', 'delft', 'delft'])
    const manager = managerAt(all, 'delft')
    const [holder, other] = all.filter((each) => each !== manager) as [Node, Node]
    const lease = await holder.allocator.lease(manager.pool.self, { probe: 1 }, { for: 5000 })
    const ids = [other.pool.self, manager.pool.self]
    expect(await other.allocator.measure(ids, { timeout: 500 })).toMatchObject({
      pairs: [],
      unknown: [{ reason: expect.stringContaining('the probe token of delft') }],
    })
    expect((await other.allocator.measure(ids, { timeout: 20_000 })).pairs.length).toBe(1)
    expect(lease.signal.aborted).toBe(true)
    await holder.allocator.lease(manager.pool.self, { probe: 1 }, { for: 5000 })
    const closed = other.allocator.measure([other.pool.self, holder.pool.self], { timeout: 20_000 })
    const begin = performance.now()
    await other.allocator.close()
    expect((await closed).pairs).toEqual([])
    expect(performance.now() - begin).toBeLessThan(3000)
    // A hostile holder gets no more than one short term.
    for (const [amounts, options] of [
      [{ probe: 1 }, { for: 60_000 }],
      [{ probe: 0.5 }, { for: 1000 }],
      [{ probe: 1 }, { for: 1000, background: true }],
    ] as const)
      await expect(holder.allocator.lease(manager.pool.self, amounts, options)).rejects.toMatchObject({ code: 'DENIED' })
    const [again] = holder.allocator.held as [Lease]
    await expect(again.renew(60_000)).rejects.toMatchObject({ code: 'DENIED' })
  })

  it('find the token where the manager of the site grants no leases, and name a member that is not measured', async () => {
    const all = await nodes(['delft', 'delft'], true)
    const bare = pools.find(({ self }) => all.every(({ pool }) => pool.self.id !== self.id)) as Pool
    const [first, second] = all as [Node, Node]
    const { pairs, unknown } = await first.allocator.measure([first.pool.self, second.pool.self, bare.self])
    expect(pairs.map(({ members }) => members)).toEqual([[first.pool.self.id, second.pool.self.id].sort()])
    expect(unknown.length).toBe(2)
    for (const { members, reason } of unknown) {
      expect(members).toContain(bare.self.id)
      expect(reason).not.toBe('')
    }
  })
})

describe('a hostile member', () => {
  const ROUND = new Uint8Array(16_000)

  it('gets no more back than one probe has, and then the stream ends', async () => {
    const [victim, hostile] = (await nodes(['delft', 'delft'])) as [Node, Node]
    const stream = await hostile.pool.open(victim.pool.self, '/jel-probe/1.0.0')
    const frames = lpStream(stream)
    let [sent, received] = [0, 0]
    const read = async (): Promise<void> => {
      for (;;) received += (await frames.read()).byteLength
    }
    read().catch(() => {})
    while (stream.status === 'open' && sent < 50e6) {
      await frames.write(ROUND).catch(() => {})
      sent += ROUND.length
      await sleep(0)
    }
    await ended(stream)
    expect(received).toBeLessThan(1_500_000)
    // The next one is refused for a while.
    const next = await hostile.pool.open(victim.pool.self, '/jel-probe/1.0.0')
    lpStream(next)
      .write(ROUND)
      .catch(() => {})
    await ended(next)
    expect(next.status).not.toBe('open')
  })

  it('gets the probe token in turn only, however often it asks', async () => {
    const all = await nodes(['delft', 'delft', 'delft'])
    const manager = managerAt(all, 'delft')
    const [hostile, honest] = all.filter((each) => each !== manager) as [Node, Node]
    const over = new AbortController()
    let terms = 0
    const hoard = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const lease = await hostile.allocator.lease(manager.pool.self, { probe: 1 }, { for: 2000 }).catch(() => undefined)
        if (lease !== undefined) terms++
      }
    }
    // Some question always arrives right after the end of a lease.
    const hoarding = Array.from({ length: 20 }, hoard)
    try {
      await expect.poll(() => terms).toBeGreaterThan(0)
      for (const { pool } of [manager, hostile])
        expect((await honest.allocator.measure([honest.pool.self, pool.self], { timeout: 2600 })).unknown).toEqual([])
    } finally {
      over.abort()
      await Promise.all(hoarding)
    }
    expect(terms).toBeGreaterThan(1)
  })

  it('makes a member probe a pair once, however often it asks at once', async () => {
    const all = await nodes(['delft', 'delft', 'delft'])
    const [victim, hostile, honest] = all as [Node, Node, Node]
    // All questions are there before the first probe begins.
    await honest.allocator.lease(managerAt(all, 'delft').pool.self, { probe: 1 }, { for: 1500 })
    const ask = async (): Promise<unknown> => {
      const frames = lpStream(await hostile.pool.open(victim.pool.self, '/jel-measure/1.0.0'))
      await frames.write(new TextEncoder().encode(JSON.stringify({ measure: honest.pool.self.id, within: 20_000 })))
      const answer = JSON.parse(new TextDecoder().decode((await frames.read()).subarray())) as { figures: object }
      return answer.figures
    }
    const [first, ...others] = await Promise.all(Array.from({ length: 6 }, ask))
    expect(first).toMatchObject({ bandwidth: expect.any(Number), roundTrip: expect.any(Number) })
    for (const other of others) expect(other).toEqual(first)
    // It has a bounded number of streams, too.
    const streams = await Promise.all(
      Array.from({ length: 12 }, async () => await hostile.pool.open(victim.pool.self, '/jel-measure/1.0.0').catch(() => undefined)),
    )
    await expect.poll(() => streams.filter((stream) => stream?.status === 'open').length).toBeLessThanOrEqual(8)
  })

  it('does no harm with garbage, and others still measure', async () => {
    const [victim, hostile, honest] = (await nodes(['delft', 'delft', 'delft'])) as [Node, Node, Node]
    const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
    for (const bytes of [
      Uint8Array.of(1, 2, 3),
      text({ measure: 5 }),
      text({ measure: victim.pool.self.id, within: 10 }),
      text({ measure: '12D3KooWnobody', within: 10 }),
      text({ measure: honest.pool.self.id, within: 1e300 }),
      new Uint8Array(5000),
    ]) {
      const stream = await hostile.pool.open(victim.pool.self, '/jel-measure/1.0.0')
      await lpStream(stream).write(bytes)
      await Promise.race([
        lpStream(stream)
          .read()
          .catch(() => {}),
        sleep(3000),
      ])
      stream.abort(new Error('next'))
    }
    const { pairs } = await honest.allocator.measure([honest.pool.self, victim.pool.self])
    expect(pairs.length).toBe(1)
  })
})
