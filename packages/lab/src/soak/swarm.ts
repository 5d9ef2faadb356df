/** All processes of the soak. Starts and samples them, and kills and restarts some of them. */
import { end } from '../base/child.ts'
import { startRemote, type RemoteProcess } from '../base/remote.ts'
import { repeat, within } from '../base/wait.ts'
import { FLAGS, INTERPRETED_FLAGS, KILL_EVERY, KILLED, MEASURED, SAMPLE_EVERY, type Group, type Sample } from './plan.ts'
import type { SoakWorker } from './worker.ts'

/** Longest time that a process may take to start on a busy machine, ms. */
const START_TIMEOUT = 300_000
/** Time that a process may take to end before the soak kills it, ms. */
const END_TIMEOUT = 10_000

export class SoakSwarm {
  readonly #pool = `soak-${process.pid}-${Date.now()}`
  readonly samples: Record<string, Sample[]> = {}
  /** Groups whose process ended by itself. */
  readonly lost: string[] = []
  readonly #processes = new Map<Group, RemoteProcess<SoakWorker>>()
  #bootstrap: readonly string[] = []
  #isOver = false
  /** Number of killed processes so far. */
  killed = 0

  async start(): Promise<void> {
    const [first, ...others] = [...MEASURED, ...KILLED]
    if (first !== undefined) await this.#start(first)
    await Promise.all(others.map((group) => this.#start(group)))
  }

  /** Kills and restarts one process after the other until the signal. */
  async churn(signal: AbortSignal): Promise<void> {
    await repeat(KILL_EVERY * 1000, signal, async () => {
      const group = KILLED[this.killed % KILLED.length] as Group
      const killed = this.#processes.get(group)
      this.#processes.delete(group)
      killed?.child.kill('SIGKILL')
      this.killed++
      try {
        await this.#start(group)
      } catch (error) {
        // The next turn of the group starts it again.
        complain(group, error instanceof Error ? error.message : String(error))
      }
    })
  }

  async close(): Promise<void> {
    this.#isOver = true
    await Promise.all([...this.#processes.values()].map(({ child }) => end(child, END_TIMEOUT)))
  }

  async #start(group: Group): Promise<void> {
    const flags = [...FLAGS, ...(group.interpreted === true ? INTERPRETED_FLAGS : [])]
    const started = startRemote<SoakWorker>(new URL('worker.ts', import.meta.url), flags)
    const { child, remote } = started
    this.#processes.set(group, started)
    const ended = new AbortController()
    child.once('exit', (code, signal) => {
      ended.abort()
      if (this.#isOver || this.#processes.get(group) !== started) return
      complain(group, `the process ended by itself: ${code ?? signal}`)
      if (!KILLED.includes(group)) this.lost.push(group.name)
    })
    const starting = remote.start(group, this.#pool, this.#bootstrap)
    const addresses = await within(START_TIMEOUT, group.name, starting).catch((error: unknown) => {
      child.kill('SIGKILL')
      throw error
    })
    if (this.#bootstrap.length === 0) this.#bootstrap = addresses.slice(0, 1)
    void repeat(SAMPLE_EVERY * 1000, ended.signal, async () => {
      // A failure means that the process has ended. Another handler reports that.
      const looked = await remote.look().catch(() => undefined)
      if (looked === undefined) return
      // Killed processes start again from zero. So there is no line through their samples.
      if (!KILLED.includes(group)) (this.samples[group.name] ??= []).push(looked.sample)
      for (const text of looked.troubles) complain(group, text)
    })
  }
}

function complain({ name }: Group, text: string): void {
  console.error(`${new Date().toISOString()} ${name}: ${text}`)
}
