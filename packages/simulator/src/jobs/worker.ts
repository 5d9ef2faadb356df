import {
  joinShared,
  NOTHING_SHARED,
  type Effect,
  type Input,
  type JobId,
  type Outcome,
  type Path,
  type Shared,
  type Spawn,
} from '@jel/compute/internals'
import type { Milliseconds } from '@jel/protocol'
import type { Plan, VirtualProgram } from './programs/program.ts'
import { bytesNumber, numberBytes } from './programs/trees.ts'

interface OpenFrame {
  readonly job: JobId
  readonly path: Path
  readonly plan: Plan
  readonly children: Spawn[]
  readonly outcomes: Map<string, Outcome>
  shared: Shared
  ran: Milliseconds
  /** Returns the state to save. Undefined: the task saves no state, or its own work has ended. */
  state?: (() => Uint8Array) | undefined
  /** Nobody needs this run of a task that saves. It ends at its next save. */
  isForgotten?: boolean
}

/** The outcome and shared values that a worker reports. */
export interface Said {
  readonly outcome: Outcome
  readonly shared: Shared
}

type Given = Extract<Effect, { type: 'run' | 'deliver' }>

/** Time to detect that a container does not start, ms. A guess. */
const START = 100

/**
 * A worker of a virtual member. It runs the tasks of a job one after the other, each for its
 * virtual time. Jobs do not wait for each other, because each job has a container of its own.
 */
export class VirtualWorker {
  readonly #slot: number
  readonly #speed: number
  readonly #program: VirtualProgram
  readonly #now: () => Milliseconds
  readonly #later: (after: Milliseconds, action: () => void) => void
  readonly #feed: (input: Input) => void
  readonly #says: (said: Said) => Said
  readonly #isFit: () => boolean
  readonly #die: () => void
  /** Called for each run, with its cost at speed 1. */
  readonly #ran: (job: JobId, path: Path, cost: Milliseconds) => void
  readonly #frames = new Map<string, OpenFrame>()
  /** The waiting effects of each job whose container is busy. */
  readonly #queues = new Map<JobId, Given[]>()
  readonly #rates = new Map<string, Milliseconds>()
  #seen = 0

  constructor(options: {
    slot: number
    speed: number
    program: VirtualProgram
    now: () => Milliseconds
    later: (after: Milliseconds, action: () => void) => void
    feed: (input: Input) => void
    /** Returns the outcome that the member reports. An honest member reports the outcome itself. */
    says: (said: Said) => Said
    ran: (job: JobId, path: Path, cost: Milliseconds) => void
    /** Returns true if its containers start. */
    isFit: () => boolean
    /** Ends the member, on behalf of a task. */
    die: () => void
  }) {
    this.#slot = options.slot
    this.#speed = options.speed
    this.#program = options.program
    this.#now = options.now
    this.#later = options.later
    this.#feed = options.feed
    this.#says = options.says
    this.#ran = options.ran
    this.#isFit = options.isFit
    this.#die = options.die
  }

  take(effect: Given): void {
    const queue = this.#queues.get(effect.job)
    if (queue !== undefined) queue.push(effect)
    else {
      this.#queues.set(effect.job, [effect])
      this.#next(effect.job)
    }
  }

  /**
   * Saves the present state of all tasks that can save it. Tasks do so when their member leaves.
   */
  saveAll(): void {
    for (const { job, path, state } of this.#frames.values()) {
      if (state !== undefined) this.#feed({ type: 'saved', job, path, state: state() })
    }
  }

  forget(job: JobId, path: Path): void {
    const frame = this.#frames.get(`${job} ${path}`)
    if (frame?.state !== undefined) frame.isForgotten = true
    this.#frames.delete(`${job} ${path}`)
  }

  #next(job: JobId): void {
    let given = this.#queues.get(job)?.shift()
    // This is a loop and no recursion, since thousands of outcomes may wait.
    for (; given?.type === 'deliver'; given = this.#queues.get(job)?.shift()) {
      this.#deliver(given)
      this.#seen++
    }
    if (given === undefined) {
      this.#queues.delete(job)
      this.#feed({ type: 'idle', slot: this.#slot, seen: this.#seen })
    } else this.#run(given)
  }

  #done(job: JobId): void {
    this.#seen++
    this.#next(job)
  }

  #run({ job, task, shared, split, frozen, saved }: Extract<Given, { type: 'run' }>): void {
    if (!this.#isFit()) {
      this.#later(START, () => {
        this.#lose(job)
        this.#feed({ type: 'unfit', slot: this.#slot, job, code: 'PROGRAM_UNUSABLE', reason: 'it can not start' })
        this.#next(job)
      })
      return
    }
    const plan = this.#program(task.fn, task.input, { shared, split, speed: this.#speed, rates: this.#rates })
    const before = saved === undefined ? 0 : bytesNumber(saved)
    const cost = plan.cost - before
    const ran = cost / this.#speed
    const offers = frozen ? newIn(plan.offers, shared) : plan.offers
    const frame: OpenFrame = { job, path: task.path, plan, children: [...plan.children], outcomes: new Map(), shared: offers, ran }
    this.#frames.set(`${job} ${task.path}`, frame)
    if (plan.saveEvery !== undefined) this.#save(frame, plan.saveEvery, before)
    this.#later(ran, () => {
      if (frame.isForgotten === true && frame.state === undefined) return
      frame.state = undefined
      this.#ran(job, task.path, cost)
      if (plan.ends === 'member') {
        this.#die()
        return
      }
      if (plan.ends === 'container') {
        this.#lose(job)
        this.#feed({ type: 'crashed', slot: this.#slot, job, path: task.path, reason: 'it is gone' })
        this.#next(job)
        return
      }
      if (plan.children.length === 0) this.#return(frame)
      else this.#feed({ type: 'spawned', job, path: task.path, children: plan.children })
      this.#done(job)
    })
  }

  /** Saves the work that a task has done, again and again. `before`: the work of earlier runs. */
  #save(frame: OpenFrame, every: Milliseconds, before: Milliseconds): void {
    const { job, path } = frame
    const begun = this.#now()
    frame.state = () => numberBytes(before + Math.floor((this.#now() - begun) * this.#speed))
    const again = (): void => {
      if (frame.state === undefined) return
      if (frame.isForgotten === true) {
        this.#ran(job, path, bytesNumber(frame.state()) - before)
        frame.state = undefined
        this.#done(job)
        return
      }
      if (this.#frames.get(`${job} ${path}`) !== frame) return
      this.#feed({ type: 'saved', job, path, state: frame.state() })
      this.#later(every, again)
    }
    this.#later(every, again)
  }

  /** Loses a container: all frames of the job, and its queue. */
  #lose(job: JobId): void {
    this.#seen++
    for (const key of this.#frames.keys()) if (key.startsWith(`${job} `)) this.#frames.delete(key)
    const queue = this.#queues.get(job) ?? []
    this.#seen += queue.length
    queue.length = 0
  }

  #deliver({ job, path, step, outcome, shared }: Extract<Given, { type: 'deliver' }>): void {
    const frame = this.#frames.get(`${job} ${path}`)
    if (frame !== undefined) {
      frame.outcomes.set(step, outcome)
      frame.shared = joinShared(frame.shared, shared)
      const more = moreOf(frame, step)
      if (more.length > 0) {
        frame.children.push(...more)
        this.#feed({ type: 'spawned', job, path, children: more })
      }
      if (frame.outcomes.size === frame.children.length) this.#return(frame)
    }
  }

  #return(frame: OpenFrame): void {
    const { job, path, plan, children, outcomes, shared, ran } = frame
    this.#frames.delete(`${job} ${path}`)
    const outcome = plan.outcome(children.map(({ step }) => outcomes.get(step) as Outcome))
    this.#feed({ type: 'returned', job, path, ...this.#says({ outcome, shared }), ran })
  }
}

/** Returns a wrong value. If tasks have no values, returns a bound that no task reaches. */
export function lieAbout({ outcome, shared }: Said, random: () => number): Said {
  const number = Math.floor(random() * 1e6)
  if ('value' in outcome && outcome.value.length > 0) return { outcome: { value: numberBytes(number) }, shared }
  return { outcome, shared: new Map([['best', { rule: 'min', key: -number, values: [numberBytes(-number)] }]]) }
}

/** Returns the offers if they improve on the given values, otherwise no offers. */
function newIn(offers: Shared, given: Shared): Shared {
  return joinShared(given, offers) === given ? NOTHING_SHARED : offers
}

function moreOf({ plan, children }: OpenFrame, step: string): readonly Spawn[] {
  const child = plan.more && children.find((each) => each.step === step)
  return child === undefined ? [] : (plan.more?.(child) ?? [])
}
