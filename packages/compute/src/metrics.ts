/**
 * The metrics of a member's work on jobs. `observeGrid` of `@jel/compute/opentelemetry` registers
 * them with OpenTelemetry. This module has the definitions for other exporters.
 *
 * @packageDocumentation
 */
import type { ReadInstrument } from '@jel/jel/metrics'
import { TIME_BOUNDS } from './core/task-counts.ts'
import type { GridFigures } from './grid.ts'

/** An instrument that is read from the figures of a grid. */
export type GridInstrument = Omit<ReadInstrument, 'read' | 'labels'> & { readonly read: (figures: GridFigures) => number }

/** All metrics of a grid but the times of tasks, defined once for Prometheus and OpenTelemetry. */
export const gridInstruments: readonly GridInstrument[] = [
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
  gauge('jel.blobs', 'By', 'Bytes of programs, inputs and blobs on the disk of this node.', ({ blobBytes }) => blobBytes),
]

/** The histogram of the times of tasks. `buckets`: their upper bounds, in seconds. */
export const taskTimes = {
  name: 'jel.task.duration',
  kind: 'histogram',
  unit: 's',
  help: 'How long tasks kept a worker of this node busy.',
  buckets: TIME_BOUNDS.map((bound) => bound / 1000),
} as const

function gauge(name: string, unit: string, help: string, read: GridInstrument['read']): GridInstrument {
  return { name, kind: 'gauge', unit, help, read }
}

function counter(name: string, unit: string, help: string, read: GridInstrument['read']): GridInstrument {
  return { name, kind: 'counter', unit, help, read }
}
