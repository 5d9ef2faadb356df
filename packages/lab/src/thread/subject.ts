/** One process with one node. It is the measured node, in the requested thread, or its peer. */
import { joinPool, type Member } from '@jel/jel'
import { median } from '../base/quantiles.ts'
import { serve } from '../base/remote.ts'
import { until } from '../base/wait.ts'

export interface Costs {
  readonly 'start ms': number
  readonly 'memory MiB': number
  /** Time from the call to the acknowledgement by the peer's node, the median of 200. */
  readonly 'signal ms': number
  /** Throughput of a stream to the peer, which only reads. */
  readonly 'stream MiB/s': number
}

const SINK = '/sink/1.0.0'
const CHUNK = 65_536
const CHUNKS = 512
const listen = ['/ip4/127.0.0.1/tcp/0']

const subject = {
  /** Founds the pool, and reads all streams. */
  async receive(): Promise<Pick<Member, 'id' | 'addresses'>> {
    const pool = await joinPool('bench', { listen })
    await pool.handle(SINK, async (stream) => {
      for await (const chunk of stream) void chunk
      await stream.close()
    })
    const { id, addresses } = pool.self
    return { id, addresses }
  },

  async measure(thread: 'main' | 'worker', { id, addresses }: Pick<Member, 'id' | 'addresses'>): Promise<Costs> {
    const began = performance.now()
    const pool = await joinPool('bench', { thread, listen, bootstrap: addresses })
    const start = performance.now() - began
    await until(() => pool.members().some((member) => member.id === id))
    const times: number[] = []
    for (let i = 0; i < 200; i++) {
      const sent = performance.now()
      await pool.signal('ping', [id])
      times.push(performance.now() - sent)
    }
    const memory = process.memoryUsage.rss()
    const stream = await pool.open(id, SINK)
    const opened = performance.now()
    const ended = new Promise((resolve) => stream.addEventListener('close', resolve, { once: true }))
    for (let i = 0; i < CHUNKS; i++)
      if (!stream.send(new Uint8Array(CHUNK))) await new Promise((resolve) => stream.addEventListener('drain', resolve, { once: true }))
    await stream.close()
    await ended
    const seconds = (performance.now() - opened) / 1000
    await pool.leave()
    return {
      'start ms': start,
      'memory MiB': memory / 2 ** 20,
      'signal ms': median(times),
      'stream MiB/s': (CHUNK * CHUNKS) / 2 ** 20 / seconds,
    }
  },
}

export type Subject = typeof subject

serve(subject)
