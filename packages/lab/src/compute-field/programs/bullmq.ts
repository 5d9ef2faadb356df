/** The part of BullMQ's interface that this experiment uses. */
import type { Work } from './work.ts'

interface Connected {
  readonly connection: { readonly host: string; readonly port: number }
}

export interface QueuedJob {
  readonly data: Work
  waitUntilFinished(events: QueueEvents): Promise<number>
}

export interface QueueEvents {
  waitUntilReady(): Promise<unknown>
  on(event: 'completed', listener: (args: { readonly jobId: string; readonly returnvalue: unknown }) => void): void
  on(event: 'failed', listener: (args: { readonly failedReason: string }) => void): void
  on(event: 'error', listener: () => void): void
}

interface Queue {
  on(event: 'error', listener: () => void): void
  add(name: string, data: Work): Promise<QueuedJob>
  addBulk(jobs: readonly { readonly name: string; readonly data: Work }[]): Promise<unknown>
  getCompletedCount(): Promise<number>
}

/** Times of a worker, ms. */
export interface WorkerTimes {
  /**
   * A job counts as stalled if its worker has not renewed the lock for this time. BullMQ's default:
   * 30 s.
   */
  readonly lockDuration?: number
  /** Interval between BullMQ's checks for stalled jobs. BullMQ's default: 30 s. */
  readonly stalledInterval?: number
}

export interface BullMQ {
  readonly Queue: new (name: string, options: Connected) => Queue
  readonly QueueEvents: new (name: string, options: Connected) => QueueEvents
  readonly Worker: new (
    name: string,
    processor: (job: QueuedJob) => Promise<number>,
    options: Connected & WorkerTimes,
  ) => { waitUntilReady(): Promise<unknown>; on(event: 'error', listener: () => void): void }
}

export const QUEUE = 'course'

export function connectionTo(port: number): Connected {
  return { connection: { host: '127.0.0.1', port } }
}
