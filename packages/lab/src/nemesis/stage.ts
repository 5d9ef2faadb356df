/** The members of a run on their hosts, and the network between them. */
import { createWriteStream, mkdirSync, writeFileSync, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { end } from '../base/child.ts'
import { jelBin } from '../base/paths.ts'
import { NeverError, until } from '../base/wait.ts'
import { within } from '../network/host.ts'
import { runId } from '../network/namespaces.ts'
import { LabNetwork } from '../network/network.ts'
import { faketime } from '../network/tools.ts'
import { ControlledProcess } from '../swarm/controlled-process.ts'
import { startNode } from '../swarm/start-node.ts'
import { Client } from './client.ts'
import type { History } from '../linearizability/history.ts'
import type { Life } from '../linearizability/judge.ts'
import { reignIn, type LedgerLine } from '../swarm/ledger-lines.ts'
import { askProcess, Member } from './member.ts'
import { Told } from '../linearizability/told.ts'

/** The port of all members, each on its host. */
const PORT = 7_000
/** One-way delays to a far member, ms: those between continents. */
const FAR = { min: 50, max: 150 }
const NEAR = { min: 0, max: 0 }
/** Sites of the network: members are near, or far by a fault. */
const SITES = [0, 1]
/** Longest wait for the state of a ledger, ms. */
const STATUS = 2_000

/** The time for a log, ms since the start of the run. */
const moment = (): string => performance.now().toFixed(0)

interface Setting {
  /** A folder of this run, in the memory of its namespace. */
  readonly folder: string
  readonly members: number
  readonly random: () => number
  readonly history: History
  /** Folder for the output of all processes. */
  readonly out: string | undefined
}

export class Stage {
  readonly members: readonly Member[]
  readonly network: LabNetwork
  /** All processes so far. */
  readonly lives: Life[] = []
  /** Processes that ended by themselves, or that did not start. */
  readonly losses: string[] = []
  readonly #setting: Setting
  readonly #logs: WriteStream[] = []
  #isClosed = false

  constructor(setting: Setting) {
    this.#setting = setting
    const gateway = { up: undefined, down: undefined }
    const sites = SITES.map((site) => ({ name: String(site), gateway, dialable: true as const }))
    const spans = SITES.map((from) => SITES.map((to) => (from + to === 0 ? NEAR : FAR)))
    this.network = new LabNetwork(setting.members, { sites, spans })
    // More than half of the voters survive a total restart: members with files are preferred.
    const files = Math.ceil((setting.members + 1) / 2)
    this.members = this.network.hosts.map((host, at) => new Member(at, host, setting.folder, at < files))
    if (setting.out !== undefined) mkdirSync(setting.out, { recursive: true })
  }

  get running(): Member[] {
    return this.members.filter(({ now }) => now?.process.running === true)
  }

  /** Starts the first member with a new ledger, and then the others. */
  async begin(): Promise<void> {
    await this.network.ready
    const [first, ...others] = this.members
    if (first === undefined) throw new Error('a run has members')
    const isUp = await this.start(first, ['--found', '--found-ledger'])
    const areUp = isUp ? await Promise.all(others.map((member) => this.start(member))) : []
    if (!isUp || areUp.includes(false)) throw new Error(`a member did not start: ${this.members.find(({ now }) => !now)?.complaint}`)
  }

  /** Starts a member's process. Returns false if it has ended before it was in the pool. */
  async start(member: Member, args: readonly string[] = []): Promise<boolean> {
    const { history, random } = this.#setting
    const { host, identity, last } = member
    member.killedAt = undefined
    const told = new Told()
    const name = `${member.name}.${++member.starts}`
    this.lives.push({ name, told })
    const log = this.#logOf(name)
    const early: LedgerLine[] = []
    let process: ControlledProcess | undefined
    const others = this.members.filter((each) => each !== member)
    const ended = (how: unknown): void => {
      process?.ends()
      if (process !== undefined && member.now?.process === process) {
        member.now.stop.abort()
        member.last = { client: member.now.client, at: member.killedAt ?? performance.now() }
        member.now = undefined
      }
      if (process?.isDead === false && !member.mayEnd && !this.#isClosed) this.losses.push(`${name} ended by itself with ${String(how)}`)
    }
    try {
      const started = await startNode(
        {
          bin: jelBin,
          pool: `nemesis-${runId()}`,
          within: within(host),
          env: this.#environment(member),
          args: [
            '--joins',
            'reliable',
            '--elections',
            'uniform',
            '--no-control',
            '--listen',
            `${host.address}:${PORT}`,
            ...others.flatMap((each) => ['--bootstrap', `${each.host.address}:${PORT}`]),
            ...(identity === undefined ? [] : ['--identity', identity]),
            ...args,
          ],
        },
        {
          line: (_, line) => {
            log?.write(`${moment()} ${JSON.stringify(line)}\n`)
            told.note(line)
            const reign = line.event === 'elected' ? reignIn(line) : undefined
            if (reign !== undefined && line.election !== undefined) history.sight(line.election, reign)
            if (process === undefined) early.push(line)
            else process.note(line)
          },
          complaint: (text) => void log?.write(`${moment()} ! ${text}\n`),
          ended: (_, how) => ended(how),
        },
      )
      process = new ControlledProcess(started)
      for (const line of early) process.note(line)
    } catch (error) {
      log?.write(`${moment()} did not start: ${String(error)}\n`)
      member.complaint = String(error)
      // Such a process still runs. Nobody can tell what it would do.
      if (error instanceof NeverError) throw error
      return false
    }
    const running = process
    let isBack = last?.client.by === running.id
    const acknowledged = (): void => {
      if (isBack && last !== undefined) history.ended(running.id, last.client.standing, last.at)
      isBack = false
    }
    const client = new Client(
      running.id,
      (command, timeout) => askProcess(running, command, timeout),
      history,
      { sleep, random },
      acknowledged,
    )
    const stop = new AbortController()
    member.now = { process: running, client, stop }
    void client.run(stop.signal)
    return true
  }

  /** The ledger as its leader tells it; undefined: no member knows a leader. */
  async status(): Promise<LedgerLine | undefined> {
    const all = await Promise.all(this.running.map(async (member) => ({ member, line: await member.ask({ command: 'ledger' }, STATUS) })))
    const led = all.find(({ member, line }) => line?.state === 'ready' && line.leader === member.id)
    return led?.line
  }

  /**
   * True when all members agree on a whole ledger: all voters are reachable, as many as there can
   * be.
   */
  async isSettled(): Promise<boolean> {
    const status = await this.status()
    const { running } = this
    if (status === undefined || running.length < this.members.length) return false
    const voters = status.voters ?? []
    const wanted = Math.min(5, running.length % 2 === 0 ? running.length - 1 : running.length)
    return voters.length === wanted && voters.every(({ id, reachable }) => reachable && running.some((member) => member.id === id))
  }

  /** Waits until the ledger is whole. Returns false if it is not within `time` ms. */
  async settle(time: number): Promise<boolean> {
    return await until(() => this.isSettled(), time, 250)
  }

  /** Ends the clients, but not the processes. */
  stopClients(): void {
    for (const { now } of this.members) now?.stop.abort()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.members.map(async ({ now }) => now && (await end(now.process.process.child, 5_000))))
    for (const log of this.#logs) log.end()
  }

  /** Sets the clock of a member, as a difference in seconds. */
  setClock(member: Member, seconds: number): void {
    writeFileSync(member.clock, `${seconds < 0 ? '' : '+'}${seconds}s`)
  }

  #environment(member: Member): Record<string, string> {
    const library = faketime()
    if (library === undefined) return {}
    this.setClock(member, 0)
    const settings = { FAKETIME_TIMESTAMP_FILE: member.clock, FAKETIME_CACHE_DURATION: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' }
    return { LD_PRELOAD: library, ...settings }
  }

  #logOf(name: string): WriteStream | undefined {
    const { out } = this.#setting
    if (out === undefined) return undefined
    const log = createWriteStream(join(out, `${name}.log`))
    this.#logs.push(log)
    return log
  }
}
