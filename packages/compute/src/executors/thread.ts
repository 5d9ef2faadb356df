/**
 * The thread of a program. Not to be imported: `startThread` starts it.
 *
 * @module
 */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { hostProgram } from './host-program.ts'
import type { ToProgram } from './messages.ts'

const port = parentPort as MessagePort
const { program } = workerData as { program: string }

const handle = await hostProgram(
  () => import(program) as Promise<Record<string, unknown>>,
  (messages) => port.postMessage(messages),
)
if (handle !== undefined) port.on('message', (messages: readonly ToProgram[]) => handle(messages))
