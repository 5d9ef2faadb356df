import { prometheusName } from '@jel/jel/metrics'
import { expect, it } from 'vitest'
import { jobInstruments, timeSamples } from './job-instruments.ts'

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

it('every metric of jobs has a name of its own', () => {
  const names = jobInstruments.map(prometheusName)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^jel(?:_[a-z]+)+$/u)
})
