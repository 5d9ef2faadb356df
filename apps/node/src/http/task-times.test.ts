import { expect, it } from 'vitest'
import { timeSamples } from './task-times.ts'

it('the buckets of task times are cumulative, in seconds, and end with all tasks', () => {
  const times = [
    { upTo: 5, count: 2 },
    { upTo: 1000, count: 0 },
    { upTo: Infinity, count: 1 },
  ]
  expect(timeSamples('t', { times, ran: 9000 }).map(({ metricName, labels, value }) => [metricName, labels['le'], value])).toEqual([
    ['t_bucket', 0.005, 2],
    ['t_bucket', 1, 2],
    ['t_bucket', '+Inf', 3],
    ['t_sum', undefined, 9],
    ['t_count', undefined, 3],
  ])
})
