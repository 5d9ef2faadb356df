import type { Pool } from '@jel/jel'
import { Channels, fromJson, toJson } from '@jel/channel'
import { Driver } from '@jel/machine'
import type { LeaseInput, OfGroup } from '../core/lease-input.ts'
import type { Leases } from '../core/leases.ts'
import type { GroupList } from '../shell/granter.ts'
import type { GroupEffect, GroupInput } from './group-input.ts'
import { Groups } from './groups.ts'
import { GroupRun } from './group-run.ts'
import type { ListedRank } from '../core/listed-groups.ts'
import { groupMessage, jsonOf, MAX_GROUP_BYTES } from './messages.ts'
import { numberOf, ownerOf, placeOf } from './place.ts'
import { PoolLayout } from './pool-layout.ts'
import { MAX_WAITING, RankMessages } from './rank-messages.ts'
import { RunningRank, type GroupProgram } from './running-rank.ts'
import { Search } from './search.ts'
import type { Wanted } from './wanted.ts'

const PROTOCOL = '/jel-group/1.0.0'
/** A message about a group is handled at least this long after the member's former one, ms. */
const PAUSE = 0.1

/** A group that this member wants to start. */
export interface GivenGroup extends Omit<Wanted, 'input'> {
  readonly input: unknown
  /** The time until it has started, ms. */
  readonly timeout: number
  readonly signal?: AbortSignal | undefined
}

/** Whether this member takes ranks in groups that a member starts. */
export type AllowStarter = (member: string) => boolean

/** Starts groups, and runs the ranks that this member has: the shell of `Groups`. */
export class GroupHost {
  readonly #pool: Pool
  readonly #programs = new Map<string, { readonly run: GroupProgram; readonly allow: AllowStarter }>()
  readonly #groups: Groups
  readonly #driver: Driver<GroupInput, GroupEffect>
  readonly #control: Channels
  readonly #data: RankMessages
  readonly #runs = new Map<string, GroupRun>()
  /** For each group of this member that grows. */
  readonly #searches = new Map<string, Search>()
  readonly #layout: PoolLayout
  readonly #ranks = new Map<string, RunningRank>()
  readonly #toLeases: (input: LeaseInput) => void

  constructor(pool: Pool, toLeases: (input: LeaseInput) => void) {
    this.#pool = pool
    this.#toLeases = toLeases
    this.#layout = new PoolLayout(pool)
    this.#groups = new Groups(pool.self.id, (program, starter) => this.#programs.get(program)?.allow(starter) === true)
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
        end: ({ group, why }) => this.#ranks.get(group)?.end(why),
        rank: ({ group, effect }) => this.#ranks.get(group)?.take(effect),
      },
      performance,
    )
    // A member that takes part in no groups does not speak their protocols.
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

  /** Takes ranks of a program from now on. */
  serve(name: string, run: GroupProgram, allow: AllowStarter): void {
    this.#programs.set(name, { run, allow })
  }

  /** The groups of this member, with what the leases know of their holds. */
  list(holds: ReturnType<Leases['holds']>): GroupList {
    const known = new Map(holds.map((hold) => [hold.group, hold]))
    const ranks = this.#groups.ranks().map(({ part, isRunning, ...rank }): ListedRank => {
      const { state = 'waiting', groups = [], leases = [] } = known.get(part) ?? {}
      const name = isRunning ? 'running' : state === 'waiting' ? 'waits' : state
      return { ...rank, state: name, groups: [...new Set(groups.map(ownerOf))], leases: [...leases] }
    })
    return { ranks, starts: this.#groups.starts() }
  }

  /** News of the leases about the hold of a group. */
  leased(effect: OfGroup): void {
    this.#driver.deliver({ type: 'lease', effect })
  }

  /**
   * Starts a group. Resolves when it has started.
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
      () => this.#driver.deliver({ type: 'stop', group, code: 'TIMEOUT', why: `it did not start within ${timeout} ms` }),
      timeout,
    )
    const abort = (): void => this.#driver.deliver({ type: 'stop', group, code: 'STOPPED', why: 'it was given up' })
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
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
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
    for (const [group, rank] of this.#ranks) {
      rank.end(reason)
      this.#driver.deliver({ type: 'finish', group, outcome: { error: `STOPPED: ${reason}` } })
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
      if ('finished' in content && content.behind === true) this.#data.finished(group, from, to)
      else this.#control.send(member, toJson({ group, from, to: number, ...content }))
    } else this.#driver.deliver({ type: 'message', from: placeOf(member, from), group, to: number, content })
  }

  #load({ group, program, starter, ranks, sites, input, startsIn }: Extract<GroupEffect, { type: 'load' }>): void {
    const { run } = this.#programs.get(program) ?? {}
    if (run === undefined) return
    const self = placeOf(this.#pool.self.id, numberOf(group))
    const rank = new RunningRank(ownerOf(group), starter, self, (...some) => this.#layout.membersOf(...some), ranks, sites, {
      send: async (...message) => await this.#data.send(group, ...message),
      ask: (place) => this.#driver.deliver({ type: 'ask', group, place }),
      revoke: () => this.#driver.deliver({ type: 'revoke', group }),
      next: (type) => this.#driver.deliver({ type, group }),
      output: async (stream, output) => {
        this.#driver.deliver({ type: 'output', group, output, stream })
        await this.#control.drained(starter, MAX_WAITING)
      },
    })
    this.#ranks.set(group, rank)
    void rank
      .run(run, input, startsIn, () => this.#driver.deliver({ type: 'ready', group }))
      .then((outcome) => {
        this.#ranks.delete(group)
        this.#driver.deliver({ type: 'finish', group, outcome })
      })
  }
}
