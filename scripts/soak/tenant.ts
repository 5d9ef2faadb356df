/** One node with an application that uses everything the facade offers. */
import { Pool } from '@jel/jel'
import { startOverlay } from '@jel/overlay'
import { CONFIG } from './plan.ts'

const ECHO = '/soak/echo/1.0.0'
const LETTER = new Uint8Array(4096).fill(7)
/** Longest that anything it does may take, in milliseconds; whatever is slower is aborted, which must leave nothing behind either. */
const PATIENCE = 8000

export async function moveIn(pool: string, bootstrap: readonly string[]): Promise<Pool> {
  const overlay = await startOverlay({
    pool,
    bootstrap,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    mdns: false,
    location: 'soak',
    config: CONFIG,
  })
  const tenant = new Pool(overlay, { joins: 'unreliable', elections: 'non-uniform' })
  void read(tenant)
  await tenant.handle(ECHO, async (stream) => {
    for await (const chunk of stream) {
      if (!stream.send(chunk)) await stream.onDrain()
    }
    await stream.close()
  })
  return tenant
}

async function read(tenant: Pool): Promise<void> {
  // Only that somebody reads counts.
  for await (const change of tenant.changes()) void change
}

/** Does one thing after the other, and says what did not work: the other end may have gone a moment ago. */
export async function act(tenant: Pool): Promise<void> {
  const others = tenant.members().filter(({ id }) => id !== tenant.self.id)
  const other = others[Math.floor(Math.random() * others.length)]
  if (other === undefined) return
  const signal = AbortSignal.timeout(PATIENCE)
  const stream = await tenant.open(other, ECHO, { signal })
  const abort = (): void => stream.abort(signal.reason as Error)
  signal.addEventListener('abort', abort)
  try {
    stream.send(LETTER)
    let missing = LETTER.length
    for await (const chunk of stream) {
      missing -= chunk.byteLength
      if (missing <= 0) break
    }
    await stream.close({ signal })
  } finally {
    signal.removeEventListener('abort', abort)
  }
  await tenant.signal('soak', [other], { signal })
  tenant.maybeDead(other)
  await tenant.elect('master', { signal })
  tenant.withdraw('master')
}
