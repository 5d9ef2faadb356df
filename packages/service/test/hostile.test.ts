import type { Pool, Stream } from '@jel/jel'
import { lpStream } from '@libp2p/utils'
import { describe, expect, it } from 'vitest'
import { service, serviceClient } from '../src/index.ts'
import { leaveAfterEach, poolsOf } from './pools.ts'

leaveAfterEach()

const bytesOf = (message: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(message))

/** Resolves once the other side has ended the stream. */
async function ended(stream: Stream): Promise<void> {
  if (stream.status !== 'open') return
  await new Promise<void>((resolve) => stream.addEventListener('close', () => resolve(), { once: true }))
}

const deep = `${'['.repeat(200)}${']'.repeat(200)}`
const reign = { epoch: 1e9, winner: 'nobody', incarnation: 1 }
const GARBAGE: [string, Uint8Array][] = [
  ['no JSON', Uint8Array.of(1, 2, 3)],
  ['JSON of another form', bytesOf([1, 2])],
  ['deep JSON', new TextEncoder().encode(`{"call":1,"name":"counter","key":"k","input":${deep}}`)],
  ['very deep JSON', new TextEncoder().encode('['.repeat(100_000))],
  ['a name of the prototype', new TextEncoder().encode('{"__proto__":{"call":1},"call":-1}')],
  ['a long key', bytesOf({ call: 1, name: 'counter', key: 'k'.repeat(1000), input: 1 })],
  ['operations of another primary', bytesOf({ name: 'counter', replica: { type: 'entries', reign, entries: [], seq: -1 } })],
]

/** Two replicas of a counter, and a hostile member. */
async function trio() {
  const [a, b, hostile] = (await poolsOf(3)) as [Pool, Pool, Pool]
  const counter = { replicas: 2, initial: 0, apply: (state: number, by: number): [number, number] => [state + by, state + by] }
  await service(a, 'counter', counter)
  const second = await service(b, 'counter', counter)
  expect(await second.call(1)).toBe(1)
  return { a, b, hostile, client: serviceClient(b) }
}

describe('a member that serves', () => {
  it.each(['/jel-service/1.0.0', '/jel-replica/1.0.0'])('goes on after garbage on %s', async (protocol) => {
    const { a, hostile, client } = await trio()
    let expected = 1
    for (const [what, bytes] of GARBAGE) {
      const stream = await hostile.open(a.self.id, protocol)
      const frames = lpStream(stream)
      // The first message of a stream of replicas names it.
      if (protocol.startsWith('/jel-replica')) {
        await frames.write(bytesOf(what))
        await frames.write(Uint8Array.of(0, 0, 0, 1, ...bytes))
      } else await frames.write(bytes)
      await ended(stream)
      expect([what, await client.call('counter', 1)]).toEqual([what, ++expected])
    }
  })

  it('answers others beside one that floods it with calls and streams', async () => {
    const { a, b, hostile, client } = await trio()
    const over = new AbortController()
    const primary = client.services()[0]?.primary === a.self.id ? a : b
    const flood = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const stream = await hostile.open(primary.self.id, '/jel-service/1.0.0').catch(() => undefined)
        if (stream === undefined) continue
        for (let call = 0; call < 1000 && stream.status === 'open' && !over.signal.aborted; call++) {
          const sent = await lpStream(stream)
            .write(bytesOf({ call, name: 'counter', key: `${Math.random()}`, input: 0 }))
            .catch(() => false)
          if (sent === false) break
        }
        stream.abort(new Error('again'))
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const floods = Array.from({ length: 4 }, flood)
    for (let round = 2; round < 12; round++) expect(await client.call('counter', 1)).toBe(round)
    over.abort()
    await Promise.all(floods)
  })

  it('takes no part of a state from a member that is no replica', async () => {
    const { a, hostile, client } = await trio()
    const { epoch, winner } = (a.reigns().find(({ election }) => election === 'service/counter') ?? {}) as {
      epoch: number
      winner: { id: string; incarnation: number }
    }
    const present = { epoch, winner: winner.id, incarnation: winner.incarnation }
    const entry = { reign: present, seq: 2, caller: 'x', key: 'x', operation: 1000, now: 1, result: 1001 }
    const message = { type: 'entries', reign: present, entries: [entry], seq: 2, committed: 2, trim: 0, time: 1 }
    const stream = await hostile.open(a.self.id, '/jel-replica/1.0.0')
    const frames = lpStream(stream)
    await frames.write(bytesOf('session'))
    await frames.write(Uint8Array.of(0, 0, 0, 1, ...bytesOf({ name: 'counter', replica: message })))
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await client.call('counter', 1)).toBe(2)
  })

  it('keeps at most about 8 MiB of calls of one member, and goes on reading when they end', async () => {
    const [a, b] = await poolsOf(2)
    const open: (() => void)[] = []
    let most = 0
    const streams: Stream[] = []
    await service(a, 'slow', {
      call: async () => {
        const end = new Promise<void>((resolve) => open.push(resolve))
        most = Math.max(most, open.length)
        await end
      },
    })
    const client = serviceClient(b)
    await expect.poll(() => client.services().length).toBe(1)
    const flood = Array.from({ length: 3 }, async () => {
      const stream = await b.open(a.self.id, '/jel-service/1.0.0')
      streams.push(stream)
      const frames = lpStream(stream, { maxDataLength: 2e6 })
      for (let call = 0; call < 16; call++) {
        await frames.write(bytesOf({ call, name: 'slow', key: 'k', input: 'x'.repeat(1_000_000) }))
      }
    })
    await expect.poll(() => most).toBeGreaterThan(8)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(most).toBeLessThan(12)
    // The server reads no more, so the rest waits here.
    expect(streams.reduce((sum, { writeBufferLength }) => sum + writeBufferLength, 0)).toBeGreaterThan(20_000_000)
    let ended = 0
    while (ended < 48) {
      for (const end of open.splice(0)) {
        end()
        ended++
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await Promise.all(flood)
  })

  it('hears no report of a member that does not have the service', async () => {
    const { b, hostile, client } = await trio()
    const heard: unknown[] = []
    client.onReapplied((report) => heard.push(report))
    const frames = lpStream(await hostile.open(b.self.id, '/jel-replica/1.0.0'))
    await frames.write(bytesOf('session'))
    await frames.write(
      Uint8Array.of(0, 0, 0, 1, ...bytesOf({ reapplied: { name: 'counter', key: 'k', operation: 1, before: [1], after: 2 } })),
    )
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(heard).toEqual([])
    expect(await client.call('counter', 1)).toBe(2)
  })
})
