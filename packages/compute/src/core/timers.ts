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
  'timeLimits',
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
 * The timers of parts that act on what many other parts change: ready tasks, free workers, votes,
 * claims, news and shared values. All of them fire after each input. The alternative is a call at
 * each place that changes such a state. A forgotten call would let a task or a report wait for the
 * next timer. A look after each input costs little, since these parts look only at attended jobs.
 */
export const inputTimers: ReadonlySet<TimerName> = new Set([
  'rootFailover',
  'blame',
  'timeLimits',
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
