import type { GridFigures } from '@jel/compute'
import type { ReadInstrument } from '@jel/jel/metrics'

/** An instrument that is read from the figures of this node's work on jobs. */
export type JobInstrument = Omit<ReadInstrument, 'read' | 'labels'> & { readonly read: (figures: GridFigures) => number }

/** The metrics of jobs at this node. Each figure is kept as a sum, so nothing is sent per task. */
export const jobInstruments: readonly JobInstrument[] = [
  gauge('jel.workers', '{worker}', 'Most tasks that run at this node at once.', ({ workers }) => workers),
  gauge('jel.workers.busy', '{worker}', 'Workers of this node that have something to do.', ({ busy }) => busy),
  gauge('jel.tasks.waiting', '{task}', 'Tasks that wait for a worker at this node.', ({ waiting }) => waiting),
  counter('jel.tasks.run', '{task}', 'Executions of tasks that ended at this node.', ({ run }) => run),
  counter(
    'jel.tasks.failed',
    '{task}',
    'Executions at this node that failed, or ended the process of their program.',
    ({ failed }) => failed,
  ),
  counter('jel.tasks.stolen', '{task}', 'Tasks that this node took from other members.', ({ stolen }) => stolen),
  counter('jel.tasks.given', '{task}', 'Tasks that this node gave to other members.', ({ given }) => given),
  gauge('jel.jobs.kept', '{job}', 'Jobs of which this node is a replica, those that ended included.', ({ kept }) => kept),
  gauge('jel.blobs.bytes', 'By', 'Bytes of programs, inputs and blobs on the disk of this node.', ({ blobBytes }) => blobBytes),
]

/** The histogram of the times of tasks. */
export const taskTimes = {
  name: 'jel.task.duration.seconds',
  kind: 'histogram',
  help: 'How long tasks kept a worker of this node busy.',
} as const

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

function gauge(name: string, unit: string, help: string, read: JobInstrument['read']): JobInstrument {
  return { name, kind: 'gauge', unit, help, read }
}

function counter(name: string, unit: string, help: string, read: JobInstrument['read']): JobInstrument {
  return { name, kind: 'counter', unit, help, read }
}
