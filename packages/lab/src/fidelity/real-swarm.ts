/**
 * Real hosts over TCP on loopback, in real time. Many share a process; each of those that will be
 * killed has its own.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { HostSwarm } from '../swarm/host-swarm.ts'
import type { Tally } from '../swarm/tally.ts'
import type { Started, Swarm } from './swarm.ts'

export class RealSwarm implements Swarm {
  readonly #swarm: HostSwarm

  constructor(processes: number) {
    this.#swarm = new HostSwarm(processes, [], { counts: true })
  }

  async start(mortal: boolean): Promise<Started> {
    return mortal ? await this.#swarm.startAlone() : await this.#swarm.startOne()
  }

  async rest(ms: number): Promise<void> {
    await sleep(ms)
  }

  async leave(id: string): Promise<number> {
    return await this.#swarm.leave(id)
  }

  async kill(id: string): Promise<number> {
    return await this.#swarm.kill(id)
  }

  async sightings(type: 'joined' | 'left' | 'died', subject: string): Promise<number[]> {
    return await this.#swarm.sightings(type, subject)
  }

  async tally(): Promise<Tally> {
    return await this.#swarm.tally()
  }

  async stop(): Promise<void> {
    await this.#swarm.stop()
  }
}
