import { Group, type GroupPort, type RankMember } from './group.ts'
import { GroupError } from '../errors.ts'
import { jsonOf, type Outcome } from './messages.ts'
import { ownerOf } from './place.ts'
import type { RankEffect, Sites } from './rank-effect.ts'

/**
 * Gives text of a program to the member that started the group. The promise waits while that member
 * reads too slowly. It rejects with a RangeError for more than 65,536 characters.
 */
export type WriteOutput = (stream: 'stdout' | 'stderr', text: string) => Promise<void>

/** The member that started the group, as a program sees it. */
export interface RankContext {
  readonly output: WriteOutput
  readonly starter: string
  /** Aborts when that member is gone. The group goes on until its programs end. */
  readonly starterGone: AbortSignal
}

/**
 * The program of a rank. `input` is the input that the starter gave. The result goes to the
 * starter, at most 1 MiB as JSON.
 */
export type GroupProgram = (group: Group, input: unknown, context: RankContext) => unknown

interface Port extends Omit<GroupPort, 'next'> {
  next(how: 'shrink' | 'regroup'): void
  readonly output: WriteOutput
}

/** The program of a rank of this member, and its group in each epoch. */
export class RunningRank {
  readonly #id: string
  readonly #starter: string
  /** The place of the rank. */
  readonly #self: string
  readonly #port: Port
  readonly #end = new AbortController()
  readonly #starterGone = new AbortController()
  readonly #mayRun = Promise.withResolvers<void>()
  #group: Group
  /** Whether all ranks of the present epoch have checked in. */
  #isRunning = false
  /** The call that waits for the next epoch. */
  #pending:
    | { readonly promise: Promise<Group>; readonly resolve: (group: Group) => void; readonly reject: (error: Error) => void }
    | undefined
  /** Resolves when the next epoch begins, or the program ends. */
  #next = Promise.withResolvers<void>()

  constructor(id: string, starter: string, self: string, ranks: readonly string[], sites: Sites, port: Port) {
    this.#id = id
    this.#starter = starter
    this.#self = self
    this.#port = port
    this.#mayRun.promise.catch(() => {})
    this.#group = this.#groupOf(0, ranks, sites)
  }

  /**
   * Runs the program once all ranks have checked in.
   *
   * @param input JSON
   * @param startsIn the time until its capacity is free, ms
   * @param ready called when this rank can check in
   */
  async run(program: GroupProgram, input: string, startsIn: number, ready: () => void): Promise<Outcome> {
    try {
      if (startsIn > 0) await Promise.race([new Promise((resolve) => setTimeout(resolve, startsIn)), this.#mayRun.promise])
      ready()
      await this.#mayRun.promise
      const value = await program(this.#group, JSON.parse(input) as unknown, {
        output: this.#port.output,
        starter: this.#starter,
        starterGone: this.#starterGone.signal,
      })
      return { value: JSON.parse(jsonOf('the result', value)) as unknown }
    } catch (error) {
      return { error: messageOf(error).slice(0, 4096) }
    } finally {
      this.end('its program has ended')
    }
  }

  /** Another member died or left. */
  gone(member: string, reason: string): void {
    if (member === this.#starter) this.#starterGone.abort(new GroupError('STOPPED', `the member that started the group ${reason}`))
  }

  /** Ends all calls of the program. */
  end(why: string): void {
    const error = new GroupError('STOPPED', why)
    this.#mayRun.reject(error)
    this.#pending?.reject(error)
    this.#end.abort(error)
    this.#next.resolve()
  }

  take(effect: Exclude<RankEffect, { type: 'send' | 'start' | 'retry' | 'over' }>): void {
    if (effect.type === 'run') this.#run()
    else if (effect.type === 'lost') this.#group.rankLost(effect.place, effect.reason)
    else if (effect.type === 'revoked') this.#group.wasRevoked()
    else this.#begin(effect.epoch, effect.ranks, effect.sites)
  }

  receive(from: string, epoch: number, tag: number, bytes: Uint8Array): Promise<void> | undefined {
    if (epoch === this.#group.epoch) return this.#group.deliver(from, tag, bytes)
    // Messages of former epochs are dropped.
    if (epoch < this.#group.epoch) return undefined
    return this.#group.has(from) && !this.#end.signal.aborted ? this.#receiveLater(from, epoch, tag, bytes) : undefined
  }

  /** The sender is in a later epoch. Its messages wait until this rank is there, too. */
  async #receiveLater(from: string, epoch: number, tag: number, bytes: Uint8Array): Promise<void> {
    await this.#next.promise
    await this.receive(from, epoch, tag, bytes)
  }

  #begin(epoch: number, ranks: readonly string[], sites: Sites): void {
    this.#group.wasRevoked()
    this.#isRunning = false
    this.#group = this.#groupOf(epoch, ranks, sites)
    this.#next.resolve()
    this.#next = Promise.withResolvers<void>()
    if (this.#group.rank !== -1) return
    this.#pending?.reject(new GroupError('RANK_LOST', 'the other ranks go on without this one'))
    this.#pending = undefined
  }

  #run(): void {
    this.#isRunning = true
    this.#mayRun.resolve()
    this.#pending?.resolve(this.#group)
    this.#pending = undefined
  }

  #groupOf(epoch: number, ranks: readonly string[], sites: Sites): Group {
    return new Group(this.#id, epoch, this.#self, membersOf(ranks, sites), this.#end.signal, {
      ...this.#port,
      next: async (how) => {
        this.#end.signal.throwIfAborted()
        // The next epoch may have begun already.
        if (this.#group.epoch > epoch && this.#isRunning) return this.#group
        // The decision may come before the call of the port returns.
        const pending = (this.#pending ??= Promise.withResolvers<Group>())
        if (this.#group.epoch === epoch) this.#port.next(how)
        return await pending.promise
      },
    })
  }
}

/**
 * Returns the members of places. All ranks must know the same sites, so these are the sites that
 * the starter has stated.
 */
function membersOf(places: readonly string[], sites: Sites): RankMember[] {
  return places.map((place, at) => ({ id: ownerOf(place), place, site: sites[at] as string }))
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? `${code}: ${error.message}` : error.message
}
