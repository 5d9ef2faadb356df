/** The rows of the report. */
import type { Part } from './contender.ts'

interface RowKind {
  readonly what: string
  readonly unit: string
  /** The target for `jel`'s grid. `leastOf`: at least the median of this contender. */
  readonly target?: { readonly least: number } | { readonly most: number } | { readonly leastOf: string }
}

/** Lengths of the tasks whose efficiency is measured, ms. */
export const LENGTHS = [100, 10, 1] as const
export type Length = (typeof LENGTHS)[number]

export const ROWS = {
  inTurn: { what: 'tasks asked for one after another', unit: 'ms a task' },
  jobByJob: { what: 'jobs of one task, one after another', unit: 'ms a job' },
  rate: { what: 'tasks that do nothing', unit: 'tasks a second', target: { least: 3000 } },
  busy100: { what: 'tasks of 100 ms: at work', unit: '% of two cores', target: { leastOf: 'BullMQ' } },
  busy10: { what: 'tasks of 10 ms: at work', unit: '% of two cores', target: { least: 90 } },
  busy1: { what: 'tasks of 1 ms: at work', unit: '% of two cores', target: { least: 60 } },
  bytesTask: { what: 'tasks of 10 ms: traffic a task', unit: 'B' },
  bytesNode: { what: 'tasks of 10 ms: traffic a process', unit: 'B/s' },
  packetsNode: { what: 'tasks of 10 ms: packets a process', unit: 'a second' },
  rounds: {
    what: '8 members, 12 rounds of 40 tasks of 200 ms, 2 % of them 2 s: ideal ÷ time',
    unit: '%',
    // A guess.
    target: { least: 80 },
  },
  roundsIdeal: { what: 'the same: ideal, each round as long as its longest task', unit: 's' },
  roundsTwice: { what: 'the same: done in vain', unit: '% of tasks', target: { most: 4 } },
  many: { what: '20,000 tasks of 5 ms: from the command to the result (ideal: 50)', unit: 's' },
  manyBusy: { what: 'the same: at work', unit: '% of two cores', target: { least: 85 } },
  manyMemory: { what: 'the same: memory of a worker afterwards, its programs included', unit: 'MB', target: { most: 150 } },
  worker: { what: 'SIGKILL of a worker: beyond ideal', unit: 's', target: { most: 1 } },
  workerTuned: { what: 'the same, tuned', unit: 's' },
  holder: { what: 'SIGKILL of what holds the job: beyond ideal', unit: 's', target: { most: 1 } },
  submitter: { what: 'SIGKILL of the submitter: beyond ideal', unit: 's', target: { most: 1 } },
  workerTwice: { what: 'SIGKILL of a worker: done twice', unit: 'executions' },
  workerTunedTwice: { what: 'the same, tuned', unit: 'executions' },
  holderTwice: { what: 'SIGKILL of what holds the job: done twice', unit: 'executions' },
  submitterTwice: { what: 'SIGKILL of the submitter: done twice', unit: 'executions' },
} as const satisfies Record<string, RowKind>

export type Row = keyof typeof ROWS
export type Figures = Partial<Record<Row, number[]>>
/** Adds a value to a row. */
export type Add = (row: Row, value: number) => void

export function kindOf(row: Row): RowKind {
  return ROWS[row]
}

type KillRow = Part | 'workerTuned'

export function killRow(part: Part, tuned: boolean): KillRow {
  return tuned && part === 'worker' ? 'workerTuned' : part
}

export function twiceRow(row: KillRow): Row {
  return `${row}Twice`
}
