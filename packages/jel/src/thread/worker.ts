/**
 * The thread of a pool with `thread: 'worker'`. Don't import it: `joinPool` starts it.
 *
 * @module
 */
import { workerData } from 'node:worker_threads'
import { startOverlay, type EarlyWarning } from '@jel/overlay'
import { toFault } from './faults.ts'
import type { WorkerData, Report, Request } from './messages.ts'
import { OverlayServer } from './overlay-server.ts'

// Node cuts small buffers from blocks of this size, bytes. Its default may be 64 KiB. The peer id
// of each connection keeps a whole block in memory.
Buffer.poolSize = 8192

const { port, options } = workerData as WorkerData
const starting = new AbortController()

function abort(request: Request): void {
  if (request.type === 'abort') starting.abort()
}

port.on('message', abort)
try {
  const onWarning = (warning: EarlyWarning): void => port.postMessage({ type: 'warning', warning } satisfies Report)
  const overlay = await startOverlay({ ...options, onWarning, signal: starting.signal })
  port.off('message', abort)
  void new OverlayServer(overlay, port)
} catch (error) {
  port.postMessage({ type: 'closed', fault: toFault(error) } satisfies Report)
  port.close()
}
