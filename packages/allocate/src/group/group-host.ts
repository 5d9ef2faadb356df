import type { Pool } from '@jel/jel'
import { Channels, fromJson, toJson } from '@jel/channel'
import { Driver } from '@jel/machine'
import { throwLater } from '@jel/overlay'
import type { GroupRequest, OfGroup } from '../core/lease-input.ts'
import type { Leases } from '../core/leases.ts'
import type { GroupList } from '../shell/granter.ts'
import type { GroupEffect, GroupInput } from './group-input.ts'
import { Groups } from './groups.ts'
import { GroupRun } from './group-run.ts'
import type { ListedRank } from '../core/listed-groups.ts'
import { groupMessage, jsonOf, MAX_GROUP_BYTES, MAX_OUTPUT } from './messages.ts'
import { numberOf, ownerOf, placeOf } from './place.ts'
import { PoolLayout } from './pool-layout.ts'
import { MAX_WAITING, RankMessages } from './rank-messages.ts'
import { RunningRank, type GroupProgram } from './running-rank.ts'
import { Search } from './search.ts'
import type { Wanted } from './wanted.ts'

const PROTOCOL = '/jel-group/1.0.0'
/**
 * This member waits at least this long between two messages of one member about groups, ms. A
 * guess.
 */
const PAUSE = 0.1

/** A group that this member wants to start. */
export interface GivenGroup extends Omit<Wanted, 'input'> {
  readonly input: unknown
  /** The time until it has started, ms. */
  readonly timeout: number
  readonly signal?: AbortSignal | undefined
}

/** Whether the groups of a member may have ranks here. */
export type AllowStarter = (member: string) => boolean

/** Starts groups, and runs the ranks of this member: the shell of `Groups`. */
export class GroupHost {
  readonly #pool: Pool
  readonly #programs = new Map<string, { readonly run: GroupProgram; readonly allow: AllowStarter }>()
  readonly #groups: Groups
  readonly #driver: Driver<GroupInput, GroupEffect>
  readonly #control: Channels
  readonly #data: RankMessages
  readonly #runs = new Map<string, GroupRun>()
  /** The searches for members, for each group of this member that grows. */
  readonly #searches = new Map<string, Search>()
  readonly #layout: PoolLayout
  /** The running ranks of this member, by the names of their parts. */
  readonly #ranks = new Map<string, RunningRank>()
  readonly #toLeases: (input: GroupRequest) => void

  constructor(pool: Pool, toLeases: (input: GroupRequest) => void) {
    this.#pool = pool
    this.#toLeases = toLeases
    this.#layout = new PoolLayout(pool)
    this.#groups = new Groups(pool.self.id, (program, starter) => this.#takes(program, starter))
    this.#driver = new Driver<GroupInput, GroupEffect>(
      this.#groups,
      {
        send: (effect) => this.#send(effect),
        lease: ({ input }) => this.#toLeases(input),
        started: ({ group, result }) => {
          this.#runs.get(group)?.started(result)
          if (!('ranks' in result)) this.#runs.delete(group)
        },
        joined: ({ group, places }) => this.#runs.get(group)?.joined(places),
        outcome: ({ group, rank, outcome }) => {
          const run = this.#runs.get(group)
          if (run?.outcome(rank, outcome) === true) this.#over(group)
        },
        output: ({ group, rank, output, stream }) => this.#runs.get(group)?.output(rank, output, stream),
        load: (effect) => this.#load(effect),
        end: ({ part, why }) => this.#ranks.get(part)?.end(why),
        rank: ({ part, effect }) => this.#ranks.get(part)?.take(effect),
      },
      performance,
    )
    // A member without an allocator does not support these protocols.
    const onFailed = (member: string, error: Error): void =>
      this.#driver.deliver({ type: 'unreachable', member, reason: `can't be reached: ${error.message}` })
    this.#control = new Channels(pool, {
      protocol: PROTOCOL,
      maxBytes: MAX_GROUP_BYTES,
      pause: PAUSE,
      onMessage: (from, bytes) => {
        const { group, from: number, to, ...content } = fromJson(groupMessage, bytes)
        this.#driver.deliver({ type: 'message', from: placeOf(from, number), group, to, content })
      },
      onFailed,
    })
    this.#data = new RankMessages(
      pool,
      this.#ranks,
      (group, from, to) => this.#driver.deliver({ type: 'message', from, group, to, content: { finished: true } }),
      onFailed,
    )
  }

  async start(signal: AbortSignal): Promise<void> {
    for (const type of ['died', 'left'] as const)
      this.#pool.addEventListener(
        type,
        ({ detail: { id } }) => {
          this.#driver.deliver({ type: 'gone', member: id, reason: type })
          for (const rank of this.#ranks.values()) rank.gone(id, type)
        },
        { signal },
      )
    const joined = ({ detail }: { readonly detail: { readonly id: string } }): void => {
      this.#driver.deliver({ type: 'back', member: detail.id })
      for (const search of this.#searches.values()) search.soon()
    }
    this.#pool.addEventListener('joined', joined, { signal })
    await this.#control.start(signal)
    await this.#data.start(signal)
  }

  /** Lets groups run a program here. */
  serve(name: string, run: GroupProgram, allow: AllowStarter): void {
    this.#programs.set(name, { run, allow })
  }

  /** The groups of this member. The states of the holds come from `Leases`. */
  list(holds: ReturnType<Leases['holds']>): GroupList {
    const known = new Map(holds.map((hold) => [hold.group, hold]))
    const ranks = this.#groups.ranks().map(({ part, isRunning, ...rank }): ListedRank => {
      const { state = 'waiting', groups = [], leases = [] } = known.get(part) ?? {}
      const name = isRunning ? 'running' : state === 'waiting' ? 'waits' : state
      return { ...rank, state: name, groups: [...new Set(groups.map(ownerOf))], leases: [...leases] }
    })
    return { ranks, starts: this.#groups.starts() }
  }

  /** News of `Leases` about the hold of a group. */
  leased(effect: OfGroup): void {
    this.#driver.deliver({ type: 'lease', effect })
  }

  /**
   * Starts a group. Resolves when the group has started.
   *
   * @param select returns the members that may take part, the best first
   */
  async want(given: GivenGroup, select: () => Promise<readonly string[]>): Promise<GroupRun> {
    const { input, timeout, signal, ...wanted } = given
    const { group } = wanted
    signal?.throwIfAborted()
    const text = jsonOf('the input', input)
    const run = new GroupRun(group, (why) => this.#driver.deliver({ type: 'stop', group, code: 'STOPPED', why }))
    this.#runs.set(group, run)
    const timer = setTimeout(
      () => this.#driver.deliver({ type: 'stop', group, code: 'TIMEOUT', why: `the group did not start within ${timeout} ms` }),
      timeout,
    )
    const abort = (): void => this.#driver.deliver({ type: 'stop', group, code: 'STOPPED', why: 'the start was cancelled' })
    signal?.addEventListener('abort', abort, { once: true })
    try {
      this.#driver.deliver({
        type: 'want',
        wanted: { ...wanted, input: text },
        layout: this.#layout,
      })
      await run.hasStarted
      if (wanted.grows) this.#search(group, select)
      return run
    } catch (error) {
      // The error may come from elsewhere, and not from the group. Then the start would go on
      // unnoticed, so this stops it.
      this.#runs.delete(group)
      this.#driver.deliver({ type: 'stop', group, code: 'STOPPED', why: 'the start has failed' })
      throw error
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Whether a member may start a program here. */
  #takes(program: string, starter: string): boolean {
    try {
      return this.#programs.get(program)?.allow(starter) === true
    } catch (error) {
      // The function of the application has thrown. The groups must go on.
      throwLater(error)
      return false
    }
  }

  #search(group: string, select: () => Promise<readonly string[]>): void {
    // The group may have ended at once.
    if (!this.#runs.has(group)) return
    const look = async (): Promise<void> => this.#driver.deliver({ type: 'offer', group, members: await select() })
    this.#searches.set(group, new Search(() => this.#groups.lacks(group), look))
  }

  #over(group: string): void {
    this.#runs.delete(group)
    this.#searches.get(group)?.end()
    this.#searches.delete(group)
  }

  close(reason: string): void {
    for (const [part, rank] of this.#ranks) {
      rank.end(reason)
      this.#driver.deliver({ type: 'finish', part, outcome: { error: `STOPPED: ${reason}` } })
    }
    for (const [group, run] of this.#runs) {
      run.close(reason)
      this.#over(group)
    }
    this.#driver.stop()
    this.#control.close()
    this.#data.close()
  }

  #send({ to, group, from, content }: Extract<GroupEffect, { type: 'send' }>): void {
    const [member, number] = [ownerOf(to), numberOf(to)]
    if (member !== this.#pool.self.id) {
      if ('finished' in content && 'behind' in content) this.#data.finished(group, from, to)
      else this.#control.send(member, toJson({ group, from, to: number, ...content }))
    } else this.#driver.deliver({ type: 'message', from: placeOf(member, from), group, to: number, content })
  }

  #load({ part, program, starter, ranks, sites, input, startsIn }: Extract<GroupEffect, { type: 'load' }>): void {
    const { run } = this.#programs.get(program) ?? {}
    if (run === undefined) return
    const self = placeOf(this.#pool.self.id, numberOf(part))
    const rank = new RunningRank(ownerOf(part), starter, self, ranks, sites, {
      send: async (...message) => await this.#data.send(part, ...message),
      ask: (place) => this.#driver.deliver({ type: 'ask', part, place }),
      revoke: () => this.#driver.deliver({ type: 'revoke', part }),
      next: (type) => this.#driver.deliver({ type, part }),
      output: async (stream, output) => {
        if (output.length > MAX_OUTPUT)
          throw new RangeError(`the output has ${output.length} characters; at most ${MAX_OUTPUT} are allowed`)
        this.#driver.deliver({ type: 'output', part, output, stream })
        await this.#control.drained(starter, MAX_WAITING)
      },
    })
    this.#ranks.set(part, rank)
    void rank
      .run(run, input, startsIn, () => this.#driver.deliver({ type: 'ready', part }))
      .then((outcome) => {
        this.#ranks.delete(part)
        this.#driver.deliver({ type: 'finish', part, outcome })
      })
  }
}
