import { inBackground, pause, type Timer } from '@jel/overlay'
import { raceSignal } from 'race-signal'
import { openStore } from '#store'
import { restore, type StoreRecord } from '../core/store.ts'
import { LedgerMissingError, type NoMajorityError } from '../errors.ts'
import type { LedgerEvent, LedgerMember, Life } from '../fold/events.ts'
import type { Fold } from '../fold/fold.ts'
import type { Store } from '../store/store.ts'
import { Announcer } from './announcer.ts'
import { Candidacies, type Propose } from './candidacies.ts'
import { begin, type Beginning, type Founding } from './founding.ts'
import { Generations, NewBeginning } from './generations.ts'
import { LeaderDuties } from './leader-duties.ts'
import { leaveLedger } from './leaving.ts'
import { lifeReader } from './life-statement.ts'
import type { LedgerNews } from './news.ts'
import { Orders } from './orders.ts'
import { OwnLife } from './own-life.ts'
import { Participation } from './participation.ts'
import type { LedgerPort } from './port.ts'
import { encodeSeat, readSeat, SEAT_CONSTANT } from './seat-constant.ts'
import { noMajority, statusOf, type LedgerStatus } from './status.ts'

const LOST = 'this member may have founded a ledger and lost its store, so it waits for a ledger of another member'
/**
 * If no leader is known for this time, the ledger has no majority, ms. A guess: three fail-overs.
 */
const NO_MAJORITY_AFTER = 2000
/** The interval at which `start` checks whether this life has joined, ms. A guess. */
const POLL = 10

export interface LedgerNodeOptions {
  /** Undefined: this member enters a ledger that another member founds. */
  readonly founding: Founding | undefined
  /** The largest number of voters. */
  readonly voters: number
  /** Whether this member may be a voter. */
  readonly votes: boolean
  readonly identityFile: string | undefined
  /**
   * Whether this member may found a ledger now, since it sees none. It may if it has met other
   * members, because it would see a ledger of theirs. It also may if its user lets it begin the
   * pool without them.
   */
  readonly mayFound: () => boolean
  /** Called with the warnings of the start. */
  readonly onWarning?: (code: string, message: string) => void
  /** Aborts {@link LedgerNode.start}. */
  readonly signal?: AbortSignal | undefined
}

/** The part of this member in the ledger of its pool. */
export class LedgerNode {
  readonly #port: LedgerPort
  readonly #options: LedgerNodeOptions
  readonly #announcer = new Announcer()
  readonly #orders: Orders
  readonly #duties: LeaderDuties
  readonly #life: OwnLife
  readonly candidacies: Candidacies
  readonly #generations: Generations
  /** The last time at which a leader was known. */
  #ledAt = performance.now()
  #status = ''
  #isShutDown = false
  readonly #unsubscribe: () => void
  readonly #timer: Timer

  private constructor(port: LedgerPort, options: LedgerNodeOptions, store: Store) {
    this.#port = port
    this.#options = options
    const propose: Propose = async (entry) => await this.#propose(entry)
    this.#life = new OwnLife(port, propose, (life) => this.#part?.applied.fold.hasEnded(life) === true)
    this.candidacies = new Candidacies(() => this.#life.joined, propose)
    this.#orders = new Orders(() => this.#life.joined, propose)
    this.#generations = new Generations({
      port,
      store,
      participate: async (...start) => await this.#participate(...start),
      warn: (code, message) => this.#announcer.warn(code, message),
    })
    this.#duties = new LeaderDuties(port, () => this.#part, options.voters)
    this.#unsubscribe = port.subscribe((news) => this.#hear(news))
    this.#timer = inBackground(setInterval(() => this.#look(), 1000))
  }

  /**
   * Founds or enters the ledger, and joins it. A full pool may refuse this life: see {@link
   * isRefused}.
   *
   * @throws LedgerMissingError or NoMajorityError if the signal aborts; LedgerConflictError,
   *   LedgerFileError, LedgerCorruptError
   */
  static async start(port: LedgerPort, options: LedgerNodeOptions): Promise<LedgerNode> {
    const { identityFile, signal } = options
    const { store, records, isNew } = await openStore(identityFile, port.pool, port.self)
    const node = new LedgerNode(port, options, store)
    const unsubscribe = node.subscribe((news) => news.type === 'warning' && options.onWarning?.(news.code, news.message))
    try {
      const stored = restore(records)?.ledger
      const { founding, mayFound } = options
      const isOver = (): boolean => signal?.aborted === true || node.#isShutDown
      const onLost = (): void => node.#announcer.warn('LEDGER_LOST', LOST)
      const beginning = stored === undefined ? await begin(port, { founding, isNew, mayFound, isOver, onLost }) : { ledger: stored }
      await node.#generations.begin(beginning, records)
      await node.#entered(signal)
      return node
    } catch (error) {
      await node.close()
      throw error
    } finally {
      unsubscribe()
    }
  }

  /** Calls the listener with later news. Returns a function that unsubscribes the listener. */
  subscribe(listener: (news: LedgerNews) => void): () => void {
    return this.#announcer.subscribe(listener)
  }

  get status(): LedgerStatus {
    return statusOf(this.#part, this.#hasMajority())
  }

  /** The members of the ledger, in the order of joining. */
  get members(): readonly LedgerMember[] {
    return this.#running.applied.fold.members
  }

  /** Returns the member of this life. Undefined: the life has not joined, or has ended. */
  member({ id, incarnation }: Life): LedgerMember | undefined {
    const member = this.#running.applied.fold.member(id)
    return member?.incarnation === incarnation ? member : undefined
  }

  /** Whether the ledger has refused this life, because the pool is full. */
  get isRefused(): boolean {
    return this.#life.isRefused
  }

  /** The size of a pool of a fixed size. Undefined: there is no limit. */
  get size(): number | undefined {
    return this.#running.applied.fold.size
  }

  /** Whether a pool of a fixed size is full: no further id can join. */
  get isPoolClosed(): boolean {
    return this.#running.applied.fold.isPoolClosed
  }

  reignOf(election: string): { readonly winner: Life; readonly epoch: number } | undefined {
    return this.#running.applied.fold.reignOf(election)
  }

  reigns(): readonly { readonly election: string; readonly winner: Life; readonly epoch: number }[] {
    return this.#running.applied.fold.reigns
  }

  /**
   * Returns the reign as it was at some moment during this call.
   *
   * @throws NoMajorityError
   */
  async confirm(election: string, signal: AbortSignal): Promise<{ readonly winner: Life; readonly epoch: number } | undefined> {
    await this.#timely(
      this.#applied(async ({ client }) => await client.read()),
      signal,
    )
    return this.reignOf(election)
  }

  /**
   * Appends an ordered message to the ledger, and waits until this member has applied it.
   *
   * @returns the index of the message's entry
   * @throws NoMajorityError, LedgerBusyError
   */
  async order(name: string, payload: Uint8Array, signal: AbortSignal): Promise<number> {
    return await this.#timely(this.#orders.order(name, payload), signal)
  }

  /** See {@link Generations.recover}. */
  async recover(lost: number): Promise<void> {
    await this.#generations.recover(lost, this.#hasMajority())
    this.#look()
  }

  /** See {@link Generations.abandon}. */
  async abandon(): Promise<void> {
    await this.#generations.abandon()
    this.#look()
  }

  /**
   * Leaves the ledger. Waits until this member is no voter any more, but at most five seconds, and
   * only if there is a majority. So members that leave one by one keep the majority, if each of
   * them is replaced in that time.
   */
  async leave(): Promise<void> {
    const part = this.#part
    const life = this.#life.joined
    this.#life.isLeaving = true
    if (part !== undefined && life !== undefined && this.#hasMajority()) await leaveLedger(part, life, () => this.#isShutDown)
    await this.close()
  }

  async close(): Promise<void> {
    if (this.#isShutDown) return
    this.#isShutDown = true
    clearInterval(this.#timer)
    this.#unsubscribe()
    const error = new LedgerMissingError('this member has left the ledger')
    this.#orders.close(error)
    await this.#generations.close(error)
  }

  get #part(): Participation | undefined {
    return this.#generations.part
  }

  get #running(): Participation {
    return this.#generations.running
  }

  async #participate(beginning: Beginning, records: readonly StoreRecord[], store: Store): Promise<Participation> {
    // As far as this member knows, this life has not joined the ledger that it enters.
    this.#life.installed([])
    return await Participation.start({
      beginning,
      store,
      records,
      port: this.#port,
      votes: this.#options.votes,
      read: lifeReader(this.#port.pool),
      events: {
        onEvents: (events) => {
          for (const event of events) this.#take(event)
        },
        // A snapshot may come before `Participation.start` has returned.
        onInstalled: (fold) => this.#installed(fold),
        onLed: () => this.#led(),
        onNoMajority: () => {
          this.#ledAt = -Infinity
          this.#review()
        },
        onStopped: (code, error) => void this.#stopped(code, error),
        onForeign: (voter) => this.#announcer.warn('LEDGER_FORK', `${voter} has another history of this ledger`),
      },
    })
  }

  /** Resolves when this life has joined, or the full pool has refused it. */
  async #entered(signal: AbortSignal | undefined): Promise<void> {
    this.#look()
    while (this.#life.joined === undefined && !this.#life.isRefused) {
      await pause(POLL)
      if (signal?.aborted === true) throw this.#late()
    }
  }

  /**
   * Passes an event of the fold to the parts of this node and to the listeners.
   *
   * The listeners get only the events after the first join of this process (`hasEntered`). At its
   * join, the application reads `members`.
   */
  #take(event: LedgerEvent): void {
    const change = this.#life.take(event)
    if (event.type === 'ended') this.#duties.ended(event.life, event.how)
    if (event.type === 'joined' || event.type === 'ended') this.#duties.check()
    if (change === 'refused') this.#announcer.emit({ type: 'refused' })
    // The event of the first join itself comes before `hasEntered` is set, so no listener gets it.
    if (this.#life.hasEntered) this.#announcer.emit({ type: 'event', event })
    if (event.type === 'ordered') this.#orders.take(event)
    if (change !== 'joined') return
    this.#life.hasEntered = true
    this.#orders.joined()
    this.candidacies.resume()
  }

  /**
   * A snapshot has replaced the state of the fold, and no event reports the entries that it covers.
   * The listeners learn that they have missed events (`gap`), unless this process had not joined
   * yet.
   */
  #installed(fold: Fold): void {
    this.#life.installed(fold.members)
    const { hasEntered, joined } = this.#life
    // The snapshot may cover the join of this life.
    if (joined !== undefined) this.#life.hasEntered = true
    this.#orders.installed(joined === undefined ? 0 : fold.lastNumber(joined.id))
    this.candidacies.resume()
    if (hasEntered) this.#announcer.emit({ type: 'gap' })
  }

  async #propose(entry: Parameters<Participation['client']['propose']>[0]): Promise<void> {
    await this.#applied(async ({ client }) => await client.propose(entry))
  }

  /**
   * Resolves when this member has applied the entries up to the index that a request returns. If a
   * new ledger begins meanwhile, the request is repeated in that ledger.
   */
  async #applied(request: (part: Participation) => Promise<number>): Promise<void> {
    for (;;) {
      const part = this.#running
      try {
        await part.applied.reached(await request(part))
        return
      } catch (error) {
        if (!(error instanceof NewBeginning) || this.#isShutDown) throw error
        await this.#generations.changed
        if (this.#part === part) throw error
      }
    }
  }

  /** A member of the pool has changed, or news was lost. */
  #hear(news: { readonly type: string }): void {
    const { type } = news
    if (type === 'left' || type === 'died') {
      const { member } = news as { readonly member: Life } & typeof news
      this.#duties.ended(member, type)
      this.#part?.gone(member.id)
    }
    if (type === 'joined' || type === 'updated' || type === 'gap' || type === 'left' || type === 'died') this.#look()
  }

  /** Brings all parts up to date with the members of the pool. It also runs once a second. */
  #look(): void {
    if (this.#isShutDown || this.#part === undefined) return
    this.#part.look()
    this.#duties.check()
    void this.#life.join()
    this.#review()
    this.#generations.look(this.#hasMajority())
  }

  #led(): void {
    this.#review()
    this.#duties.check()
  }

  /** Announces the status, if more of it than the index has changed. */
  #review(): void {
    const { status } = this
    const text = JSON.stringify({ ...status, index: 0 })
    if (text === this.#status) return
    this.#status = text
    this.#announcer.emit({ type: 'status', status })
  }

  #hasMajority(): boolean {
    const now = performance.now()
    if (this.#part?.isLed === true) this.#ledAt = now
    return now - this.#ledAt < NO_MAJORITY_AFTER
  }

  async #stopped(code: string, error: Error | undefined): Promise<void> {
    if (code === 'resigned' || this.#part === undefined) return
    const why = error === undefined ? '' : `: ${error.message}`
    this.#announcer.warn(code, `this member's seat in the ledger has stopped${why}`)
    const stated = readSeat(this.#port.self)
    if (stated !== undefined) await this.#port.setConstant(SEAT_CONSTANT, encodeSeat({ ...stated, votes: false })).catch(() => {})
  }

  /**
   * If the signal is a time-out, the call rejects with NoMajorityError, which names the unreachable
   * voters.
   */
  async #timely<Result>(call: Promise<Result>, signal: AbortSignal): Promise<Result> {
    const isTimeout = ({ reason }: AbortSignal): boolean => reason instanceof DOMException && reason.name === 'TimeoutError'
    return await raceSignal(call, signal, { translateError: () => (isTimeout(signal) ? this.#late() : (signal.reason as Error)) })
  }

  #late(): NoMajorityError {
    return noMajority(this.#part)
  }
}
