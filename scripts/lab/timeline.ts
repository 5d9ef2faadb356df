/** A scenario's actions as single steps, each at its time. */
import type { Action, Scenario } from '@jel/simulator'

export interface Step {
  /** From the start of the scenario, ms. */
  readonly at: number
  readonly action: Action
  /** Steps of one action that undo each other have the same key. */
  readonly key: string
  readonly phase: 'begin' | 'end'
}

export function timelineOf({ actions, duration }: Pick<Scenario, 'actions' | 'duration'>): Step[] {
  const steps = actions.flatMap((action, index) =>
    beginnings(action, duration).flatMap((at, turn) => stepsOf(action, at, `${index}.${turn}`)),
  )
  return steps.filter(({ at }) => at <= duration).toSorted((a, b) => a.at - b.at)
}

function beginnings({ at, every, until = Infinity }: Action, duration: number): number[] {
  if (every === undefined) return [at]
  const last = Math.min(until, duration)
  return Array.from({ length: Math.max(1, Math.floor((last - at) / every) + 1) }, (_, turn) => at + turn * every)
}

function stepsOf(action: Action, at: number, key: string): Step[] {
  if (action.type === 'flap') {
    const cycles = Math.ceil(action.for / (2 * action.period))
    return Array.from({ length: cycles }, (_, cycle) => {
      const down = at + cycle * 2 * action.period
      const up = Math.min(down + action.period, at + action.for)
      return during(action, down, up, `${key}.${cycle}`)
    }).flat()
  }
  if (action.type === 'join') {
    const pause = action.over / action.count
    return Array.from({ length: action.count }, (_, index) => ({ at: at + index * pause, action, key: `${key}.${index}`, phase: 'begin' }))
  }
  const end = 'for' in action && action.for !== undefined ? at + action.for : undefined
  return end === undefined ? [{ at, action, key, phase: 'begin' }] : during(action, at, end, key)
}

function during(action: Action, from: number, to: number, key: string): Step[] {
  return [
    { at: from, action, key, phase: 'begin' },
    { at: to, action, key, phase: 'end' },
  ]
}
