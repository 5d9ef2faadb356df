/** Processes that serve, and processes that call. */
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../base/wait.ts'
import { MemberProcesses, type MemberProcess } from '../swarm/member-process.ts'
import type { Commands } from './application.ts'

/** Replicas of the services: see `application.ts`. */
const REPLICAS = 3
/** Longest wait for a state of all members, ms. A guess. */
const MAX_WAIT = 60_000

export type Member = MemberProcess<Commands>

export class Farm {
  readonly #members: MemberProcesses<Commands>
  servers: Member[] = []
  readonly clients: Member[] = []

  constructor(name: string) {
    this.#members = new MemberProcesses(name, new URL('application.ts', import.meta.url))
  }

  /** Starts the servers and `clients` clients, and waits until the services are there. */
  async begin(clients: number): Promise<void> {
    await this.add(false)
    for (let at = 0; at < REPLICAS + 1; at++) await this.add(true)
    while (this.clients.length < clients) await this.add(false)
    await this.whole()
  }

  async add(isServer: boolean): Promise<void> {
    const member = await this.#members.start()
    ;(isServer ? this.servers : this.clients).push(member)
    if (isServer) await member.remote.ask({ serve: true })
  }

  /** Waits until the counter has a primary with all backups. */
  async whole(): Promise<Member> {
    const primary = async (): Promise<Member | undefined> => {
      for (const server of this.servers) {
        const { role, backups } = await server.remote.ask({})
        if (role === 'primary' && backups >= REPLICAS - 1) return server
      }
      return undefined
    }
    let found: Member | undefined
    await until(async () => (found = await primary()) !== undefined, MAX_WAIT, 50)
    if (found === undefined) throw new Error(`the counter had no primary with ${REPLICAS - 1} backups within ${MAX_WAIT} ms`)
    return found
  }

  /**
   * Kills the primary, and with it the senior backup if that is wanted. Returns the time until all
   * clients had an answer, ms.
   */
  async kill(clients: readonly Member[], isSeniorToo = false): Promise<number> {
    const primary = await this.whole()
    const { senior } = await primary.remote.ask({})
    const victims = this.servers.filter((each) => each === primary || (isSeniorToo && each.id === senior))
    for (const client of clients) await client.remote.ask({})
    await sleep(50 + Math.random() * 200)
    const at = Date.now()
    this.#members.kill(...victims)
    this.servers = this.servers.filter((each) => !victims.includes(each))
    await sleep(20)
    const states = await Promise.all(clients.map(async (client) => await client.remote.ask({ settle: true })))
    for (const _ of victims) await this.add(true)
    return Math.max(...states.map(({ longest }) => longest.endedAt - at))
  }

  close(): void {
    this.#members.close()
  }
}
