/** Real hosts over TCP on loopback, in real time: many to a process, and those that will be killed each in one of its own. */
import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { end } from '../../driver/child.ts'
import { startRemote, type Remote } from '../../driver/remote.ts'
import { combine, nothing, type Started, type Swarm, type Tally } from '../swarm.ts'
import type { Worker } from './worker.ts'

/** Longest that a worker may take to let all its hosts leave, ms. */
const patience = 20_000

interface Process {
  readonly child: ChildProcess
  readonly remote: Remote<Worker>
}

const startProcess = (): Process => startRemote<Worker>(new URL('worker.ts', import.meta.url))

export class RealSwarm implements Swarm {
  readonly #shared: readonly Process[]
  /** All that run, the shared ones first. */
  readonly #processes: Process[]
  readonly #homes = new Map<string, Process>()
  readonly #pool = `fidelity-${process.pid}`
  /** What those said that were killed. */
  #buried = nothing
  #first: string | undefined
  #started = 0

  constructor(processes: number) {
    this.#shared = Array.from({ length: processes }, startProcess)
    this.#processes = [...this.#shared]
  }

  async start(mortal: boolean): Promise<Started> {
    const home = mortal ? startProcess() : this.#shared[this.#started++ % this.#shared.length]
    if (home === undefined) throw new Error('there is no process to start a host in')
    if (mortal) this.#processes.push(home)
    const { address, ...started } = await home.remote.start(this.#pool, this.#first === undefined ? [] : [this.#first])
    this.#first ??= address
    this.#homes.set(started.id, home)
    return started
  }

  async rest(ms: number): Promise<void> {
    await sleep(ms)
  }

  async leave(id: string): Promise<number> {
    return await this.#home(id).remote.leave(id)
  }

  async kill(id: string): Promise<number> {
    const home = this.#home(id)
    this.#buried = combine(this.#buried, await home.remote.tally())
    this.#processes.splice(this.#processes.indexOf(home), 1)
    const killed = performance.timeOrigin + performance.now()
    home.child.kill('SIGKILL')
    return killed
  }

  async sightings(type: 'joined' | 'left' | 'died', subject: string): Promise<number[]> {
    return (await Promise.all(this.#processes.map(async ({ remote }) => await remote.sightings(type, subject)))).flat()
  }

  async tally(): Promise<Tally> {
    const tallies = await Promise.all(this.#processes.map(async ({ remote }) => await remote.tally()))
    return tallies.reduce((sum, each) => combine(sum, each), this.#buried)
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#processes.map(async ({ child, remote }) => {
        const ended = new Promise((resolve) => {
          child.once('exit', resolve)
        })
        remote.stop().catch(() => {})
        await Promise.race([ended, sleep(patience, undefined, { ref: false })])
        await end(child, 2_000)
      }),
    )
  }

  #home(id: string): Process {
    const home = this.#homes.get(id)
    this.#homes.delete(id)
    if (home === undefined) throw new Error(`no host ${id}`)
    return home
  }
}
