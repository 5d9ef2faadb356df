import {
  Scheduler,
  type Effect,
  type Entry,
  type Input,
  type JobId,
  type MemberId,
  type Message,
  type Path,
  type SchedulerConfig,
  type Signer,
  type Tickets,
} from '@jel/compute/internals'
import type { Milliseconds } from '@jel/protocol'
import type { VirtualClock } from '../engine/clock.ts'
import type { VirtualProgram } from '../jobs/programs/program.ts'
import { lieAbout, VirtualWorker } from '../jobs/worker.ts'

/** Options of a {@link GridMember}. */
export interface GridMemberOptions {
  readonly site: string
  readonly workers?: number
  readonly speed?: number
  /** Whether it runs the programs of jobs. Default: true. */
  readonly accepts?: boolean
  /**
   * Whether it gets no inputs of jobs that were submitted before it joined, as if all holders were
   * lost.
   */
  readonly lacksInputs?: boolean
  /** Whether it gives wrong values. */
  readonly lies?: boolean
  /** Whether its containers fail to start. */
  readonly isSick?: boolean
  /**
   * Whether it is a visitor: it runs nothing, keeps nothing, and publishes nothing about itself.
   */
  readonly visits?: boolean
  /** Handles messages in place of a scheduler: the member is hostile. */
  readonly takes?: (from: MemberId, message: Message) => void
}

/** The grid around a member. */
export interface GridWorld {
  readonly clock: VirtualClock
  /** The random numbers of the grid, apart from those of each scheduler. */
  readonly random: () => number
  readonly program: VirtualProgram
  readonly config: Partial<SchedulerConfig>
  readonly tickets: Tickets | undefined
  send(from: GridMember, to: MemberId, message: Message): void
  kill(member: GridMember): void
  /** Called when the member begins a task. */
  begins(member: GridMember, job: JobId, path: Path): void
  /** Called when a worker of the member computed for so long, at speed 1. */
  ran(member: GridMember, job: JobId, path: Path, cost: Milliseconds): void
  ended(job: JobId, entry: Entry | undefined): void
  warned(member: GridMember, warning: { readonly code: string; readonly message: string }): void
}

/** One member of a virtual grid: a scheduler, and workers that carry its effects out. */
export class GridMember {
  readonly id: MemberId
  readonly site: string
  readonly scheduler: Scheduler
  readonly workers: readonly VirtualWorker[]
  readonly speed: number
  readonly accepts: boolean
  readonly lies: boolean
  readonly isSick: boolean
  readonly visits: boolean
  readonly takes: GridMemberOptions['takes']
  readonly joinedAt: Milliseconds
  goneAt: Milliseconds | undefined
  /** Members that this one sees. */
  readonly view = new Set<MemberId>()
  readonly ended = new Map<JobId, Entry | undefined>()
  /** Processor time that its workers computed, ms. */
  worked: Milliseconds = 0
  /** Members that pronounced it dead, until it learns of that. */
  readonly heldDeadBy = new Set<MemberId>()
  /** Members that this one pronounced dead. It drops their messages. */
  readonly holdsDead = new Set<MemberId>()
  side = 0
  readonly #world: GridWorld
  #wakeAt: Milliseconds = Infinity

  /** @param random random numbers of its scheduler */
  constructor(world: GridWorld, id: MemberId, options: GridMemberOptions, random: () => number) {
    const { site, workers = 1, speed = 1, accepts = true, lies = false, isSick = false, visits = false, takes } = options
    const { config, tickets } = world
    this.#world = world
    this.id = id
    this.site = site
    this.speed = speed
    this.accepts = accepts
    this.lies = lies
    this.isSick = isSick
    this.visits = visits
    this.takes = takes
    this.joinedAt = world.clock.now
    const self = { id, location: this.location, visits, computes: workers > 0 }
    this.scheduler = new Scheduler({ self, workers, random, config, signer: signerOf(id), ...(tickets && { tickets }) })
    this.workers = Array.from({ length: workers }, (_, slot) => this.#worker(slot))
  }

  get lives(): boolean {
    return this.goneAt === undefined
  }

  get location(): string {
    return `${this.id}@${this.site}`
  }

  handle(input: Input): void {
    if (this.takes !== undefined) return
    for (const effect of this.scheduler.handle(input, this.#world.clock.now)) this.#carryOut(effect)
  }

  receive(from: MemberId, message: Message): void {
    if (this.takes === undefined) this.handle({ type: 'message', from, message })
    else this.takes(from, message)
  }

  #carryOut(effect: Effect): void {
    const world = this.#world
    switch (effect.type) {
      case 'send':
        world.send(this, effect.to, effect.message)
        return
      case 'run':
      case 'deliver':
        if (effect.type === 'run') world.begins(this, effect.job, effect.task.path)
        // A worker never answers within the call that gives it work.
        world.clock.after(0, () => this.lives && (this.workers[effect.slot] as VirtualWorker).take(effect))
        return
      case 'forget':
        ;(this.workers[effect.slot] as VirtualWorker).forget(effect.job, effect.path)
        return
      case 'timer':
        this.#wake(effect.at)
        return
      case 'ended':
        this.ended.set(effect.job, effect.entry)
        world.ended(effect.job, effect.entry)
        return
      case 'warning':
        world.warned(this, effect)
        return
      case 'explained':
      case 'shared':
    }
  }

  #wake(at: Milliseconds): void {
    const { clock, random } = this.#world
    this.#wakeAt = at
    // Real timers also fire early, by a fraction of a millisecond.
    clock.at(at - clock.now > 1 ? at - random() / 2 : at, () => {
      if (!this.lives || this.#wakeAt !== at) return
      this.#wakeAt = Infinity
      this.handle({ type: 'timer' })
    })
  }

  #worker(slot: number): VirtualWorker {
    const { clock, random, program } = this.#world
    return new VirtualWorker({
      slot,
      speed: this.speed,
      program,
      later: (after, action) => clock.after(after, () => this.lives && action()),
      feed: (input) => this.lives && this.handle(input),
      says: (said) => (this.lies ? lieAbout(said, random) : said),
      isFit: () => !this.isSick,
      die: () => this.#world.kill(this),
      random,
      ran: (job, path, cost) => {
        this.worked += cost
        this.#world.ran(this, job, path, cost)
      },
    })
  }
}

/** No member forges the signature of another. */
function signerOf(id: MemberId): Signer {
  const name = (member: MemberId): Uint8Array => new TextEncoder().encode(member)
  return { sign: () => name(id), verify: (_job, _entry, { by, signature }) => new TextDecoder().decode(signature) === by }
}
