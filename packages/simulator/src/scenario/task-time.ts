/** The times of tasks. */
import type { Sessions } from './population.ts'
import { amount, durationRange, span, type DurationRange } from './quantity.ts'
import { about, choice, mapping, parsed, show, Unfit, type Schema } from './schema-kit.ts'

/**
 * The time of a task at speed 1. Each task has a draw of its own. The draw does not depend on the
 * member that runs the task.
 */
export type TaskTime = ({ readonly type: 'range' } & DurationRange) | Sessions['length']

const range = parsed(durationRange, (limits): TaskTime => ({ type: 'range', ...limits }))
const forms = {
  exponential: parsed(mapping({ exponential: about(span, 'mean') }), ({ exponential }): TaskTime => ({
    type: 'exponential',
    mean: exponential,
  })),
  pareto: parsed(mapping({ pareto: mapping({ min: span, shape: amount(0.1) }) }), ({ pareto }): TaskTime => ({
    type: 'pareto',
    ...pareto,
  })),
  constant: parsed(mapping({ constant: span }), ({ constant }): TaskTime => ({ type: 'constant', length: constant })),
}

/**
 * `{ exponential: 50ms }`, `{ pareto: { min: 20ms, shape: 2 } }`, `{ constant: 50ms }`,
 * `10ms..90ms`.
 */
export const taskTime: Schema<TaskTime> = choice<TaskTime>([range, ...Object.values(forms)], (value) => {
  if (typeof value !== 'object' || value === null) return range
  const key = Object.keys(forms).find((each) => each in value) as keyof typeof forms | undefined
  return key === undefined
    ? new Unfit(
        `expected { exponential: 50ms }, { pareto: { min: 20ms, shape: 2 } }, { constant: 50ms } or a range such as 10ms..90ms, not ${show(value)}`,
      )
    : forms[key]
})
