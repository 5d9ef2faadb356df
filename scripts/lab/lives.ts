/** Lives of members, as told by the others. */
import type { Report } from './pool.ts'

/**
 * Lives that ended although nothing had been done to their processes until then, whatever was done to the network around them: each as `id incarnation`.
 * A life ended if anybody told so, or told of a later life of the same node.
 */
export function endedLives(reports: readonly Omit<Report, 'by'>[], haltedAt: (id: string) => number): string[] {
  const ended = new Set<string>()
  const begun = new Map<string, Set<number>>()
  for (const { event, about, incarnation, time } of reports) {
    if (time >= haltedAt(about)) continue
    if (event === 'died' || event === 'left') ended.add(`${about} ${incarnation}`)
    if (event === 'joined') begun.set(about, (begun.get(about) ?? new Set()).add(incarnation))
  }
  for (const [about, lives] of begun) {
    const last = Math.max(...lives)
    for (const life of lives) if (life < last) ended.add(`${about} ${life}`)
  }
  return [...ended]
}
