import { Timers } from '@jel/machine'
import { expect, it } from 'vitest'
import { defaultSchedulerConfig } from './config.ts'
import type { Context } from './context.ts'
import type { Message } from './messages.ts'
import type { Job } from './job.ts'
import { LookupRequests } from './lookup-requests.ts'
import { TaskNode } from './task-node.ts'
import { timerNames } from './timers.ts'

it('splits requests for tasks with long paths so that each fits in a message', () => {
  const requests: Extract<Message, { type: 'lookup' }>[] = []
  const context = {
    now: 0,
    self: 'self',
    config: defaultSchedulerConfig,
    timers: new Timers(timerNames),
    members: { longestRoundTrip: 0, has: () => true },
    replicas: () => ['replica'],
    send: (_: string, message: Message) => requests.push(message as (typeof requests)[0]),
  }
  const lookups = new LookupRequests(context as unknown as Context)
  const job = { id: 'job', spec: { fresh: true } } as Job
  const paths = Array.from({ length: 3000 }, (_, number) => String(number).padStart(2000, '0'))
  for (const path of paths) lookups.add(job, new TaskNode(path, undefined))
  expect([...lookups.advance()]).toEqual([])
  expect(requests.flatMap((request) => request.paths)).toEqual(paths)
  expect(Math.max(...requests.map((request) => request.paths.join('').length))).toBeLessThan(2 ** 21)
})
