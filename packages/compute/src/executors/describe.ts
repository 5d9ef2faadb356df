import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ProgramError } from '../errors.ts'
import type { FromThread, ProgramFunction } from './messages.ts'

/** How long a program may take to load, ms. A guess. */
const LOAD_TIME = 10_000

/**
 * The tasks that a program exports.
 * @throws ProgramError if it can't be loaded
 */
export async function describeProgram(url: string): Promise<readonly ProgramFunction[]> {
  const worker = new Worker(new URL(`./thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url), {
    workerData: { program: url },
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
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
