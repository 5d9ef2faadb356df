import { toJson } from '@jel/channel'
import { joinPool, type Pool } from '@jel/jel'
import { afterEach, expect, it } from 'vitest'
import { monitor } from '../src/index.ts'

const pools: Pool[] = []
afterEach(async () => void (await Promise.all(pools.splice(0).map(async (pool) => await pool.leave()))))

it('a producer keeps at most 128 KiB for a consumer that reads nothing, and nothing for one that is gone', async () => {
  const name = `slow-${process.pid}`
  for (let at = 0; at < 2; at++) {
    const bootstrap = pools.slice(0, 1).flatMap(({ self }) => self.addresses)
    pools.push(await joinPool(name, { listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, bootstrap }))
  }
  const [a, b] = pools as [Pool, Pool]
  await expect.poll(() => b.members().length).toBe(2)
  const producer = await monitor(a)
  const attributes = Array.from({ length: 20 }, (_, at) => `text_${at}`)
  for (const each of attributes) producer.attribute(each, { ttl: 0, read: () => `${performance.now()} ${'x'.repeat(1000)}` })
  const stream = await b.open(a.self.id, '/jel-watch/1.0.0')
  // A paused stream gives no more room to its sender.
  stream.pause()
  const request = toJson({ watch: { attributes, every: 100 } })
  // Its length comes first, as a varint of two bytes.
  stream.send(Uint8Array.of((request.length & 127) | 128, request.length >> 7, ...request))
  await expect.poll(() => producer.heldBytes, { timeout: 20_000 }).toBeGreaterThan(16_384)
  let most = 0
  for (const end = performance.now() + 2000; performance.now() < end; await new Promise((resolve) => setTimeout(resolve, 10)))
    most = Math.max(most, producer.heldBytes)
  expect(most).toBeLessThan(131_072)
  stream.abort(new Error('gone'))
  await expect.poll(() => producer.heldBytes).toBe(0)
})
