/**
 * The thread of a program. Not to be imported: {@link ThreadExecutor} starts it.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { STEP_LENGTH } from '../core/path.ts'
import type { SharedDefinition } from '../program/definitions.ts'
import { Runtime } from '../program/runtime.ts'
import type { FromThread, ToThread } from './messages.ts'

const port = parentPort as MessagePort
const { program } = workerData as { program: string }

function post(messages: readonly FromThread[]): void {
  port.postMessage(messages)
}

function step(fn: string, input: Uint8Array, occurrence: number): string {
  return createHash('sha256').update(`${occurrence} ${fn}\n`).update(input).digest('base64url').slice(0, STEP_LENGTH)
}

try {
  const exports = (await import(program)) as Record<string, unknown>
  const declared = (exports['sharedValues$'] as (() => readonly SharedDefinition<never>[]) | undefined)?.() ?? []
  const runtime = new Runtime({ post, step, idle: () => setImmediate() }, exports, declared)
  port.on('message', (messages: readonly ToThread[]) => runtime.handle(messages))
  post([{ type: 'ready', functions: runtime.functions }])
} catch (error) {
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined }
  post([{ type: 'unusable', code: 'PROGRAM_UNUSABLE', message, ...(stack === undefined ? {} : { stack }) }])
}
