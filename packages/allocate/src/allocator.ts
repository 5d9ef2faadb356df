import type { Member, MemberRef, Pool } from '@jel/jel'
import type { Monitor } from '@jel/monitor'
import * as v from 'valibot'
import type { Amounts, Milliseconds } from './core/calendar.ts'
import type { Token } from './core/fence.ts'
import { amount, name, type Capacities } from './core/messages.ts'
import { InvalidRequestError } from './errors.ts'
import { GroupHost, type AllowStarter } from './group/group-host.ts'
import { checkGroupOptions, LONGEST_RUN, type GroupOptions } from './group/group-options.ts'
import type { GroupRun } from './group/group-run.ts'
import { newGroupId } from './group/header.ts'
import type { GroupProgram } from './group/running-rank.ts'
import { Holder, type LeaseOptions } from './holder.ts'
import type { Lease } from './lease.ts'
import type { Limit } from './limit/limit.ts'
import { Measurements, placeOptionsOf } from './pairs/measurements.ts'
import type { Pair, UnknownPair } from './pairs/pairs.ts'
import { PROBE, TOKEN_TIME } from './pairs/probe-token.ts'
import { checkEnough, selectMembers, type PatternOptions, type Selection, type SelectOptions } from './select.ts'
import { Granter, type AllowLease } from './shell/granter.ts'

/**
 * Chooses members by their attributes, and leases capacity of them. `allocator` creates it. The
 * member that owns a capacity grants its leases alone, so they hold also while the pool is cut.
 */
export class Allocator implements AsyncDisposable {
  readonly #pool: Pool
  readonly #monitor: Monitor
  readonly #granter: Granter
  readonly #groups: GroupHost
  readonly #end = new AbortController()
  readonly #holder: Holder
  readonly #measurements: Measurements
  #allow: AllowLease = () => true

  private constructor(pool: Pool, monitor: Monitor) {
    this.#pool = pool
    this.#monitor = monitor
    this.#granter = new Granter(
      pool,
      (asked) => this.#allow(asked),
      (effect) => this.#groups.leased(effect),
      () => this.#groups.list(this.#granter.holds()),
    )
    this.#groups = new GroupHost(pool, (input) => this.#granter.deliver(input))
    this.#holder = new Holder(pool, this.#granter, this.#end.signal)
    this.#measurements = new Measurements(
      pool,
      async (manager) => await this.lease(manager, { [PROBE]: 1 }, { for: TOKEN_TIME }),
      this.#end.signal,
    )
  }

  /** @internal */
  static async start(pool: Pool, monitor: Monitor): Promise<Allocator> {
    const started = new Allocator(pool, monitor)
    const { signal } = started.#end
    await started.#granter.start(signal)
    await started.#groups.start(signal)
    await started.#measurements.start()
    for (const type of ['died', 'left'] as const)
      pool.addEventListener(type, ({ detail }) => started.#holder.finish(`its granter ${type}`, detail.id), { signal })
    void pool.closed.then(() => started.#close())
    return started
  }

  /**
   * Offers a capacity of this member, or changes it. It is for the member to enforce: it knows its
   * leases and their tokens.
   *
   * @throws InvalidRequestError, also if leases take more than the new amount
   */
  offer(capacity: string, total: number): void {
    if (!v.is(name, capacity)) throw new InvalidRequestError(`offer: ${JSON.stringify(capacity)}: must be a word, as in cpus`)
    if (!v.is(amount, total)) throw new InvalidRequestError(`offer: ${capacity}: must be a number, and not below 0`)
    if (!this.#granter.offer(capacity, total)) throw new InvalidRequestError(`offer: ${capacity}: leases take more than ${total}`)
  }

  /**
   * Enforces a lease of this member: the holder has its present amount, as bytes a second. All
   * limits with one token share it.
   *
   * @param holder the member at the other end of the stream that is limited
   * @param token the holder sends it; an older token is refused
   * @throws LeaseError with the code `NO_LEASE` if the token is no living lease of this holder
   */
  limit(capacity: string, holder: MemberRef, token: Token): Limit {
    return this.#granter.limit(capacity, idOf(holder), token)
  }

  /** Returns the amount of a capacity of this member that running leases may use now. */
  inUse(capacity: string): number {
    return this.#granter.inUse(capacity)
  }

  /** Decides which members may have leases. Default: all. */
  allow(allow: AllowLease): void {
    this.#allow = allow
  }

  /**
   * Leases capacity of a member.
   *
   * @throws InvalidRequestError; LeaseError with the code `CAPACITY` and the time until it would
   *   fit; UnknownMemberError; OpenError if the member can't be reached or grants no leases
   */
  async lease(member: MemberRef, amounts: Amounts, options: LeaseOptions): Promise<Lease> {
    this.#check()
    return await this.#holder.lease(idOf(member), amounts, options)
  }

  /**
   * Takes ranks of a program from now on, in the groups of any member. Offers the capacity `ranks`
   * of 1, unless one is offered already: so many programs run here at once.
   *
   * @param run gets the group and the input; its result goes to the member that started the group
   * @param allow whether a member may start groups with a rank here; default: any member
   */
  program(program: string, run: GroupProgram, allow: AllowStarter = () => true): void {
    if (!v.is(name, program)) throw new InvalidRequestError(`program: ${JSON.stringify(program)}: must be a word, as in solve`)
    if (this.#granter.totals['ranks'] === undefined) this.offer('ranks', 1)
    this.#groups.serve(program, run, allow)
  }

  /**
   * Starts a program at several members: at all of them or at none. Resolves when they have
   * started. This member has a rank only if it takes ranks of the program, too.
   *
   * @throws InvalidRequestError; TooFewMatchError; GroupError with the code `NEVER` if too few
   *   members can take a rank, `TIMEOUT` or `STOPPED`
   */
  async group(program: string, options: GroupOptions): Promise<GroupRun> {
    checkGroupOptions(options)
    this.#check()
    const { count, grow = false, atLeast = grow ? 1 : count, spares = Math.ceil(count / 10), timeout = 10_000, signal } = options
    const { where, rank, ids, location, nearest } = options
    const date = Date.now()
    const select = async (): Promise<Selection> =>
      await this.explain({ where, rank, ids, location, ...(nearest === true && { nearest, count: count + spares }) })
    const selection = await select()
    const atLeastNow = Math.min(atLeast, count)
    // A member may take several ranks.
    if (selection.selected.length === 0) checkEnough(selection, atLeastNow)
    this.#check()
    const wanted = {
      group: newGroupId(),
      program,
      title: options.title,
      candidates: idsOf(selection),
      count,
      atLeast: atLeastNow,
      grows: grow,
      spares,
      amounts: options.amounts ?? { ranks: 1 },
      for: options.for ?? LONGEST_RUN,
      date,
      input: options.input,
      timeout,
      signal,
    }
    return await this.#groups.want(wanted, async () => idsOf(await select()))
  }

  /** The leases that this member holds. */
  get held(): readonly Lease[] {
    return this.#holder.leases
  }

  /** Returns the capacities of a member, all leases of them, and its groups. */
  async leasesOf(member: MemberRef): Promise<Capacities> {
    return await this.#holder.leasesOf(idOf(member))
  }

  /**
   * Returns the members that match a condition, the best first, or in the order of a pattern.
   *
   * @throws InvalidRequestError; TooFewMatchError if fewer than `count` match; UnknownPairError if
   *   a pattern can't be placed without a pair that could not be measured
   */
  async select(options: PatternOptions = {}): Promise<readonly Member[]> {
    const selection = await this.explain(options)
    checkEnough(selection, options.count ?? 0)
    return selection.selected.map(({ member }) => member)
  }

  /**
   * As `select`, with ranks and the number of members that meet each condition. Too few are no
   * error, unless there is a pattern.
   */
  async explain({ signal, ...options }: PatternOptions = {}): Promise<Selection> {
    const select = async (some: SelectOptions): Promise<Selection> =>
      await selectMembers(this.#pool.members(), this.#monitor, some, this.#pool.self.location)
    if (options.pattern === undefined) return await select(options)
    const wanted = placeOptionsOf(options)
    const selection = await select({ ...options, count: undefined })
    checkEnough(selection, wanted.count)
    this.#check()
    return await this.#measurements.place(selection, wanted, signal)
  }

  /**
   * Measures the round trip and the bandwidth between members, each with each. Probes of one site
   * never run at once: see `docs/leases.md`. `select` uses the figures for a minute.
   *
   * @param options `timeout`: the time for all, ms; default: 30,000
   * @returns the figures of each pair, and the pairs that have none
   * @throws UnknownMemberError; the reason of the signal
   */
  async measure(
    members: readonly MemberRef[],
    options: { readonly timeout?: Milliseconds; readonly signal?: AbortSignal } = {},
  ): Promise<{ readonly pairs: readonly Pair[]; readonly unknown: readonly UnknownPair[] }> {
    this.#check()
    return await this.#measurements.measure(new Set(members.map((member) => idOf(member))), options)
  }

  /** Releases all leases, and grants no more. */
  async close(): Promise<void> {
    this.#end.abort()
    await this.#holder.release()
    this.#close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #check(): void {
    if (this.#end.signal.aborted) throw new InvalidRequestError('lease: this allocator is closed')
  }

  #close(): void {
    this.#end.abort()
    this.#groups.close('this member takes no part any more')
    this.#granter.close()
    this.#holder.finish('this member has left the pool')
  }
}

function idsOf({ selected }: Selection): string[] {
  return selected.map(({ member }) => member.id)
}

function idOf(member: MemberRef): string {
  return typeof member === 'string' ? member : member.id
}

/**
 * Begins to choose members and to lease their capacity, and lets others lease this member's.
 *
 * @throws InvalidProtocolError if this member has an allocator already; PoolLeftError
 */
export async function allocator(pool: Pool, monitor: Monitor): Promise<Allocator> {
  return await Allocator.start(pool, monitor)
}
