import type { HealthJson } from './events.ts'

/** Returns whether a node reaches nobody, or only a minority. */
export function isCutOff({ minority, alone, members }: Pick<HealthJson, 'minority' | 'alone' | 'members'>): boolean {
  return minority || (alone && members > 1)
}

/** Returns whether a node is a pool of its own because no introducer lets it in. */
export function isOutside({ alone, introducers }: Pick<HealthJson, 'alone' | 'introducers'>): boolean {
  return alone && introducers.length > 0
}

/** Returns how well a node is connected. A founder that waits for others is well. */
export function healthLevel(
  health: Pick<HealthJson, 'minority' | 'alone' | 'members' | 'suspectedShare' | 'introducers'>,
): 'good' | 'warn' | 'bad' {
  if (isCutOff(health) || isOutside(health)) return 'bad'
  return health.suspectedShare > 0 ? 'warn' : 'good'
}
