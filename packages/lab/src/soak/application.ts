/** One node with an application that uses all features of the facade. */
import { Pool } from '@jel/jel'
import { startOverlay } from '@jel/overlay'
import { CONFIG } from './plan.ts'

const ECHO = '/soak/echo/1.0.0'
const MESSAGE = new Uint8Array(4096).fill(7)
/**
 * Longest time that an action may take, ms. The node aborts a slower action. An abort must not
 * leave anything behind either.
 */
const TIMEOUT = 8000

export async function enter(pool: string, bootstrap: readonly string[]): Promise<Pool> {
  const overlay = await startOverlay({
    pool,
    bootstrap,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    mdns: false,
    location: 'soak',
    config: CONFIG,
  })
  const one = new Pool(overlay, { joins: 'unreliable', elections: 'non-uniform' })
  void read(one)
  await one.handle(ECHO, async (stream) => {
    for await (const chunk of stream) {
      if (!stream.send(chunk)) await stream.onDrain()
    }
    await stream.close()
  })
  return one
}

async function read(one: Pool): Promise<void> {
  // The loop only has to read the events.
  for await (const change of one.changes()) void change
}

/**
 * Does one action after the other. Rejects if one fails, because the other node may have ended a
 * moment ago.
 */
export async function act(one: Pool): Promise<void> {
  const others = one.members().filter(({ id }) => id !== one.self.id)
  const other = others[Math.floor(Math.random() * others.length)]
  if (other === undefined) return
  const signal = AbortSignal.timeout(TIMEOUT)
  const stream = await one.open(other, ECHO, { signal })
  const abort = (): void => stream.abort(signal.reason as Error)
  signal.addEventListener('abort', abort)
  try {
    stream.send(MESSAGE)
    let missing = MESSAGE.length
    for await (const chunk of stream) {
      missing -= chunk.byteLength
      if (missing <= 0) break
    }
    await stream.close({ signal })
  } finally {
    signal.removeEventListener('abort', abort)
  }
  await one.signal('soak', [other], { signal })
  one.maybeDead(other)
  await one.elect('master', { signal })
  one.withdraw('master')
}
