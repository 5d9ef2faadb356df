/** All processes of the soak: starts them, samples them, and kills and restarts some of them. */
import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { end } from '../base/child.ts'
import { startRemote, type RemoteProcess } from '../base/remote.ts'
import { FLAGS, INTERPRETED_FLAGS, KILL_EVERY, KILLED, MEASURED, SAMPLE_EVERY, type Group } from './plan.ts'
import type { Samples } from './samples.ts'
import type { SoakWorker } from './worker.ts'

/** Longest that a process may take to start on a busy machine, ms. */
const START_TIMEOUT = 300_000
/** How long a process may take to end before it is killed, ms. */
const END_TIMEOUT = 10_000

export class SoakSwarm {
  readonly #pool = `soak-${process.pid}-${Date.now()}`
  readonly #samples: Samples
  readonly #flags: readonly string[]
  readonly #raw: string | undefined
  readonly #processes = new Map<Group, RemoteProcess<SoakWorker>>()
  #bootstrap: readonly string[] = []
  #over = false
  /** Processes killed so far. */
  killed = 0

  /** `flags`: Node's own, for all processes. `raw`: a file to which each sample is added. */
  constructor(samples: Samples, { flags, raw }: { readonly flags: readonly string[]; readonly raw: string | undefined }) {
    this.#samples = samples
    this.#flags = flags
    this.#raw = raw
  }

  async start(): Promise<void> {
    const [first, ...others] = [...MEASURED, ...KILLED]
    if (first !== undefined) await this.#start(first)
    await Promise.all(others.map((group) => this.#start(group)))
  }

  /** Kills one process after the other until the soak ends. */
  async churn(signal: AbortSignal): Promise<void> {
    for (let turn = 0; ; turn++) {
      try {
        await delay(KILL_EVERY * 1000, undefined, { signal })
      } catch {
        return
      }
      const group = KILLED[turn % KILLED.length] as Group
      const killed = this.#processes.get(group)
      this.#processes.delete(group)
      killed?.child.kill('SIGKILL')
      this.killed++
      try {
        await this.#start(group)
      } catch (error) {
        // Its turn comes again.
        complain(group, error instanceof Error ? error.message : String(error))
      }
    }
  }

  async close(): Promise<void> {
    this.#over = true
    await Promise.all([...this.#processes.values()].map(({ child }) => end(child, END_TIMEOUT)))
  }

  async #start(group: Group): Promise<void> {
    const flags = [...FLAGS, ...(group.interpreted === true ? INTERPRETED_FLAGS : []), ...this.#flags]
    const started = startRemote<SoakWorker>(new URL('worker.ts', import.meta.url), flags)
    const { child, remote } = started
    this.#processes.set(group, started)
    child.once('exit', (code, signal) => {
      if (this.#over || this.#processes.get(group) !== started) return
      complain(group, `the process ended by itself: ${code ?? signal}`)
      if (!KILLED.includes(group)) this.#samples.lose(group.name)
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT)
    try {
      const addresses = await remote.start({ group, pool: this.#pool, bootstrap: this.#bootstrap })
      if (this.#bootstrap.length === 0) this.#bootstrap = addresses.slice(0, 1)
    } finally {
      clearTimeout(timer)
    }
    void this.#watch(group, started)
  }

  async #watch(group: Group, watched: RemoteProcess<SoakWorker>): Promise<void> {
    for (;;) {
      await delay(SAMPLE_EVERY * 1000, undefined, { ref: false })
      if (this.#over || this.#processes.get(group) !== watched) return
      try {
        const { sample, troubles } = await watched.remote.look()
        this.#samples.add(group.name, sample)
        if (this.#raw !== undefined) appendFileSync(this.#raw, `${JSON.stringify({ group: group.name, ...sample })}\n`)
        for (const text of troubles) complain(group, text)
      } catch {
        // It has ended; another handler reports that.
        return
      }
    }
  }
}

function complain({ name }: Group, text: string): void {
  console.error(`${new Date().toISOString()} ${name}: ${text}`)
}
