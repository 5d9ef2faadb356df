import { once } from 'node:events'
import { FunctionMissingError, ProgramError } from '../errors.ts'
import type { FromThread, ProgramFunction } from './messages.ts'
import { startThread } from './program-thread.ts'

/** How long a program may take to load, ms. A guess. */
const LOAD_TIME = 10_000

/**
 * The tasks that a program exports.
 * @throws ProgramError if it can't be loaded
 */
export async function describeProgram(url: string): Promise<readonly ProgramFunction[]> {
  const worker = startThread(url)
  try {
    const [messages] = (await once(worker, 'message', { signal: AbortSignal.timeout(LOAD_TIME) })) as [readonly FromThread[]]
    const [message] = messages
    if (message?.type === 'ready') return message.functions
    throw new ProgramError(
      message?.type === 'unusable' ? `the program fails when it is loaded: ${message.message}` : 'the program says nothing',
    )
  } catch (error) {
    if (error instanceof ProgramError) throw error
    throw new ProgramError(`the program can't be loaded: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  } finally {
    await worker.terminate()
  }
}

/** @throws FunctionMissingError that names those that there are */
export function findFunction(functions: readonly ProgramFunction[], fn: string): ProgramFunction {
  const found = functions.find(({ name }) => name === fn)
  if (found !== undefined) return found
  const names = functions.map(({ name }) => name).join(', ')
  throw new FunctionMissingError(`the program exports no task ${JSON.stringify(fn)}; it has ${names === '' ? 'none' : names}`)
}
