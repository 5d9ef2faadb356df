import {
  toBytes,
  wireForm,
  type Effect,
  type Entry,
  type Input,
  type JobId,
  type MemberId,
  type Message,
  type Path,
  type Scheduler,
  type SchedulerOptions,
} from '@jel/compute/internals'
import type { Member, Milliseconds, NodeId, Notification } from '@jel/protocol'
import type { Payload } from '../network/payload.ts'
import type { Application } from '../protocol/application.ts'
import type { SimulatedNode } from '../protocol/node.ts'
import { JobMessage } from './job-message.ts'
import { readJob } from './job-record.ts'
import { MemberStreams } from './member-streams.ts'
import type { VirtualProgram } from './programs/program.ts'
import { lieAbout, VirtualWorker } from './worker.ts'

/**
 * The scheduler beside each protocol node: the scheduler of `@jel/compute`, or a faulty one in
 * tests.
 */
export type JobScheduler = Pick<Scheduler, 'handle' | 'returnedAt' | 'ended' | 'replicas' | 'job' | 'figures'>
export type CreateScheduler<S = JobScheduler> = (options: SchedulerOptions) => S

/**
 * Observes the scheduler of a member: each input before the scheduler handles it, and each effect
 * before the member carries it out.
 */
export interface JobObserver {
  took(member: ComputeNode, input: Input): void
  did(member: ComputeNode, effect: Effect): void
  /**
   * Called when a worker has computed. `cost`: the time that a worker of speed 1 would have taken,
   * ms.
   */
  ran(member: ComputeNode, job: JobId, path: Path, cost: Milliseconds): void
}

export interface ComputeNodeOptions<S = JobScheduler> {
  readonly location: string
  readonly site: string | undefined
  readonly workers: number
  readonly speed: number
  readonly lies: boolean
  readonly random: () => number
  readonly program: VirtualProgram
  readonly createScheduler: CreateScheduler<S>
  readonly observer: JobObserver
  /** Returns the calendar time. */
  readonly today: () => number
}

/**
 * The scheduler of one member, in the process of a protocol node. The scheduler knows nothing of
 * the simulation. It learns of members and jobs only from the node's notifications. It communicates
 * over the simulated network.
 */
export class ComputeNode<S extends JobScheduler = JobScheduler> implements Application {
  readonly node: SimulatedNode
  readonly id: MemberId
  readonly site: string | undefined
  /** This node in its present life. */
  #self: Member | undefined
  readonly workers: number
  readonly speed: number
  readonly lies: boolean
  /** Whether programs fail to start at this member. */
  isSick = false
  readonly scheduler: S
  readonly joinedAt: Milliseconds
  /** The other members that are present, according to the node's notifications. */
  readonly view = new Set<NodeId>()
  /** The jobs in the node's notifications. */
  readonly jobs = new Set<JobId>()
  /**
   * The jobs that the scheduler reported as ended, each with the entry of its root. Undefined: the
   * job was cancelled.
   */
  readonly ended = new Map<JobId, Entry | undefined>()
  /** The processor time of its workers, at speed 1, ms. */
  worked: Milliseconds = 0
  readonly #options: ComputeNodeOptions<S>
  readonly #streams: MemberStreams
  readonly #slots: VirtualWorker[] = []
  readonly #inputs: Input[] = []
  #isFeeding = false
  #wakeAt: Milliseconds = Infinity

  constructor(node: SimulatedNode, options: ComputeNodeOptions<S>) {
    const { location, site, workers, speed, lies, random, createScheduler } = options
    this.node = node
    this.id = node.id
    this.site = site
    this.workers = workers
    this.speed = speed
    this.lies = lies
    this.joinedAt = node.startedAt
    this.#options = options
    this.scheduler = createScheduler({ self: { id: node.id, location }, workers, random })
    this.#streams = new MemberStreams(node, (id) => this.feed({ type: 'unreached', id }))
    for (let slot = 0; slot < workers; slot++) this.#slots.push(this.#worker(slot))
    node.attach(this)
  }

  /**
   * Handles an input. An input that arrives while the member carries out effects waits until the
   * member has carried out all.
   */
  feed(input: Input): void {
    this.#inputs.push(input)
    if (this.#isFeeding) return
    this.#isFeeding = true
    for (let next = this.#inputs.shift(); next !== undefined && this.node.state !== 'gone'; next = this.#inputs.shift()) this.#handle(next)
    this.#isFeeding = false
  }

  /** Makes all tasks save their state, if they can. Call this before the member leaves. */
  saveAll(): void {
    this.feed({ type: 'stop' })
    for (const slot of this.#slots) slot.saveAll()
  }

  told(notification: Notification): void {
    switch (notification.type) {
      case 'joined': {
        const { member } = notification
        const { id, addresses, location } = member
        if (id === this.id) {
          if (this.#self !== undefined && member.incarnation > this.#self.incarnation) this.feed({ type: 'reentered' })
          this.#self = member
          return
        }
        this.view.add(id)
        this.#streams.found(id, addresses)
        this.feed({ type: 'joined', member: { id, location, ...this.kindOf(member) } })
        return
      }
      case 'updated':
        this.#streams.found(notification.member.id, notification.member.addresses)
        return
      case 'left':
      case 'died': {
        const { id } = notification.member
        this.view.delete(id)
        this.#streams.forget(id)
        this.feed({ type: 'gone', id })
        return
      }
      case 'record': {
        const today = this.#options.today()
        const returned = today - (this.node.now - this.scheduler.returnedAt)
        const spec = readJob(notification.record, this.workers > 0, today, Math.max(this.#self?.joinedAt ?? Infinity, returned))
        if (spec === undefined) return
        this.jobs.add(spec.id)
        this.feed({ type: 'job', spec })
        return
      }
      case 'elected':
      case 'entered':
      case 'signal':
      case 'event':
      case 'query':
      case 'signalled':
      case 'warning':
      case 'health':
    }
  }

  connected(peer: NodeId): void {
    this.#streams.connected(peer)
  }

  disconnected(peer: NodeId): void {
    this.#streams.disconnected(peer)
  }

  received(from: NodeId, data: Payload): void {
    const message = this.#streams.take(from, data)
    if (message !== undefined) this.feed({ type: 'message', from, message })
  }

  send(to: MemberId, message: Message): void {
    this.#streams.send(to, new JobMessage(message, this.bytesOf(message)))
  }

  #handle(input: Input): void {
    const { observer } = this.#options
    observer.took(this, input)
    for (const effect of this.scheduler.handle(input, this.node.now)) {
      observer.did(this, effect)
      this.#carryOut(effect)
    }
  }

  #carryOut(effect: Effect): void {
    switch (effect.type) {
      case 'send':
        this.send(effect.to, effect.message)
        return
      case 'run':
      case 'deliver':
        this.#slots[effect.slot]?.take(effect)
        return
      case 'forget':
        this.#slots[effect.slot]?.forget(effect.job, effect.path)
        return
      case 'timer':
        this.#wake(effect.at)
        return
      case 'ended':
        this.ended.set(effect.job, effect.entry)
        return
      case 'explained':
      case 'outcomes':
      case 'shared':
      case 'warning':
    }
  }

  protected bytesOf(message: Message): number {
    return toBytes(wireForm(message)).length
  }

  /** Returns how early a timer of this length fires, ms. */
  protected earlier(_after: Milliseconds): Milliseconds {
    return 0
  }

  /** Returns whether the member is a client, and whether it computes. */
  protected kindOf(_member: Member): { readonly isClient?: boolean; readonly computes?: boolean } {
    return {}
  }

  /** Ends the member's process. Called when a simulated program kills its member. */
  protected die(): void {
    this.node.kill()
  }

  #wake(at: Milliseconds): void {
    this.#wakeAt = at
    const after = Math.max(0, at - this.node.now)
    this.node.later(after - this.earlier(after), () => {
      if (this.#wakeAt !== at) return
      this.#wakeAt = Infinity
      this.feed({ type: 'timer' })
    })
  }

  #worker(slot: number): VirtualWorker {
    const { program, random, observer } = this.#options
    return new VirtualWorker({
      slot,
      speed: this.speed,
      program,
      now: () => this.node.now,
      later: (after, action) => this.node.later(after, action),
      feed: (input) => this.feed(input),
      says: (said) => (this.lies ? lieAbout(said, random) : said),
      isFit: () => !this.isSick,
      die: () => this.die(),
      ran: (job, path, cost) => {
        this.worked += cost
        observer.ran(this, job, path, cost)
      },
    })
  }
}
