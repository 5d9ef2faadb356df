/** Counts the resources of a process. */
import { readdirSync } from 'node:fs'
import { getHeapCodeStatistics } from 'node:v8'
import type { Pool } from '@jel/jel'
import { collectGarbage } from '../base/garbage.ts'
import type { Sample } from './plan.ts'

/**
 * Takes a sample of this process and its pools. A forced collection comes first, so that heap and
 * buffers contain only reachable memory. Needs `--expose-gc`.
 *
 * The engine's compiled code is a part of the heap, but the sample counts it separately. For hours
 * the engine compiles functions that run often, and discards unused code.
 */
export function takeSample(pools: readonly Pool[]): Sample {
  collectGarbage()
  const { heapUsed, external, rss } = process.memoryUsage()
  const { code_and_metadata_size: machineCode, bytecode_and_metadata_size: bytecode } = getHeapCodeStatistics()
  const code = machineCode + bytecode
  const active = process.getActiveResourcesInfo()
  const connections = pools.flatMap((pool) => pool.libp2p.getConnections())
  return {
    time: Date.now(),
    values: {
      heap: heapUsed - code,
      code,
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
