/** Servers of etcd with a client for each. A client holds a lease, with which it stands. */
import { mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../base/wait.ts'
import { EtcdClient, type EtcdReign } from './etcd-client.ts'
import { startServers, type EtcdServer } from './etcd-server.ts'
import type { Group, Reign, Victim } from './group.ts'

/** Seconds of a lease: the least that etcd 3.4 grants with its usual election time-out. */
const LEASE = 2
/** Time between two renewals, ms: a third of the lease, as in etcd's own clients. */
const RENEW = (LEASE * 1000) / 3
/** Longest wait for the cluster, ms. A guess. */
const MAX_WAIT = 60_000
/** Longest wait for an answer about the state of a server, ms. A guess. */
const ASK = 1_000

/** The state of the client of a seat. A killed client renews its lease no more. */
class Session {
  readonly lease: string
  readonly #end = new AbortController()

  constructor(client: EtcdClient, lease: string) {
    this.lease = lease
    const renew = setInterval(() => void client.keepAlive(lease).catch(() => {}), RENEW)
    this.signal.addEventListener('abort', () => clearInterval(renew))
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  kill(): void {
    this.#end.abort()
  }
}

interface Sighting extends EtcdReign {
  readonly time: number
}

export class EtcdGroup implements Group {
  readonly seats: number
  readonly #servers: EtcdServer[]
  readonly #clients: EtcdClient[]
  readonly #sessions = new Map<number, Session>()
  /** Seats of which the server was killed, or stands still. */
  readonly #down = new Map<number, 'SIGKILL' | 'SIGSTOP'>()
  /** By election, the newest reign that each seat knows. */
  readonly #seen = new Map<string, Map<number, Sighting>>()
  readonly #end = new AbortController()

  private constructor(servers: EtcdServer[]) {
    this.seats = servers.length
    this.#servers = servers
    this.#clients = servers.map(({ port, address }) => new EtcdClient(port, address))
  }

  static async start(seats: number, folder: string): Promise<EtcdGroup> {
    mkdirSync(folder, { recursive: true })
    const group = new EtcdGroup(startServers(folder, Array.from({ length: seats })))
    await group.mend()
    return group
  }

  running(): readonly number[] {
    return this.#servers.map((_, seat) => seat).filter((seat) => !this.#down.has(seat))
  }

  async whole(): Promise<number> {
    let leader = -1
    const isWhole = async (): Promise<boolean> => {
      const states = await Promise.all(
        this.#clients.map(async (client) => await client.status(AbortSignal.timeout(ASK)).catch(() => undefined)),
      )
      const [first] = states
      leader = states.findIndex((state) => state !== undefined && state.id === first?.leader)
      return leader >= 0 && states.every((state) => state?.leader === first?.leader)
    }
    if (!(await until(isWhole, MAX_WAIT, 50))) throw new Error('the cluster of etcd servers is not whole')
    return leader
  }

  async elect(seat: number, election: string): Promise<void> {
    const { lease, signal } = this.#session(seat)
    await this.#client(seat).campaign(election, lease, `${seat}`, AbortSignal.any([signal, this.#end.signal]))
  }

  async order(seat: number, text: string, signal?: AbortSignal): Promise<number> {
    return await this.#client(seat).put('order', text, signal)
  }

  watch(election: string): Promise<void> {
    const seen = new Map<number, Sighting>()
    this.#seen.set(election, seen)
    for (const seat of this.running())
      void this.#client(seat)
        .observe(election, (reign) => void seen.set(seat, { ...reign, time: performance.now() }), this.#end.signal)
        .catch(() => {})
    return Promise.resolve()
  }

  reign(election: string): Reign | undefined {
    const seen = this.#seen.get(election)
    const known = this.running().map((seat) => seen?.get(seat))
    const [first] = known
    if (first === undefined || known.some((each) => each?.epoch !== first.epoch)) return undefined
    return { epoch: first.epoch, winner: Number(first.winner), time: Math.max(...known.map((each) => each?.time ?? Infinity)) }
  }

  send(seat: number, signal: 'SIGKILL' | 'SIGSTOP', what: Victim): void {
    if (what !== 'leader') this.#session(seat).kill()
    if (what !== 'winner') {
      this.#servers[seat]?.child.kill(signal)
      this.#down.set(seat, signal)
    }
  }

  async mend(): Promise<void> {
    for (const [seat, signal] of this.#down) {
      if (signal === 'SIGKILL') this.#servers[seat]?.start()
      else this.#servers[seat]?.child.kill('SIGCONT')
    }
    this.#down.clear()
    await this.whole()
    for (const [seat, client] of this.#clients.entries()) {
      this.#sessions.get(seat)?.kill()
      await until(
        async () =>
          await client.put('ready', '').then(
            () => true,
            () => false,
          ),
        MAX_WAIT,
        100,
      )
      this.#sessions.set(seat, new Session(client, await client.grant(LEASE)))
    }
  }

  async close(): Promise<void> {
    for (const session of this.#sessions.values()) session.kill()
    this.#end.abort()
    await Promise.all(this.#servers.map(async (server) => await server.kill()))
    for (const client of this.#clients) client.close()
    await sleep(0)
  }

  #client(seat: number): EtcdClient {
    return this.#clients[seat] as EtcdClient
  }

  #session(seat: number): Session {
    return this.#sessions.get(seat) as Session
  }
}
