/** The process of a program. `../browser/program-host.ts` has the same exports. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import { formatWithOptions, inspect } from 'node:util'
import type { OutputStream } from '../../program/messages.ts'

export { captureOutput } from '../../executors/captured-output.ts'

/** The object for which the present code runs. Callbacks of timers and promises keep it. */
export class Owners extends AsyncLocalStorage<object> {}

/** Calls `handle` for each error that nobody caught. The process goes on. */
export function onStray(handle: (error: unknown) => void): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, handle)
}

/** Resolves when all code that was ready to run has run. */
export async function idle(): Promise<void> {
  await setImmediate()
}

/** Describes a value in one line. */
export function describe(value: unknown): string {
  return inspect(value, { customInspect: false, breakLength: Infinity, depth: 3, maxArrayLength: 6, maxStringLength: 100 })
}

/** Prints values. Custom inspect functions of a value would receive classes of Node. */
export function print(stream: OutputStream, values: readonly unknown[]): void {
  process[stream].write(`${formatWithOptions({ customInspect: false }, ...values)}\n`)
}
