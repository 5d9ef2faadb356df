import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import type { OverlayOptions } from '@jel/overlay'
import { WorkerError } from '../errors.ts'
import { fromFault } from './faults.ts'
import { lastReports, type Report, type Request, type WorkerData } from './messages.ts'
import { RemoteOverlay } from './remote-overlay.ts'

/**
 * Node's flags that select the program of the main thread. A worker has a file of its own. For some
 * flags the value is the next argument.
 */
const OF_MAIN = /^(-e|-p|-pe|-c|-i|--eval|--print|--check|--interactive|--input-type|--test|--watch)(=|$)/u
const WITH_VALUE = /^(-e|-p|-pe|--eval|--print|--input-type)$/u

/** Starts an overlay in a worker thread. Rejects as `startOverlay` does, or with WorkerError. */
export async function startRemoteOverlay({ signal, onWarning, ...options }: OverlayOptions): Promise<RemoteOverlay> {
  signal?.throwIfAborted()
  const { port1: port, port2 } = new MessageChannel()
  const worker = startWorker({ port: port2, options })
  const abort = (): void => port.postMessage({ type: 'abort', id: 0 } satisfies Request)
  signal?.addEventListener('abort', abort)
  try {
    return await entered(worker, port, onWarning)
  } catch (error) {
    port.close()
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

function startWorker(workerData: WorkerData): Worker {
  try {
    // Finds the file by the package's own name, since the sources and the published package have
    // different files.
    const entry = new URL(import.meta.resolve('@jel/jel/worker'))
    const start = (flags: { readonly execArgv?: string[] }): Worker =>
      new Worker(entry, { workerData, transferList: [workerData.port], name: 'jel', ...flags })
    // A worker may inherit flags of the whole process. `execArgv` may not contain such flags.
    if (!process.execArgv.some((flag) => OF_MAIN.test(flag))) return start({})
    const execArgv = process.execArgv.filter((flag, i, all) => !OF_MAIN.test(flag) && !WITH_VALUE.test(all[i - 1] ?? ''))
    try {
      return start({ execArgv })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_INVALID_EXEC_ARGV')) throw error
      // Only the error tells which flags a worker can't take.
      return start({ execArgv: execArgv.filter((flag) => !error.message.includes(flag.split('=')[0] ?? flag)) })
    }
  } catch (cause) {
    throw new WorkerError(`can't start a worker thread for the pool: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

async function entered(worker: Worker, port: MessagePort, onWarning: OverlayOptions['onWarning']): Promise<RemoteOverlay> {
  const { promise, resolve, reject } = Promise.withResolvers<RemoteOverlay>()
  const onReport = (report: Report): void => {
    if (report.type === 'warning') onWarning?.(report.warning)
    else if (report.type === 'entered') resolve(new RemoteOverlay(worker, port, report.pool, report.snapshot))
    else if (report.type === 'closed') reject(report.fault === undefined ? new WorkerError('the pool was left') : fromFault(report.fault))
  }
  const onError = (cause: Error): void => reject(new WorkerError(`the thread of the pool has failed: ${cause.message}`, { cause }))
  const onExit = (code: number): void => {
    for (const report of lastReports(port)) onReport(report)
    reject(new WorkerError(`the thread of the pool has ended with exit code ${code}`))
  }
  port.on('message', onReport)
  worker.once('error', onError)
  worker.once('exit', onExit)
  try {
    return await promise
  } finally {
    port.off('message', onReport)
    worker.off('error', onError)
    worker.off('exit', onExit)
  }
}
