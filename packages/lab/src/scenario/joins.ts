/** Nodes and attackers that a scenario's actions add. */
import type { Scenario } from '@jel/simulator'

export interface Join {
  /** ms from the start. */
  readonly at: number
  readonly site?: string
}

/** In the order of their times. */
export function joinsOf({ actions, duration }: Pick<Scenario, 'actions' | 'duration'>): Join[] {
  const joins = actions.flatMap((action) => {
    if (action.type !== 'join') return []
    const { at, every, until = duration, count, over, site } = action
    const turns = every === undefined ? 1 : Math.max(1, Math.floor((Math.min(until, duration) - at) / every) + 1)
    return Array.from({ length: turns * count }, (_, i): Join => {
      const turn = Math.floor(i / count)
      return { at: at + turn * (every ?? 0) + (over * (i % count)) / count, ...(site !== undefined && { site }) }
    })
  })
  return joins.toSorted((a, b) => a.at - b.at)
}

export function attackersOf({ actions }: Pick<Scenario, 'actions'>): number {
  return actions.reduce((sum, action) => sum + (action.type === 'hostile' ? action.count : 0), 0)
}
