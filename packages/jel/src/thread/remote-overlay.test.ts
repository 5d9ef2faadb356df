import { EventEmitter } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { afterEach, expect, it } from 'vitest'
import { WorkerError } from '../errors.ts'
import { toFault } from './faults.ts'
import type { Report, Snapshot } from './messages.ts'
import { RemoteOverlay, type Thread } from './remote-overlay.ts'

const { port1, port2 } = new MessageChannel()

afterEach(() => port2.close())

it('a thread that ends before its last report has come is not taken for one that failed', async () => {
  const thread = new EventEmitter()
  const overlay = new RemoteOverlay(thread as unknown as Thread, port1, 'test', {
    members: [],
    reigns: [],
    records: [],
  } as unknown as Snapshot)
  port2.postMessage({ type: 'closed', fault: toFault(new RangeError('no such address')) } satisfies Report)
  thread.emit('exit', 0)
  const closed = await overlay.closed
  expect(closed).toMatchObject({ reason: 'failed', error: { message: 'no such address' } })
  expect(closed).not.toMatchObject({ error: expect.any(WorkerError) as unknown })
})
