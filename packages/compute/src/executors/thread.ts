/**
 * The thread of a program. Not to be imported: `startThread` starts it.
 *
 * @module
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { hostProgram } from './host-program.ts'
import type { ToProgram } from './messages.ts'
import { ProgramStack } from './program-stack.ts'

const port = parentPort as MessagePort
const { program } = workerData as { program: string }

const handle = await hostProgram(
  () => import(program) as Promise<Record<string, unknown>>,
  (messages) => port.postMessage(messages),
  new ProgramStack(program, () => readFileSync(fileURLToPath(program), 'utf8')),
)
if (handle !== undefined) port.on('message', (messages: readonly ToProgram[]) => handle(messages))
