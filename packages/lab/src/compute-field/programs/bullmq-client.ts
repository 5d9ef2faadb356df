/** A producer of BullMQ. It counts the events of completed tasks. */
import { serve } from '../../base/remote.ts'
import { until } from '../../base/wait.ts'
import { clientOf, type Client, type Job, type Submitted } from './client.ts'
import { load } from './packages.ts'
import { connectionTo, QUEUE, type BullMQ, type QueueEvents } from './bullmq.ts'

/** Number of tasks to add at once. A guess: larger numbers gain nothing. */
const BULK = 1000

export interface BullmqClient extends Client {
  enter(port: number): Promise<void>
  /** Resolves when workers have completed this number of tasks, of any producer. */
  outlived(tasks: number): Promise<void>
}

let queue: InstanceType<BullMQ['Queue']>
let events: QueueEvents
/** Called with the value of each completed task. */
let completed: (value: number) => void
let failed: (error: Error) => void

const client: BullmqClient = {
  async enter(port) {
    const { Queue, QueueEvents } = load('bullmq') as BullMQ
    queue = new Queue(QUEUE, connectionTo(port))
    events = new QueueEvents(QUEUE, connectionTo(port))
    events.on('completed', ({ returnvalue }) => completed?.(Number(returnvalue)))
    events.on('failed', ({ failedReason }) => failed?.(new Error(failedReason)))
    // Both emit errors when redis is gone, which is part of the experiment.
    for (const each of [queue, events]) each.on('error', () => {})
    await events.waitUntilReady()
  },
  ...clientOf(submit, async (number) => await (await queue.add('one', { number, ms: 0, busy: false })).waitUntilFinished(events)),
  async outlived(tasks) {
    await until(async () => (await queue.getCompletedCount()) >= tasks)
  },
}
serve(client)

function submit({ tasks, ...each }: Job): Submitted {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const seen = new Set<number>()
  let sum = 0
  failed = reject
  completed = (value) => {
    if (!seen.has(value)) sum += value
    seen.add(value)
    if (seen.size >= tasks) resolve(sum)
  }
  const jobs = Array.from({ length: tasks }, (_, number) => ({ name: 'one', data: { ...each, number } }))
  const add = async (): Promise<void> => {
    for (let from = 0; from < tasks; from += BULK) await queue.addBulk(jobs.slice(from, from + BULK))
  }
  add().catch(reject)
  return { result: promise, log: each.log }
}
