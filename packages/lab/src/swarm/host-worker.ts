/**
 * One process with many hosts. It is a child of an experiment, which calls it over the IPC channel.
 */
import { startOverlay, type Overlay } from '@jel/overlay'
import { serve } from '../base/remote.ts'
import { Sightings, type Question } from './sightings.ts'
import { Meter } from './meter.ts'
import type { Lifetime } from './measured-swarm.ts'
import { SocketBytes } from './socket-bytes.ts'
import type { Tally } from './tally.ts'

export interface StartedHost extends Pick<Lifetime, 'called' | 'entered'> {
  readonly id: string
  readonly address: string
}

const now = (): number => performance.timeOrigin + performance.now()
const hosts = new Map<string, Overlay>()
const sightings = new Sightings()
const bytes = new SocketBytes()
let meter: Meter | undefined

function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const loaded = processorTime()

async function start(pool: string, bootstrap: string[]): Promise<StartedHost> {
  const called = now()
  const host = await startOverlay({ pool, bootstrap, listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, location: 'lab' })
  const entered = now()
  const { id, addresses } = host.self
  for (const member of host.members()) sightings.record(id, 'joined', member.id, entered)
  host.subscribe((notification) => {
    if (notification.type === 'joined' || notification.type === 'left' || notification.type === 'died') {
      sightings.record(id, notification.type, notification.member.id, now())
    }
  })
  hosts.set(id, host)
  return { id, address: addresses[0] ?? '', called, entered }
}

const worker = {
  /** Starts counting. Call it before the first host starts. */
  count: () => {
    meter ??= new Meter()
  },
  start,
  until: async (question: Question, timeout: number) => [
    ...(await sightings.until({ ...question, observers: question.observers.filter((id) => hosts.has(id)) }, timeout)),
  ],
  /** Returns the times at which hosts of this process received this event about the subject. */
  sightings: (type: string, subject: string) => sightings.timesOf(type, subject),
  /** Returns the counts. Processor time counts from the load of the code. */
  tally: (): Tally => {
    const { frames = 0, frameBytes = 0, published = 0, links = 0 } = meter ?? {}
    return { frames, frameBytes, published, links, streamBytes: bytes.written(), processor: processorTime() - loaded }
  },
  unexpectedDeaths: () => sightings.unexpected('died', new Set()),
  repeats: () => sightings.repeats,
  socketBytes: () => bytes.written(),
  links: () => [...hosts.values()].map((host) => host.health().links),
  async leave(id: string) {
    const host = hosts.get(id)
    if (host === undefined) throw new Error(`no host ${id} here`)
    hosts.delete(id)
    const called = now()
    await host.leave()
    return called
  },
  async stop() {
    await Promise.all([...hosts.values()].map((host) => host.leave()))
    process.disconnect()
  },
}

export type HostWorker = typeof worker

serve(worker)
