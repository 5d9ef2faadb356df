import { Worker, type ResourceLimits } from 'node:worker_threads'

/** A thread that loads a program, by its URL, and knows nothing of this process's environment. */
export function startThread(program: string, resourceLimits: ResourceLimits = {}): Worker {
  // As source, or compiled.
  const entry = new URL(`./thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)
  return new Worker(entry, { workerData: { program }, env: {}, execArgv: ['--disable-warning=ExperimentalWarning'], resourceLimits })
}
