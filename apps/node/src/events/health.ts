import type { HealthJson } from './events.ts'

/** Returns whether a node reaches nobody, or only a minority. */
export function isCutOff({ minority, alone, members }: Pick<HealthJson, 'minority' | 'alone' | 'members'>): boolean {
  return minority || (alone && members > 1)
}

/** Returns how well a node is connected. A pool of one is well. */
export function healthLevel(health: Pick<HealthJson, 'minority' | 'alone' | 'members' | 'suspectedShare'>): 'good' | 'warn' | 'bad' {
  if (isCutOff(health)) return 'bad'
  return health.suspectedShare > 0 ? 'warn' : 'good'
}
