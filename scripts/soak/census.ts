/** Counts what a process holds. */
import { readdirSync } from 'node:fs'
import type { Pool } from '@jel/jel'
import type { Sample } from './plan.ts'

/** Heap and buffers after a forced collection: what is still reachable, not what was not collected yet. Needs `--expose-gc`. */
export function census(pools: readonly Pool[]): Sample {
  const { gc } = globalThis
  if (gc === undefined) throw new Error('start this process with --expose-gc')
  // Twice: finalizers of the first free what the second collects.
  gc()
  gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  const active = process.getActiveResourcesInfo()
  const connections = pools.flatMap((pool) => pool.libp2p.getConnections())
  return {
    time: Date.now(),
    values: {
      heap: heapUsed,
      buffers: external,
      resident: rss,
      descriptors: readdirSync('/proc/self/fd').length,
      resources: active.length,
      timers: active.filter((kind) => kind === 'Timeout').length,
      connections: connections.length,
      streams: connections.reduce((sum, { streams }) => sum + streams.length, 0),
      members: Math.max(0, ...pools.map((pool) => pool.members().length)),
    },
  }
}
