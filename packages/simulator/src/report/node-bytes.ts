import { trafficClasses, type Traffic } from '../network/traffic.ts'
import type { NodeBytes } from './result.ts'

/**
 * Returns the bytes that nodes sent or received, with all overhead: the mean, the maximum, and the
 * mean by class.
 */
export function nodeBytes(all: readonly Traffic[], way: 'sent' | 'received'): NodeBytes {
  const bytes = all.map((traffic) => traffic[way].bytes)
  const count = Math.max(1, all.length)
  const byPurpose = trafficClasses.map(
    (trafficClass) => [trafficClass, all.reduce((sum, traffic) => sum + traffic[way].of(trafficClass).bytes, 0) / count] as const,
  )
  return {
    mean: bytes.reduce((sum, each) => sum + each, 0) / count,
    worst: Math.max(0, ...bytes),
    byPurpose: Object.fromEntries(byPurpose.filter(([, mean]) => mean > 0)),
  }
}
