/** One process: a node in the requested thread, and a peer in the main thread of a child. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { joinPool } from '@jel/jel'

export interface Costs {
  readonly 'start ms': number
  readonly 'memory MiB': number
  /** From the call to the acknowledgement by the peer's node. Median of 200. */
  readonly 'signal ms': number
  /** To the peer, which only counts. */
  readonly 'stream MiB/s': number
}

const SINK = '/sink/1.0.0'
const CHUNK = 65_536
const CHUNKS = 512
const listen = ['/ip4/127.0.0.1/tcp/0']

async function serve(): Promise<void> {
  const pool = await joinPool('bench', { listen })
  await pool.handle(SINK, async (stream) => {
    for await (const chunk of stream) void chunk
    await stream.close()
  })
  process.send?.(pool.self)
  await once(process, 'disconnect')
  process.exit()
}

async function measure(thread: 'main' | 'worker'): Promise<Costs> {
  const child = fork(fileURLToPath(import.meta.url), ['serve'])
  const [peer] = (await once(child, 'message')) as [{ id: string; addresses: string[] }]
  const began = performance.now()
  const pool = await joinPool('bench', { thread, listen, bootstrap: peer.addresses })
  const start = performance.now() - began
  while (!pool.members().some(({ id }) => id === peer.id)) await new Promise((resolve) => setTimeout(resolve, 20))
  const times: number[] = []
  for (let i = 0; i < 200; i++) {
    const sent = performance.now()
    await pool.signal('ping', [peer.id])
    times.push(performance.now() - sent)
  }
  const memory = process.memoryUsage.rss()
  const stream = await pool.open(peer.id, SINK)
  const opened = performance.now()
  const ended = new Promise((resolve) => stream.addEventListener('close', resolve, { once: true }))
  for (let i = 0; i < CHUNKS; i++)
    if (!stream.send(new Uint8Array(CHUNK))) await new Promise((resolve) => stream.addEventListener('drain', resolve, { once: true }))
  await stream.close()
  await ended
  const seconds = (performance.now() - opened) / 1000
  await pool.leave()
  child.kill()
  return {
    'start ms': start,
    'memory MiB': memory / 2 ** 20,
    'signal ms': times.sort((a, b) => a - b)[100] ?? Number.NaN,
    'stream MiB/s': (CHUNK * CHUNKS) / 2 ** 20 / seconds,
  }
}

const [, , asked] = process.argv
if (asked === 'serve') await serve()
else console.log(JSON.stringify(await measure(asked === 'worker' ? 'worker' : 'main')))
