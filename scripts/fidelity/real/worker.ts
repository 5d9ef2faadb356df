/** One process full of real hosts over TCP. */
import { startOverlay, type Overlay } from '@jel/overlay'
import { SocketBytes } from '../../bench-pool/sockets.ts'
import { serve } from '../../driver/remote.ts'
import { Meter } from '../meter.ts'
import type { Started, Tally } from '../swarm.ts'

interface Host {
  readonly overlay: Overlay
  readonly news: Map<string, number>
}

const meter = new Meter()
const sockets = new SocketBytes()
const hosts = new Map<string, Host>()
const now = (): number => performance.timeOrigin + performance.now()

const processorTime = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
/** To load all the code takes time as well, and is not what is measured. */
const started = processorTime()

const worker = {
  async start(pool: string, bootstrap: string[]): Promise<Started & { readonly address: string }> {
    const called = now()
    const overlay = await startOverlay({ pool, bootstrap, listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, location: 'fidelity' })
    const entered = now()
    const news = new Map<string, number>()
    const { id, addresses } = overlay.self
    overlay.subscribe((notification) => {
      if (notification.type === 'joined' || notification.type === 'left' || notification.type === 'died')
        news.set(`${notification.type} ${notification.member.id}`, now())
    })
    hosts.set(id, { overlay, news })
    return { id, called, entered, address: addresses[0] ?? '' }
  },

  async leave(id: string): Promise<number> {
    const host = hosts.get(id)
    if (host === undefined) throw new Error(`no host ${id} here`)
    hosts.delete(id)
    const called = now()
    await host.overlay.leave()
    return called
  },

  sightings: (type: string, subject: string): number[] => [...hosts.values()].flatMap(({ news }) => news.get(`${type} ${subject}`) ?? []),

  tally: (): Tally => ({
    frames: meter.frames,
    frameBytes: meter.frameBytes,
    published: meter.published,
    links: meter.links,
    streamBytes: sockets.written(),
    processor: processorTime() - started,
  }),

  async stop(): Promise<void> {
    await Promise.all([...hosts.values()].map(({ overlay }) => overlay.leave()))
    process.disconnect()
  },
}

export type Worker = typeof worker

serve(worker)
