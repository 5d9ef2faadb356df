import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { joinPool, webStreams, type Pool, type WebStreams } from '../src/index.ts'

const pools: Pool[] = []

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.leave()
})

/** Opens a stream between two members. Returns the streams of both ends. */
async function open(): Promise<[WebStreams, WebStreams]> {
  const first = await joinPool('web', { listen: ['/ip4/127.0.0.1/tcp/0'] })
  const second = await joinPool('web', { listen: ['/ip4/127.0.0.1/tcp/0'], bootstrap: first.self.addresses })
  pools.push(first, second)
  await Promise.all(pools.map(async (pool) => await pool.waitForMembers(2)))
  const { promise, resolve } = Promise.withResolvers<WebStreams>()
  await first.handle('/web/1', (stream) => resolve(webStreams(stream)))
  const near = webStreams(await second.open(first.self, '/web/1'))
  const writer = near.writable.getWriter()
  await writer.write(new Uint8Array())
  writer.releaseLock()
  return [near, await promise]
}

it('web streams carry bytes in both directions, and each direction ends by itself', async () => {
  const [near, far] = await open()
  const echoed = far.readable.pipeTo(far.writable)
  const writer = near.writable.getWriter()
  const text = 'x'.repeat(1_000_000)
  const [received] = await Promise.all([
    new Response(near.readable as ReadableStream).text(),
    (async () => {
      await writer.write(new TextEncoder().encode(text))
      await writer.close()
    })(),
  ])
  expect(received).toBe(text)
  await echoed
})

it('a writer waits for a slow reader', async () => {
  const [near, far] = await open()
  const writer = near.writable.getWriter()
  let written = 0
  const writing = (async () => {
    for (; written < 500; written++) await writer.write(new Uint8Array(65_536))
    await writer.close()
  })()
  await sleep(1000)
  expect(written).toBeLessThan(400)
  let bytes = 0
  for await (const chunk of far.readable) bytes += chunk.length
  await writing
  expect(bytes).toBe(500 * 65_536)
})

// Fewer bytes than the window of a stream, and more than are read ahead.
it('a slow reader gets all bytes of a stream whose both directions have ended', async () => {
  const [near, far] = await open()
  await near.writable.close()
  const writer = far.writable.getWriter()
  await writer.write(new Uint8Array(200_000))
  await writer.close()
  for await (const _ of far.readable);
  await sleep(500)
  let bytes = 0
  for await (const chunk of near.readable) bytes += chunk.length
  expect(bytes).toBe(200_000)
})

it('a stream that is aborted errors at the other end', async () => {
  const [near, far] = await open()
  const reading = (async () => {
    for await (const _ of far.readable);
  })()
  await near.writable.abort(new Error('enough'))
  await expect(reading).rejects.toThrow(/reset|abort|enough/iu)
})
