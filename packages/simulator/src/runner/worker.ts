/** Makes runs in a thread of its own. It receives tasks and sends reports. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { runScenario } from './run.ts'
import type { Outcome } from '../report/outcome.ts'
import type { Report, Task } from './task.ts'

/** The characters of trace to gather before writing. */
const chunk = 1 << 16

/** Real time between two reports of progress, ms. */
const interval = 100

const port = parentPort
if (port === null) throw new Error('this is the part of a sweep that runs in a thread of its own')
port.on('message', (task: Task) => port.postMessage(work(task, (report) => port.postMessage(report))))

function work(task: Task, say: (report: Report) => void): Report {
  try {
    return { type: 'done', outcome: make(task, say) }
  } catch (error) {
    return { type: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

function make({ scenario, seed, set, traceFile }: Task, say: (report: Report) => void): Outcome {
  const start = performance.now()
  let said = start
  const trace = traceFile === undefined ? undefined : new TraceWriter(traceFile)
  try {
    const { result, overlay } = runScenario({
      scenario,
      seed,
      ...(trace && { onLine: (line) => trace.write(`${JSON.stringify(line)}\n`) }),
      onProgress: (now) => {
        if (performance.now() - said < interval) return
        said = performance.now()
        say({ type: 'progress', share: now / scenario.duration })
      },
    })
    return { seed, set, result, overlay, took: performance.now() - start }
  } finally {
    trace?.close()
  }
}

class TraceWriter {
  readonly #file: number
  #waiting = ''

  constructor(file: string) {
    this.#file = openSync(file, 'wx')
  }

  write(line: string): void {
    this.#waiting += line
    if (this.#waiting.length >= chunk) this.#flush()
  }

  close(): void {
    this.#flush()
    closeSync(this.#file)
  }

  #flush(): void {
    writeSync(this.#file, this.#waiting)
    this.#waiting = ''
  }
}
