import type { Traffic } from '../network/traffic.ts'
import type { NodeBytes } from './result.ts'

/** Bytes that one node received, with everything that carries them. */
export function received(traffic: Traffic): number {
  return traffic.bytesReceived
}

/** What nodes sent or received: the mean, the worst, and what it was for. */
export function nodeBytes(all: readonly Traffic[], way: 'sent' | 'received'): NodeBytes {
  const bytes = all.map((traffic) => (way === 'sent' ? traffic.bytesSent : traffic.bytesReceived))
  return { mean: bytes.reduce((sum, each) => sum + each, 0) / Math.max(1, all.length), worst: Math.max(0, ...bytes), byPurpose: {} }
}
