import { NO_VOTERS, isQuorum, seatsOf } from '../core/configuration.ts'
import type { Snapshot } from '../core/log.ts'
import { idOf, type Seat } from '../core/seat.ts'
import { newSeat, type StoreRecord } from '../core/store.ts'
import { LedgerMissingError, RecoveryError } from '../errors.ts'
import { memoryStore, type Store } from '../store/store.ts'
import { digest, newNonce } from './digest.ts'
import { generationOf, ledgerOf, newLedger, type Beginning } from './founding.ts'
import type { Participation } from './participation.ts'
import type { LedgerPort } from './port.ts'

/** The number of indexes that a recovery skips. A lost majority can't have used as many. */
const RECOVERED = 2 ** 32

export interface GenerationsOptions {
  readonly port: LedgerPort
  readonly store: Store
  readonly participate: (beginning: Beginning, records: readonly StoreRecord[], store: Store) => Promise<Participation>
  readonly warn: (code: string, message: string) => void
}

/**
 * Rejects the calls that wait for an answer of a replaced ledger. The calls can be repeated in the
 * new ledger.
 */
export class NewBeginning extends LedgerMissingError {
  constructor() {
    super('a new generation of the ledger has begun')
  }
}

/**
 * The ledgers of a pool, one after the other. If the majority of the voters is lost, a person
 * begins the next generation on one member. Each member that sees the new generation enters it.
 */
export class Generations {
  readonly #options: GenerationsOptions
  #part: Participation | undefined
  #change: Promise<void> | undefined
  #isClosed = false

  constructor(options: GenerationsOptions) {
    this.#options = options
  }

  /** This member's part in the present ledger. Undefined: it has entered none yet. */
  get part(): Participation | undefined {
    return this.#part
  }

  /** @throws LedgerMissingError */
  get running(): Participation {
    if (this.#part === undefined) throw new LedgerMissingError('this member takes part in no ledger')
    return this.#part
  }

  /** Resolves when no change is under way. */
  get changed(): Promise<void> {
    return this.#change ?? Promise.resolve()
  }

  async begin(beginning: Beginning, records: readonly StoreRecord[]): Promise<void> {
    this.#part = await this.#options.participate(beginning, records, this.#options.store)
  }

  /**
   * Enters a later generation, if the present one has lost its majority. So a member that lies
   * can't end a ledger that works. Two ledgers of one generation go on side by side, with a
   * warning.
   */
  look(hasMajority: boolean): void {
    const { port, warn } = this.#options
    const own = this.#part?.ledger
    if (own === undefined) return
    try {
      const latest = ledgerOf(port, { own })
      if (latest === undefined || latest === own) return
      if (hasMajority) warn('LEDGER_CONFLICT', `another member has the ledger ${latest}, and the present one has a majority: ${own}`)
      else this.#enter(() => latest).catch((error: unknown) => warn('LEDGER_CONFLICT', (error as Error).message))
    } catch (error) {
      warn('LEDGER_CONFLICT', (error as Error).message)
    }
  }

  /**
   * Begins the next generation, with this member as the only voter. Entries that this member does
   * not have are lost. All entries that it has count, even those that it does not know to be
   * committed.
   *
   * If the other voters live on beyond a network partition, the pool has two ledgers. So a person
   * must decide it, on one member only.
   *
   * @param lost the number of voters that are lost, as a check
   * @throws RecoveryError
   */
  async recover(lost: number, hasMajority: boolean): Promise<void> {
    if (this.#change !== undefined) throw new RecoveryError('this member is entering another ledger')
    const { ledger, applied, voters, seats, seat } = this.running
    const missing = seatsOf(voters).filter((seat) => !seats.all.has(seat))
    if (hasMajority) throw new RecoveryError('the ledger has a leader: there is nothing to recover')
    if (isQuorum(voters, seats.all)) throw new RecoveryError('most voters can be reached, so they will elect a leader: wait')
    if (missing.length !== lost)
      throw new RecoveryError(`${missing.length} voters can't be reached, not ${lost}: ${missing.map(idOf).join(', ') || 'none'}`)
    const log = seat?.state.log
    if (log?.hashAt(applied.end.index) === applied.end.hash)
      applied.commit(applied.end.index + 1, log.slice(applied.end.index + 1, log.lastIndex))
    const { term, hash } = applied.end
    // So the epochs of the lost majority stay below all later epochs.
    const index = applied.end.index + RECOVERED
    const state = applied.renewed(index)
    const next = (): string => newLedger(generationOf(ledger) + 1)
    await this.#enter(next, (own) => ({
      index,
      term,
      hash,
      configuration: { groups: [{ seats: [own] }] },
      state,
    }))
  }

  /**
   * Gives up this member's ledger, and enters the one that other members state.
   *
   * @throws RecoveryError
   */
  async abandon(): Promise<void> {
    const other = ledgerOf(this.#options.port, { except: this.running.ledger })
    if (other === undefined) throw new RecoveryError('no other member has another ledger')
    await this.#enter(() => other)
  }

  async close(why: Error): Promise<void> {
    this.#isClosed = true
    await this.#change?.catch(() => {})
    await this.#part?.close(why)
    await this.#options.store.close()
  }

  /**
   * Enters another ledger, with a new seat.
   *
   * @param name called a second time if the write of the first name failed: the file may have it
   *   all the same
   */
  async #enter(name: () => string, beginning?: (seat: Seat) => Snapshot): Promise<void> {
    if (this.#isClosed || this.#change !== undefined) return
    this.#change = this.#leaveFor(name, beginning)
    try {
      await this.#change
    } finally {
      this.#change = undefined
    }
  }

  async #leaveFor(name: () => string, beginning: ((seat: Seat) => Snapshot) | undefined): Promise<void> {
    const { port, participate, warn } = this.#options
    await this.#part?.close(new NewBeginning())
    const newRecord = (): Extract<StoreRecord, { type: 'seat' }> => {
      const first = newSeat(digest, { ledger: name(), id: port.self.id, nonce: newNonce(), configuration: NO_VOTERS })
      return beginning === undefined ? first : { ...first, snapshot: beginning(first.seat) }
    }
    let record = newRecord()
    let { store } = this.#options
    try {
      await store.write(record, [record])
    } catch (error) {
      warn('LEDGER_WRITE_FAILED', `this member keeps the ledger in memory from now on: ${(error as Error).message}`)
      // The file may have the first seat, and the next start would continue with that seat.
      record = newRecord()
      store = memoryStore
    }
    if (this.#isClosed) return
    this.#part = await participate({ ledger: record.ledger }, [record], store)
    warn('LEDGER_RECOVERED', `this member has entered another ledger: ${record.ledger}`)
  }
}
