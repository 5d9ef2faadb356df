/** A pool with a ledger in which each member votes. */
import type { Group, Reign } from './group.ts'
import { LedgerPool, type PoolStart } from './ledger-pool.ts'
import type { LedgerProcess } from './ledger-process.ts'

export class JelGroup implements Group {
  readonly seats: number
  readonly #pool: LedgerPool
  #members: LedgerProcess[] = []
  /** Seats whose member has got a signal. */
  readonly #down = new Set<number>()

  private constructor(start: PoolStart) {
    this.seats = start.voters
    this.#pool = new LedgerPool(start)
  }

  static async start(start: PoolStart): Promise<JelGroup> {
    const group = new JelGroup(start)
    try {
      await group.#pool.enterAll(Array.from({ length: start.voters }))
      group.#members = [...group.#pool.members]
      await group.whole()
      return group
    } catch (error) {
      await group.close()
      throw error
    }
  }

  running(): readonly number[] {
    return this.#members.map((_, seat) => seat).filter((seat) => !this.#down.has(seat))
  }

  async whole(): Promise<number> {
    return this.#members.indexOf(await this.#pool.whole())
  }

  async elect(seat: number, election: string): Promise<void> {
    await this.#member(seat).answer({ command: 'elect', election })
  }

  async order(seat: number, text: string, signal?: AbortSignal): Promise<number> {
    return await this.#member(seat).order(text, signal)
  }

  watch(): Promise<void> {
    return Promise.resolve()
  }

  reign(election: string): Reign | undefined {
    const known = this.running().map((seat) => this.#member(seat).reigns.get(election))
    const [first] = known
    if (first === undefined || known.some((each) => each?.epoch !== first.epoch || each.winner !== first.winner)) return undefined
    return {
      epoch: first.epoch,
      winner: this.#members.findIndex(({ id }) => id === first.winner),
      time: Math.max(...known.map((each) => each?.time ?? Infinity)),
    }
  }

  send(seat: number, signal: 'SIGKILL' | 'SIGSTOP'): void {
    this.#member(seat).send(signal)
    this.#down.add(seat)
  }

  /** A member that was killed or stood still has ended for its pool. So another one comes. */
  async mend(): Promise<void> {
    for (const seat of this.#down) {
      await this.#member(seat).kill()
      this.#members[seat] = await this.#pool.enter()
    }
    this.#down.clear()
    await this.whole()
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  #member(seat: number): LedgerProcess {
    return this.#members[seat] as LedgerProcess
  }
}
