/** The members of a pool with a ledger. */
import { join } from 'node:path'
import { until } from '../base/wait.ts'
import type { LabHost } from '../network/host.ts'
import type { LedgerLine } from '../swarm/ledger-lines.ts'
import { LedgerProcess } from './ledger-process.ts'

/** Longest wait for a ledger with all voters, ms. A guess. */
const MAX_WAIT = 60_000
/** Longest wait for an answer about the ledger, ms. A guess. */
const ASK = 1_000
/** The flags of a member that takes part in the ledger. */
const RELIABLE: readonly string[] = ['--joins', 'reliable', '--elections', 'uniform']

let pools = 0

export interface PoolStart {
  readonly bin: string
  readonly voters: number
  /** The folder of the members' files. Default: they keep all in memory. */
  readonly folder?: string | undefined
}

export class LedgerPool {
  readonly name = `ledger-${process.pid}-${++pools}`
  readonly members: LedgerProcess[] = []
  readonly #start: PoolStart
  #entered = 0

  constructor(start: PoolStart) {
    this.#start = start
  }

  get running(): LedgerProcess[] {
    return this.members.filter(({ running }) => running)
  }

  /**
   * Starts a member. The first one founds the ledger. `args`: default: those of a member that takes
   * part in the ledger.
   */
  async enter(host?: LabHost, args?: readonly string[]): Promise<LedgerProcess> {
    const { bin, voters, folder } = this.#start
    const introducers = this.running.slice(0, 3).map(({ process }) => process.address)
    const founds = this.#entered === 0 ? ['--found-ledger'] : []
    const identity = folder === undefined ? [] : ['--identity', join(folder, `${this.name}-${this.#entered}`)]
    this.#entered++
    const all = args ?? [...RELIABLE, '--voters', `${voters}`, ...founds]
    const member = await LedgerProcess.start({ pool: this.name, introducers, args: [...all, ...identity], host, bin })
    this.members.push(member)
    return member
  }

  /** Starts a member on each of these hosts; undefined stands for loopback. */
  async enterAll(hosts: readonly (LabHost | undefined)[], args?: readonly string[]): Promise<void> {
    const [first, ...others] = hosts
    await this.enter(first, args)
    await Promise.all(others.map(async (host) => await this.enter(host, args)))
  }

  /**
   * Waits until all running members know the same leader and `voters` voters, and all these voters
   * run. Returns the leader.
   */
  async whole(voters = this.#start.voters, within = MAX_WAIT): Promise<LedgerProcess> {
    let states: (LedgerLine | undefined)[] = []
    let leader: LedgerProcess | undefined
    const isWhole = async (): Promise<boolean> => {
      states = await Promise.all(this.running.map(async (member) => await member.ledger(ASK)))
      leader = this.running.find(({ id }) => id === states[0]?.leader)
      return leader !== undefined && states.every((state) => state?.leader === leader?.id && this.#hasVoters(state, voters))
    }
    if (!(await until(isWhole, within, 100)) || leader === undefined)
      throw new Error(`the ledger is not ready with ${voters} voters after ${within} ms:\n${await this.states()}`)
    return leader
  }

  /** The running members that vote, as the given member knows them. */
  async voters(asked: LedgerProcess): Promise<LedgerProcess[]> {
    const { voters = [] } = (await asked.ledger(ASK)) ?? {}
    return this.running.filter(({ id }) => voters.some((each) => each.id === id))
  }

  /** The ledger as each running member sees it, for people. */
  async states(): Promise<string> {
    const states = this.running.map(async (member) => `${member.id.slice(-6)}: ${JSON.stringify(await member.ledger(ASK))}`)
    return (await Promise.all(states)).join('\n')
  }

  async close(): Promise<void> {
    await Promise.all(this.running.map(async (member) => await member.kill()))
  }

  #hasVoters(state: LedgerLine | undefined, count: number): boolean {
    const { voters = [] } = state ?? {}
    const ids = new Set(this.running.map(({ id }) => id))
    return state?.state === 'ready' && voters.length === count && voters.every(({ id, reachable }) => reachable && ids.has(id))
  }
}
