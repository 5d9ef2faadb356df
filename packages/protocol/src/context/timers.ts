/**
 * The timers of a node, in the order in which they fire. Failure detection goes first, so that the
 * other parts act on its findings. It gathers its messages to peers, and sends them after its other
 * work.
 */
export const timerNames = [
  'health',
  'probe',
  'suspicion',
  'indirectProbe',
  'helper',
  'refutation',
  'disputedDeath',
  'detectionBatch',
  'introduction',
  'redirection',
  'reconciliation',
  'broadcast',
  'lazyPush',
  'links',
  'healing',
  'election',
  'signal',
  'record',
  'unknownStatement',
  'tombstone',
] as const

export type TimerName = (typeof timerNames)[number]

/** The work of a timer. It runs when the timer fires. The timer then has no due time. */
export interface Timed {
  due(): void
}
