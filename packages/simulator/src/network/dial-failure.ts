import type { DialFailure } from '@jel/protocol'

/** Descriptions of the failures, for people. */
export const failureReasons: Record<DialFailure, string> = {
  refused: 'connection refused',
  silent: 'no answer',
  unresponsive: 'the connection was accepted, but nothing was said on it',
  impostor: 'another node answers at this address',
  self: 'that is this node itself',
  failed: 'the dial failed',
}

const weakestFirst: readonly DialFailure[] = ['unresponsive', 'failed', 'silent', 'impostor', 'self', 'refused']

/**
 * Returns the failure that proves least about the peer. A dial reports this failure if all
 * addresses fail.
 */
export function weakest(failures: readonly DialFailure[]): DialFailure {
  return weakestFirst.find((failure) => failures.includes(failure)) ?? 'failed'
}
