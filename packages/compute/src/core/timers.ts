/**
 * The timers of a scheduler, in the order in which they fire. Tasks become ready first. Then
 * workers and other members get them. Reports and shared values leave last.
 */
export const timerNames = [
  'rootFailover',
  'cancellation',
  'comparison',
  'endedJobs',
  'lookups',
  'merge',
  'blame',
  'supervision',
  'replication',
  'parking',
  'workers',
  'grants',
  'stealing',
  'reports',
  'sharedSpread',
] as const

export type TimerName = (typeof timerNames)[number]

/**
 * The timers of parts that act on the state of jobs. Any input may change that state, so they all
 * fire at each input. So no part has to notify these parts.
 */
export const inputTimers: ReadonlySet<TimerName> = new Set([
  'rootFailover',
  'blame',
  'workers',
  'grants',
  'stealing',
  'reports',
  'sharedSpread',
])

/** The work of a timer. `due` runs when the timer fires. By then the timer is unset. */
export interface Timed {
  due(): void
}
