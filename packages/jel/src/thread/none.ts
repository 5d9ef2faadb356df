import type { Overlay } from '@jel/overlay'
import { WorkerError } from '../errors.ts'

/** A page has no threads of Node. It may join in a SharedWorker instead. */
export async function startRemoteOverlay(): Promise<Overlay> {
  return await Promise.reject(new WorkerError('thread: a page has no threads of Node; join in a worker of the page instead'))
}
