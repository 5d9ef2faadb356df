import { idOf, type Member, type MemberRef, type Pool } from '@jel/jel'
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
 * Chooses members by their attributes, leases their capacity, and starts groups of processes on
 * them. `allocator` creates an Allocator. Only the owner of a capacity grants leases of it, so
 * leases stay valid during a partition.
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
   * Offers a capacity of this member, or changes its amount. The program of this member must
   * enforce the leases. It can list the leases, and check their tokens.
   *
   * @throws InvalidRequestError, also if leases exceed the new amount, or this allocator is closed
   */
  offer(capacity: string, total: number): void {
    this.#check()
    if (!v.is(name, capacity)) throw new InvalidRequestError(`offer: ${JSON.stringify(capacity)}: must be a word, as in cpus`)
    if (!v.is(amount, total)) throw new InvalidRequestError(`offer: ${capacity}: must be a number, and not below 0`)
    if (!this.#granter.offer(capacity, total)) throw new InvalidRequestError(`offer: ${capacity}: leases take more than ${total}`)
  }

  /**
   * Returns a limit that enforces a lease of this member. The holder may send as many bytes a
   * second as the present amount of the lease. All limits with one token share this amount.
   *
   * @param holder the member at the other end of the stream
   * @param token the token that the holder sent
   * @throws LeaseError with the code `NO_LEASE` if the token is not that of a present lease of this
   *   holder; InvalidRequestError if this allocator is closed
   */
  limit(capacity: string, holder: MemberRef, token: Token): Limit {
    this.#check()
    return this.#granter.limit(capacity, idOf(holder), token)
  }

  /** Returns the amount of a capacity of this member that leases may use now. */
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
   * @throws InvalidRequestError; LeaseError, with the time until the request would fit, if that is
   *   known; UnknownMemberError; OpenError if the member can't be reached or grants no leases
   */
  async lease(member: MemberRef, amounts: Amounts, options: LeaseOptions): Promise<Lease> {
    this.#check()
    return await this.#holder.lease(idOf(member), amounts, options)
  }

  /**
   * Lets the groups of any member run this program here. Each run is one rank (process) of a group.
   * Offers the capacity `ranks` with the amount 1, unless this member offers `ranks` already. That
   * amount bounds the ranks that run here at once.
   *
   * @param run gets the group and the input; its result goes to the member that started the group
   * @param allow whether a member may start groups with a rank here; default: any member
   * @throws InvalidRequestError
   */
  program(program: string, run: GroupProgram, allow: AllowStarter = () => true): void {
    this.#check()
    if (!v.is(name, program)) throw new InvalidRequestError(`program: ${JSON.stringify(program)}: must be a word, as in solve`)
    if (this.#granter.totals['ranks'] === undefined) this.offer('ranks', 1)
    this.#groups.serve(program, run, allow)
  }

  /**
   * Starts a program as a group of `count` ranks, or of at least `atLeast`. A group of fewer ranks
   * never starts. Resolves when the group has started. This member has a rank of it only if it
   * called `program`, too.
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
    // One member may be enough, since it can take several ranks.
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

  /** The leases that this member has from other members and from itself. */
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
   *   each placement of the pattern needs a pair that could not be measured
   */
  async select(options: PatternOptions = {}): Promise<readonly Member[]> {
    const selection = await this.explain(options)
    checkEnough(selection, options.count ?? 0)
    return selection.selected.map(({ member }) => member)
  }

  /**
   * As `select`, with the value of `rank` for each member, and the number of members that meet each
   * condition. A selection of too few members is an error only for a pattern.
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
   * Measures the round trip and the bandwidth of each pair of these members. Two probes at one site
   * never run at once: see `docs/leases.md`. `select` uses the figures for a minute.
   *
   * @param options `timeout`: the time for all pairs, ms; default: 30,000
   * @returns the figures of each pair, and the pairs without figures
   * @throws UnknownMemberError; the reason of the signal
   */
  async measure(
    members: readonly MemberRef[],
    options: { readonly timeout?: Milliseconds; readonly signal?: AbortSignal } = {},
  ): Promise<{ readonly pairs: readonly Pair[]; readonly unknown: readonly UnknownPair[] }> {
    this.#check()
    return await this.#measurements.measure(new Set(members.map((member) => idOf(member))), options)
  }

  /** Releases all leases of this member, and grants no more leases. */
  async close(): Promise<void> {
    this.#end.abort()
    await this.#holder.release()
    this.#close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #check(): void {
    if (this.#end.signal.aborted) throw new InvalidRequestError('this allocator is closed')
  }

  #close(): void {
    this.#end.abort()
    this.#groups.close('this member has left the group')
    this.#granter.close()
    this.#holder.finish('this member has left the pool')
  }
}

function idsOf({ selected }: Selection): string[] {
  return selected.map(({ member }) => member.id)
}

/**
 * Returns the allocator of this member, and lets other members lease its capacity.
 *
 * @throws InvalidProtocolError if this member has an allocator already; PoolLeftError
 */
export async function allocator(pool: Pool, monitor: Monitor): Promise<Allocator> {
  return await Allocator.start(pool, monitor)
}
