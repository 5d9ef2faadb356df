import { EventEmitter } from 'node:events'
import type { MessagePort } from 'node:worker_threads'
import type { Report } from '../src/thread/messages.ts'
import { RemoteOverlay, type Thread } from '../src/thread/remote-overlay.ts'

/** Does the same as `startRemoteOverlay`, without a thread. */
export async function enterByPort(port: MessagePort): Promise<RemoteOverlay> {
  const thread = Object.assign(new EventEmitter(), { terminate: () => Promise.resolve(0) }) as unknown as Thread
  return await new Promise((resolve) => {
    port.once('message', (report: Report) => {
      if (report.type === 'entered') resolve(new RemoteOverlay(thread, port, report.pool, report.snapshot))
    })
  })
}
