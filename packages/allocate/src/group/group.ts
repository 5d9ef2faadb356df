import { GroupError } from '../errors.ts'
import { checkRank, COLLECTIVE_TAG, Collectives } from './collectives.ts'
import { Mailbox, type Received } from './mailbox.ts'

/** Maximum bytes of a message between ranks. A guess. */
export const MAX_MESSAGE_BYTES = 8 * 1_048_576
/**
 * A call that waits for a rank asks at this interval whether the rank still takes part, ms. A
 * guess.
 */
const ASK_TIME = 1000
/** A call that waits for any rank asks this number of ranks each time. A guess. */
const ASKED = 8

/** A member that has a rank, and the place of the rank there. */
export interface RankMember {
  readonly id: string
  readonly place: string
  /** The last level of its location, which is the coarsest one. */
  readonly site: string
}

/** The functions of the member of a rank that its group uses. */
export interface GroupPort {
  /**
   * Sends bytes to the rank at a place. Resolves when the next message may follow, or when the rank
   * can't be reached any more.
   *
   * @param isOpen whether the rank can be reached
   */
  send(to: string, epoch: number, tag: number, bytes: Uint8Array, isOpen: () => boolean): Promise<void>
  /** Asks whether the rank at a place still takes part. */
  ask(place: string): void
  revoke(): void
  /** Agrees with the other ranks on the ranks of the next epoch. */
  next(how: 'shrink' | 'regroup'): Promise<Group>
}

/**
 * A group as the program of one rank sees it: a fixed list of ranks that exchange messages (MPI).
 * If a rank is lost, calls that depend on it reject with `RANK_LOST`. `shrink` goes on without it.
 */
export class Group extends Collectives {
  /** The name of the group, the same at all ranks. */
  readonly id: string
  /** 0 at first. Each `shrink` and each `regroup` adds 1. */
  readonly epoch: number
  /** The rank of this member, from 0. */
  readonly rank: number
  /**
   * The members by rank. Ranks of one site are neighbours, and so are those of one member.
   * Newcomers come after the other ranks.
   */
  readonly members: readonly string[]
  readonly #places: readonly string[]
  readonly #sites: readonly string[]
  readonly #port: GroupPort
  readonly #mailbox = new Mailbox()
  readonly #lost = new Map<number, string>()
  readonly #end: AbortSignal
  #revoked = false
  #asked = 0

  /** @internal */
  constructor(id: string, epoch: number, self: string, members: readonly RankMember[], end: AbortSignal, port: GroupPort) {
    const rank = members.findIndex((each) => each.place === self)
    const sites = members.map(({ site }) => site)
    super(rank, sites, {
      send: async (to, bytes, tag) => await this.#send(to, bytes, tag),
      receive: async (from, tag) => await this.#receive(from, tag),
      check: () => this.checkAll(),
    })
    this.#sites = sites
    this.id = id
    this.epoch = epoch
    this.members = members.map((each) => each.id)
    this.#places = members.map(({ place }) => place)
    this.rank = rank
    this.#port = port
    this.#end = end
    end.addEventListener('abort', () => this.#mailbox.close(end.reason as Error), { once: true })
  }

  get size(): number {
    return this.members.length
  }

  /** The ranks that are lost: their members died or left, or their programs have ended. */
  get lost(): readonly number[] {
    return [...this.#lost.keys()]
  }

  /** Aborts when the group is stopped, or when this member must give its capacity back. */
  get signal(): AbortSignal {
    return this.#end
  }

  /**
   * Sends bytes to a rank. Messages from one rank to another arrive in order, for as long as both
   * live. The call waits while the receiver is too slow.
   *
   * @param bytes at most 8 MiB; do not change them afterwards
   * @param tag from 0 to 2³¹ - 1
   * @throws GroupError with the code `RANK_LOST` or `REVOKED`; RangeError
   */
  async send(to: number, bytes: Uint8Array, tag = 0): Promise<void> {
    if (!(Number.isSafeInteger(tag) && tag >= 0 && tag < COLLECTIVE_TAG)) throw new RangeError('tag: must be a whole number below 2^31')
    await this.#send(to, bytes, tag)
  }

  /**
   * Receives the next message.
   *
   * @param options.from only from this rank; default: any
   * @param options.tag only with this tag; default: any
   * @throws GroupError with the code `RANK_LOST` or `REVOKED`
   */
  async receive(options: { readonly from?: number; readonly tag?: number; readonly signal?: AbortSignal } = {}): Promise<Received> {
    const { from, tag, signal } = options
    if (from !== undefined) checkRank(from, this.size)
    return await this.#receive(from, tag, signal)
  }

  /**
   * Ends all calls of all ranks with `REVOKED`, as `revoke` of ULFM does. After it only `shrink`
   * and `regroup` work.
   */
  revoke(): void {
    this.#port.revoke()
  }

  /**
   * Agrees with the other ranks on the ranks that are left, and returns the group of these ranks.
   * Each of them calls this method. The ranks get new numbers without gaps, and the epoch is
   * higher. Calls of this group end with `REVOKED`.
   */
  async shrink(): Promise<Group> {
    return await this.#port.next('shrink')
  }

  /**
   * Returns the group of the next epoch: the ranks that are left, and then the newcomers of a group
   * that grows. Each rank calls this method, at the same point of the program. The newcomers begin
   * the program with the new group. If ranks are lost, or another rank calls `shrink`, no newcomers
   * join this time.
   */
  async regroup(): Promise<Group> {
    return await this.#port.next('regroup')
  }

  /** @internal The site of each rank. */
  get sites(): readonly string[] {
    return this.#sites
  }

  /** @internal Sends with any tag, also with that of a collective call. */
  async sendTagged(to: number, bytes: Uint8Array, tag: number): Promise<void> {
    await this.#send(to, bytes, tag)
  }

  /** @internal Throws if a rank is lost: a collective call needs all ranks. */
  checkAll(): void {
    const [lost] = this.#lost.keys()
    if (lost !== undefined) throw this.#lostError(lost)
  }

  /** @internal Whether a place has a rank of this epoch. */
  has(place: string): boolean {
    return this.#places.includes(place)
  }

  /** @internal Takes a message. The promise waits until the program has read enough. */
  deliver(from: string, tag: number, bytes: Uint8Array): Promise<void> | undefined {
    const rank = this.#places.indexOf(from)
    return rank === -1 ? undefined : this.#mailbox.deliver({ from: rank, tag, bytes })
  }

  /** @internal */
  rankLost(place: string, reason: string): void {
    const rank = this.#places.indexOf(place)
    if (rank === -1 || this.#lost.has(rank)) return
    this.#lost.set(rank, reason)
    // A call that waits for another rank may depend on the lost one.
    this.#mailbox.rejectAll(this.#lostError(rank))
  }

  /** @internal */
  wasRevoked(): void {
    this.#revoked = true
    this.#mailbox.close(this.#revokedError())
  }

  async #send(to: number, bytes: Uint8Array, tag: number): Promise<void> {
    checkRank(to, this.size)
    this.#check(to)
    if (bytes.length > MAX_MESSAGE_BYTES) throw new RangeError(`a message has at most ${MAX_MESSAGE_BYTES} bytes, this one ${bytes.length}`)
    if (to === this.rank) {
      await this.#mailbox.deliver({ from: to, tag, bytes })
      return
    }
    const isOpen = (): boolean => !this.#end.aborted && !this.#revoked && !this.#lost.has(to)
    await this.#port.send(this.#places[to] as string, this.epoch, tag, bytes, isOpen)
    this.#check(to)
  }

  async #receive(from: number | undefined, tag: number | undefined, signal?: AbortSignal): Promise<Received> {
    const message = this.#mailbox.take(from, tag)
    if (message !== undefined) return message
    const lost = from ?? this.lost[0] ?? -1
    // Messages that came before the loss have been returned already.
    this.#check(lost)
    const timer = setInterval(() => this.#ask(from), ASK_TIME)
    try {
      return await this.#mailbox.next(from, tag, signal)
    } finally {
      clearInterval(timer)
    }
  }

  /**
   * Asks the rank for which a call waits whether it still takes part. A call that waits for any
   * rank asks some ranks each time.
   */
  #ask(from: number | undefined): void {
    const ranks = from === undefined ? Array.from({ length: ASKED }, () => this.#asked++ % this.size) : [from]
    for (const rank of new Set(ranks)) if (rank !== this.rank && !this.#lost.has(rank)) this.#port.ask(this.#places[rank] as string)
  }

  #check(rank: number): void {
    this.#end.throwIfAborted()
    if (this.#revoked) throw this.#revokedError()
    if (this.#lost.has(rank)) throw this.#lostError(rank)
  }

  #lostError(rank: number): GroupError {
    return new GroupError('RANK_LOST', `rank ${rank} (${this.members[rank]}) is lost: ${this.#lost.get(rank)}`)
  }

  #revokedError(): GroupError {
    return new GroupError('REVOKED', 'a rank has revoked the group')
  }
}
