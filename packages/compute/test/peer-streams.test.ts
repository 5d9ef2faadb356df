import { setTimeout as sleep } from 'node:timers/promises'
import type { Stream } from '@libp2p/interface'
import { encode } from 'it-length-prefixed'
import { describe, expect, it } from 'vitest'
import { toBytes } from '../src/schemas.ts'
import { PeerBudget } from '../src/shell/peer-budget.ts'
import { PeerStreams } from '../src/shell/peer-streams.ts'
import { collectGarbage } from './garbage.ts'
import { testPool } from './test-pool.ts'

const test = testPool()

/** MiB of all buffers of this process. */
function buffers(): number {
  collectGarbage()
  collectGarbage()
  return process.memoryUsage().arrayBuffers / 2 ** 20
}

/** A message of 5 MiB. */
function large(): Uint8Array {
  const entries = Array.from({ length: 5 }, (_, number) => ({
    path: String(number).padStart(10, 'a'),
    outcome: { value: new Uint8Array(2 ** 20) },
    shared: new Map(),
  }))
  const message = toBytes({ type: 'result', job: 'nobody knows it', entries })
  return encode.single(message, { maxDataLength: message.length }).subarray()
}

it('a peer that sends bytes which are no frames is named, and loses its stream', async () => {
  const [victim, peer] = [await test.join(), await test.join()]
  await expect.poll(() => [victim, peer].map((pool) => pool.members().length)).toEqual([2, 2])
  const reasons: string[] = []
  const streams = new PeerStreams(victim, new PeerBudget(), {
    onMessage: () => expect.fail('it is no message'),
    onUnreached: () => {},
    onNonsense: (_, reason) => reasons.push(reason),
  })
  await streams.start()
  try {
    const stream = await peer.open(victim.self.id, '/jel-compute/1.0.0')
    stream.send(new Uint8Array(16).fill(255))
    await expect.poll(() => reasons).toEqual([expect.stringMatching(/./u)])
    await expect.poll(() => stream.status).not.toBe('open')
  } finally {
    await streams.close()
  }
})

describe('a member without credit', () => {
  it('waits with each new stream, and keeps no message of a closed stream in memory', async () => {
    const [victim, peer] = [await test.join(), await test.join()]
    await expect.poll(() => [victim, peer].map((pool) => pool.members().length)).toEqual([2, 2])
    const budget = new PeerBudget()
    let handled = 0
    const streams = new PeerStreams(victim, budget, {
      onMessage: (from) => {
        handled++
        budget.charge(from, 10_000, 0, performance.now())
      },
      onUnreached: () => {},
      onNonsense: (_, reason) => expect.fail(reason),
    })
    await streams.start()
    try {
      const message = large()
      const send = async (): Promise<Stream> => {
        const stream = await peer.open(victim.self.id, '/jel-compute/1.0.0')
        stream.send(message)
        return stream
      }
      const before = buffers()
      const first = await send()
      await expect.poll(() => handled).toBe(1)
      first.abort(new Error('never mind'))
      // The stream of the sender keeps one copy.
      await expect.poll(() => buffers() - before, { timeout: 5000 }).toBeLessThan(8)
      for (let stream = 0; stream < 6; stream++) {
        await send()
        await sleep(100)
      }
      expect(handled).toBe(1)
    } finally {
      await streams.close()
    }
  })
})
