import type { GridFigures } from '@jel/compute'

/** A line of a histogram in the text format of Prometheus. */
interface Sample {
  readonly metricName: string
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
}

/** Returns the lines of the histogram of task times. Without figures there were no tasks. */
export function timeSamples(name: string, { times, ran }: Pick<GridFigures, 'times' | 'ran'> = { times: [], ran: 0 }): Sample[] {
  let count = 0
  const buckets = times.map(({ upTo, count: more }): Sample => {
    count += more
    return { metricName: `${name}_bucket`, labels: { le: upTo === Infinity ? '+Inf' : upTo / 1000 }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: {}, value: ran / 1000 },
    { metricName: `${name}_count`, labels: {}, value: count },
  ]
}
