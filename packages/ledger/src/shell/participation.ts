import { NO_VOTERS, hasSeat, seatsOf, type Configuration } from '../core/configuration.ts'
import { ELECTION, type StopCode } from '../core/ledger-io.ts'
import { isAnswer, isRequest, type LedgerMessage } from '../core/messages.ts'
import { idOf, seatOf, type Address, type Seat } from '../core/seat.ts'
import { openSeat, type StoreRecord } from '../core/store.ts'
import type { ReadStatement } from '../fold/bodies.ts'
import type { Store } from '../store/store.ts'
import type { Envelope } from '../wire/frames.ts'
import { Applied, type AppliedEvents } from './applied.ts'
import { Client } from './client.ts'
import { Compaction } from './compaction.ts'
import { digest, newNonce } from './digest.ts'
import { Publisher } from './publisher.ts'
import type { Beginning } from './founding.ts'
import { Subscription } from './subscription.ts'
import { isAuthorized, mayCommit } from './authorization.ts'
import type { LedgerPort } from './port.ts'
import { encodeSeat, SEAT_CONSTANT } from './seat-constant.ts'
import { SeatHost } from './seat-host.ts'
import { StatedSeats } from './stated-seats.ts'
import { Transport } from './transport.ts'

export interface ParticipationOptions {
  readonly port: LedgerPort
  /** If `groups` is undefined, this member enters a ledger. Otherwise it founds one. */
  readonly beginning: Beginning
  readonly store: Store
  readonly records: readonly StoreRecord[]
  readonly votes: boolean
  readonly read: ReadStatement
  readonly events: Omit<AppliedEvents, 'onAdvanced'> & {
    /** The leader has changed, as far as this member knows. */
    onLed(): void
    /** This member led, and has heard no quorum for five seconds. */
    onNoMajority(): void
    /** This member's seat has stopped. */
    onStopped(code: StopCode, error: Error | undefined): void
    /** A voter has another history of the ledger with this name. */
    onForeign(voter: string): void
  }
}

/**
 * This member's part in one ledger: its seat, the applied entries, and the voter that it follows.
 */
export class Participation {
  readonly #options: ParticipationOptions
  readonly applied: Applied
  readonly client: Client
  readonly seats: StatedSeats
  readonly #transport: Transport
  readonly #publisher: Publisher
  readonly #subscription: Subscription
  readonly #compaction: Compaction
  #seat: SeatHost | undefined
  /** Whether the stores of the voters outlive their processes, as far as this member has seen. */
  readonly #durable = new Map<Seat, boolean>()
  /**
   * The leader that the followed voter reports. It counts while no leader sends entries to this
   * member's own seat. Undefined: this member follows no voter.
   */
  #heard: { readonly term: number; readonly leader: Seat | undefined } | undefined
  #isClosed = false

  private constructor(options: ParticipationOptions) {
    const {
      port,
      beginning: { ledger },
      read,
      events,
    } = options
    this.#options = options
    this.seats = new StatedSeats(ledger)
    this.applied = new Applied(digest, ledger, read, {
      ...events,
      onAdvanced: () => this.#adopt(),
    })
    this.#transport = new Transport(port, {
      onEnvelope: (from, envelope) => this.#receive(from, envelope),
      // A leader sends a heartbeat each second, so its stream is never closed for silence. If its
      // stream ends, the leader has ended or the connection is broken.
      onEnded: (from) => this.#seat?.deliver({ type: 'lost', id: from }),
    })
    this.#publisher = new Publisher(port, () => this.#seat)
    this.#compaction = new Compaction(this.applied, () => this.#seat)
    this.#subscription = new Subscription({
      port,
      ledger,
      applied: this.applied,
      seats: this.seats,
      isNeeded: () => !this.#isFed(),
      onForeign: (voter) => events.onForeign(voter),
      onLed: (term, leader) => {
        this.#heard = term === undefined ? undefined : { term, leader }
        this.client.led()
        events.onLed()
      },
    })
    this.client = new Client({
      send: (to, request) => this.#send(to, request),
      leader: () => this.leader,
      seats: () => this.#asked(),
    })
  }

  /**
   * Opens the seat, and connects it to the other members.
   *
   * @throws LedgerFileError if the first record of a new store can't be written
   */
  static async start(options: ParticipationOptions): Promise<Participation> {
    const { port, beginning, store, records, votes, events } = options
    const { ledger, groups } = beginning
    const part = new Participation(options)
    const { id } = port.self
    const nonce = newNonce()
    const configuration = groups === undefined ? NO_VOTERS : { groups: groups(seatOf(id, nonce, false)) }
    const opened = openSeat(digest, records, { ledger, id, configuration }, () => nonce)
    if (opened.records !== records) for (const record of opened.records) await store.write(record, [record])
    part.#seat = new SeatHost({ digest, random: Math.random, clock: { now: () => performance.now() } }, opened.durable, store, {
      send: (to, message) => part.#send(to, message),
      committed: ({ first, entries }) => {
        part.applied.commit(first, entries)
        part.#tell()
        part.#publisher.feed()
        part.#compaction.advance()
      },
      installed: ({ snapshot }) => void part.applied.install(snapshot),
      led: () => {
        part.client.led()
        part.#publisher.led()
        part.#subscription.check()
        events.onLed()
      },
      noMajority: () => events.onNoMajority(),
      stopped: (code, error) => {
        part.#seat?.stop()
        part.#seat = undefined
        events.onStopped(code, error)
      },
    })
    part.applied.install(opened.durable.log.snapshot)
    await part.#transport.start()
    await part.#publisher.start()
    await port.setConstant(SEAT_CONSTANT, encodeSeat({ ledger, seat: opened.durable.seat, isDurable: store.isDurable, votes }))
    part.look()
    return part
  }

  get ledger(): string {
    return this.#options.beginning.ledger
  }

  /** Undefined: the seat has stopped. */
  get seat(): SeatHost | undefined {
    return this.#seat
  }

  get isLeader(): boolean {
    return this.#seat?.isLeader === true
  }

  /**
   * The leader: the one that this member's own seat knows, if that leader feeds it. Otherwise the
   * one that the followed voter reports.
   */
  get leader(): Seat | undefined {
    return this.#isFed() ? this.#seat?.state.leader : this.#heard?.leader
  }

  /**
   * The voters. Before the first change of voters no entry names them. Until then a member whose
   * seat votes takes the configuration of its seat. Any other member takes the leader as the only
   * voter, if it knows one.
   */
  get voters(): Configuration {
    const { voters } = this.applied.end
    const state = this.#seat?.state
    if (voters.groups.length > 0 || state === undefined) return voters
    if (hasSeat(state.configuration, state.seat)) return state.configuration
    return this.leader === undefined ? voters : { groups: [{ seats: [this.leader] }] }
  }

  /**
   * Whether a leader is known. Unlike `leader`, it still counts the leader of the own seat if that
   * one has been silent for a moment.
   */
  get isLed(): boolean {
    return (this.#seat?.state.leader ?? this.#heard?.leader) !== undefined
  }

  get term(): number {
    return Math.max(this.applied.end.term, this.#heard?.term ?? 0, this.#isFed() ? (this.#seat?.state.term ?? 0) : 0)
  }

  /**
   * Whether the store of a voter outlives its process. Undefined: this member has not seen the
   * voter.
   */
  isDurable(seat: Seat): boolean | undefined {
    const stated = this.seats.of(idOf(seat))
    return stated?.seat === seat ? stated.isDurable : this.#durable.get(seat)
  }

  /**
   * Reads the seats that the members state in their constants. Call it after each change of a
   * member, and once a second.
   */
  look(): void {
    if (this.#isClosed) return
    const isNew = this.seats.read(this.#options.port.members())
    this.#rememberStores()
    if (isNew) this.#seat?.deliver({ type: 'seen', seats: [...this.seats.all] })
    this.#subscription.check()
  }

  /** A member died or left. */
  gone(id: string): void {
    this.#seat?.deliver({ type: 'lost', id })
    this.look()
  }

  /** Stops the seat, and closes all streams. A leader hands over first. */
  async close(why: Error): Promise<void> {
    this.#isClosed = true
    this.client.close(why)
    this.applied.close(why)
    this.#subscription.close()
    this.#seat?.deliver({ type: 'resign' })
    await Promise.all([this.#transport.close(), this.#publisher.close()])
  }

  /**
   * Whether this member gets the entries from its own seat. Otherwise it follows a voter, as a
   * reader.
   *
   * The seat must vote, and it must lead or have heard a leader within {@link ELECTION}. The second
   * condition matters for a seat that was replaced while the member was away: such a seat still
   * takes itself for a voter, but no leader sends entries to it.
   */
  #isFed(): boolean {
    const state = this.#seat?.state
    if (state === undefined || !hasSeat(state.configuration, state.seat) || state.leader === undefined) return false
    return state.role === 'leader' || performance.now() - state.heardAt < ELECTION
  }

  #rememberStores(): void {
    const voters = seatsOf(this.voters)
    for (const seat of this.#durable.keys()) if (!voters.includes(seat)) this.#durable.delete(seat)
    for (const seat of voters) {
      const stated = this.seats.of(idOf(seat))
      if (stated?.seat === seat) this.#durable.set(seat, stated.isDurable)
    }
  }

  /** The seats that may know the leader: voters, or else all seats. */
  #asked(): readonly Seat[] {
    const voters = seatsOf(this.applied.end.voters).filter((seat) => this.seats.all.has(seat))
    if (voters.length > 0) return voters
    // A founder asks nobody: its own seat reports the first leader.
    return this.#seat?.state.configuration.groups.length === 0 ? [...this.seats.all] : []
  }

  /**
   * Tells the voters the commit index at once. Otherwise they would learn it from the next
   * heartbeat.
   */
  #tell(): void {
    const state = this.#seat?.state
    if (state?.role !== 'leader') return
    const { ledger, configuration, seat, commit, log } = state
    const hash = log.hashAt(commit)
    if (hash === undefined) return
    for (const to of seatsOf(configuration))
      if (to !== seat) this.#transport.send(idOf(to), { ledger, from: seat, to, message: { type: 'tip', index: commit, hash } })
  }

  /**
   * Installs the state that this member has read from a voter, if its own seat was replaced while
   * it was away. A leader sends no entries to such a seat.
   */
  #adopt(): void {
    const state = this.#seat?.state
    if (state === undefined || this.#isFed()) return
    const { end } = this.applied
    if (end.index > state.log.lastIndex && hasSeat(state.configuration, state.seat) && !hasSeat(end.voters, state.seat))
      this.#seat?.deliver({ type: 'install', snapshot: this.applied.snapshot() })
  }

  #send(to: Address, message: LedgerMessage): void {
    const {
      port,
      beginning: { ledger },
    } = this.#options
    const self = port.self.id
    const id = idOf(to)
    const envelope = { ledger, from: this.#seat?.seat ?? self, to, message }
    if (id === self) this.#take(self, envelope)
    // A request names the id of its sender, not a seat. So an answer goes to the present seat of
    // that member.
    else this.#transport.send(id, isAnswer(message) ? { ...envelope, to: this.seats.of(id)?.seat ?? to } : envelope)
  }

  #receive(id: string, envelope: Envelope): void {
    const { ledger, from, to, message } = envelope
    if (ledger !== this.ledger || idOf(from) !== id) return
    if (message.type === 'tip') {
      if (to === this.seat?.seat && mayCommit(this.seat.state, from)) this.seat.deliver(message)
    } else if (isAuthorized(this.seats, this.#options.read, id, from, message)) this.#take(id, { ...envelope, message })
    else if (message.type === 'propose') this.#send(id, { type: 'refused', number: message.number, reason: 'invalid' })
  }

  #take(id: string, { ledger, from, to, message }: Envelope & { readonly message: LedgerMessage }): void {
    if (isAnswer(message)) this.client.take(from, message)
    else this.#seat?.deliver({ type: 'message', ledger, from: isRequest(message) ? id : from, to, message })
  }
}
