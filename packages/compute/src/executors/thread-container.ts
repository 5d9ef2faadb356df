import { Worker } from 'node:worker_threads'
import type { Container, ContainerEvents, TaskLimits } from './container.ts'
import type { FromProgram, ToProgram } from './messages.ts'

/** A thread that loads a program, by its URL, and knows nothing of this process's environment. It keeps nothing else out: it is for programs that one trusts as one's own. */
export function startThread(program: string, limits: TaskLimits | undefined, events: ContainerEvents): Container {
  // As source, or compiled.
  const entry = new URL(`./thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
  const worker = new Worker(entry, {
    workerData: { program },
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    ...(limits && { resourceLimits: { maxOldGenerationSizeMb: limits.memory } }),
  })
  let ended = false
  const lost = (reason: string): void => {
    if (!ended) events.onLost(reason)
    ended = true
  }
  worker.on('message', (messages: readonly FromProgram[]) => ended || events.onMessages(messages))
  worker.on('error', (error: Error) => lost(reasonOf(error)))
  worker.on('exit', (code) => lost(`its thread ended with status ${code}`))
  return {
    post: (messages: readonly ToProgram[]) => worker.postMessage(messages),
    // It is for programs that one trusts.
    taken: () => Promise.resolve(),
    end: async () => {
      ended = true
      await worker.terminate()
    },
  }
}

function reasonOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it needed more memory than a task may take' : error.message
}
