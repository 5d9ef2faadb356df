import type { Context } from './context.ts'
import { Dependencies } from './dependencies.ts'
import { EndedJobs } from './ended-jobs.ts'
import { Execution } from './execution.ts'
import { Grants } from './grants.ts'
import { JobEnd } from './job-end.ts'
import { LookupRequests } from './lookup-requests.ts'
import { Lookups } from './lookups.ts'
import { Blame } from './blame.ts'
import { OutcomeReader } from './outcome-reader.ts'
import { Parking } from './parking.ts'
import { PartitionMerge } from './partition-merge.ts'
import { Queue, type Tickets } from './job-queue.ts'
import { Replication } from './replication.ts'
import { Reports } from './reports.ts'
import { RootFailover } from './root-failover.ts'
import { Saves } from './saves.ts'
import { Settlement } from './settlement.ts'
import { SharedSpread } from './shared-spread.ts'
import { SpeculativeExecution } from './speculative-execution.ts'
import { Stealing } from './stealing.ts'
import { Supervision } from './supervision.ts'
import type { Timed, TimerName } from './timers.ts'
import { TimeLimits } from './time-limits.ts'
import { Victims } from './victims.ts'
import { Workers } from './workers.ts'

/** The parts of a scheduler. Each part calls only parts created before it. */
export type Parts = ReturnType<typeof createParts>

export function createParts(context: Context, workerCount: number, tickets: Tickets | undefined) {
  const queue = new Queue(context, tickets)
  const lookupRequests = new LookupRequests(context)
  const reports = new Reports(context)
  const merge = new PartitionMerge(context, lookupRequests, reports)
  const parking = new Parking(context)
  const saves = new Saves(context)
  const workers = new Workers(context, queue, merge, parking, workerCount)
  const jobEnd = new JobEnd(context, queue)
  const ended = new EndedJobs(context, jobEnd, reports)
  const settlement = new Settlement(context, workers, parking, jobEnd, ended)
  const execution = new Execution(context, queue, lookupRequests, settlement, workers)
  const replication = new Replication(context, settlement, saves)
  const lookups = new Lookups(context, lookupRequests, execution, settlement, replication, saves)
  const reader = new OutcomeReader(context)
  const blame = new Blame(context, execution, settlement, queue)
  const supervision = new Supervision(context, execution, lookupRequests, blame, saves)
  const speculation = new SpeculativeExecution(context, execution, merge)
  const victims = new Victims(context)
  const grants = new Grants(context, merge, queue, workerCount)
  const stealing = new Stealing(context, { execution, queue, merge, saves, speculation, supervision, victims, workers })
  const spread = new SharedSpread(context, victims)
  const rootFailover = new RootFailover(context, execution, new Dependencies(context, supervision, settlement))
  const timeLimits = new TimeLimits(context, settlement)
  /** The part behind each timer. */
  const timed: Readonly<Record<TimerName, Timed>> = {
    rootFailover,
    cancellation: { due: () => ended.endCancelled() },
    comparison: { due: () => ended.compare() },
    endedJobs: ended,
    lookups,
    merge,
    blame,
    supervision,
    timeLimits,
    replication,
    parking,
    workers,
    grants,
    stealing,
    reports,
    sharedSpread: spread,
  }
  return {
    queue,
    lookupRequests,
    merge,
    saves,
    workers,
    jobEnd,
    reports,
    ended,
    settlement,
    execution,
    replication,
    lookups,
    reader,
    blame,
    supervision,
    speculation,
    grants,
    stealing,
    spread,
    rootFailover,
    timed,
  }
}
