/** A process with an application that blocks its thread on request. */
import { joinPool, type Pool } from '@jel/jel'
import { serve } from '../base/remote.ts'

/** One event of an application. */
export interface Seen {
  readonly type: string
  /** `id/incarnation` of the member, or the name of the signal. */
  readonly subject: string
  /** Unix milliseconds. */
  readonly time: number
}

export interface Part {
  readonly pool: string
  readonly nodes: number
  readonly thread: 'main' | 'worker'
  readonly bootstrap: readonly string[]
}

const pools: Pool[] = []
const seen = new Map<string, Seen[]>()

function read(one: Pool): void {
  const all: Seen[] = []
  seen.set(one.self.id, all)
  one.addEventListener('signal', ({ detail }) => {
    all.push({ type: 'signal', subject: detail.name, time: Date.now() })
  })
  void (async () => {
    for await (const { type, member } of one.changes()) all.push({ type, subject: `${member.id}/${member.incarnation}`, time: Date.now() })
  })()
}

const application = {
  /**
   * Starts the nodes. Resolves with the ids, and one address of each node, when all have joined.
   */
  async join({ pool, nodes, thread, bootstrap }: Part): Promise<{ readonly ids: string[]; readonly addresses: string[] }> {
    for (let i = 0; i < nodes; i++) {
      const known = bootstrap.length > 0 ? bootstrap : (pools[0]?.self.addresses ?? [])
      pools.push(await joinPool(pool, { thread, bootstrap: known, listen: ['/ip4/127.0.0.1/tcp/0'], location: 'blocked' }))
    }
    for (const one of pools) read(one)
    return { ids: pools.map(({ self }) => self.id), addresses: pools.flatMap(({ self }) => self.addresses.slice(0, 1)) }
  },

  /** Keeps the thread busy without yielding. */
  block(ms: number): void {
    const end = performance.now() + ms
    let sum = 0
    while (performance.now() < end) sum = (sum + 1) % 1_000
  },

  /** Sends the signals `0`, `1`, … one after the other. */
  async signal(to: readonly string[], count: number): Promise<void> {
    for (let i = 0; i < count; i++) await pools[0]?.signal(`${i}`, to)
  },

  /** The events of each node of this process, in order. */
  seen: (): ReadonlyMap<string, readonly Seen[]> => seen,

  async leave(): Promise<void> {
    await Promise.all(pools.map((one) => one.leave()))
  },
}

export type Application = typeof application

serve(application)
