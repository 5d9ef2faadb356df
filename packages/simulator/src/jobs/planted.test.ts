import { Scheduler, type Effect, type Entry, type Input, type Message } from '@jel/compute/internals'
import type { Milliseconds } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { parseScenario } from '../scenario/parse.ts'
import { runScenario } from '../runner/run.ts'
import type { CreateScheduler, JobScheduler } from './compute-node.ts'

type SchedulerOptions = Parameters<CreateScheduler>[0]

/** A scheduler with a fault. Subclasses change its inputs or effects. */
class Faulty implements JobScheduler {
  protected readonly scheduler: Scheduler
  protected readonly self: string

  constructor(options: SchedulerOptions) {
    this.scheduler = new Scheduler(options)
    this.self = options.self.id
  }

  handle(input: Input, now: Milliseconds): Effect[] {
    const heard = this.hears(input)
    return heard === undefined ? [] : this.does(this.scheduler.handle(heard, now), now)
  }

  get returnedAt(): number {
    return this.scheduler.returnedAt
  }

  ended(job: string): ReturnType<Scheduler['ended']> {
    return this.scheduler.ended(job)
  }

  job(job: string): ReturnType<Scheduler['job']> {
    return this.scheduler.job(job)
  }

  figures(): ReturnType<Scheduler['figures']> {
    return this.scheduler.figures()
  }

  replicas(job: string): readonly string[] {
    return this.scheduler.replicas(job)
  }

  protected hears(input: Input): Input | undefined {
    return input
  }

  protected does(effects: Effect[], _now: Milliseconds): Effect[] {
    return effects
  }
}

function isSent<Type extends Message['type']>(
  effect: Effect,
  type: Type,
): effect is Extract<Effect, { type: 'send' }> & { message: Extract<Message, { type: Type }> } {
  return effect.type === 'send' && effect.message.type === type
}

/** Drops every other entry of the reports that it receives, but reports its own tasks. */
class Forgets extends Faulty {
  protected override hears(input: Input): Input {
    if (input.type !== 'message' || input.message.type !== 'report') return input
    return { ...input, message: { ...input.message, entries: input.message.entries.filter((_, at) => at % 2 === 0) } }
  }
}

/** Runs each task twice. */
class RunsAgain extends Faulty {
  readonly #begun: Extract<Effect, { type: 'run' }>[] = []

  protected override does(effects: Effect[]): Effect[] {
    for (const effect of effects) if (effect.type === 'run') this.#begun.push(effect)
    const again = this.#begun.length > 3 ? this.#begun.shift() : undefined
    return again === undefined ? effects : [...effects, again]
  }
}

/** Gives away a task that it has computed. */
class GivesAgain extends Faulty {
  #task: Extract<Effect, { type: 'run' }> | undefined
  #isDone = false

  protected override hears(input: Input): Input {
    if (input.type === 'returned' && input.path === this.#task?.task.path) this.#isDone = true
    return input
  }

  protected override does(effects: Effect[]): Effect[] {
    this.#task ??= effects.find((effect) => effect.type === 'run' && effect.task.path !== '') as
      | Extract<Effect, { type: 'run' }>
      | undefined
    const done = this.#isDone ? this.#task : undefined
    return effects.map((effect) =>
      done !== undefined && isSent(effect, 'work') && effect.message.tasks.length === 0
        ? { ...effect, message: { ...effect.message, tasks: [{ ...done.task, job: done.job, replay: false, tries: 0 }] } }
        : effect,
    )
  }
}

class EndsTwice extends Faulty {
  protected override does(effects: Effect[]): Effect[] {
    return effects.flatMap((effect): Effect[] => (effect.type === 'ended' ? [effect, effect] : [effect]))
  }
}

/** Omits the first entry of its answers. */
class AnswersHalf extends Faulty {
  protected override does(effects: Effect[]): Effect[] {
    return effects.map((effect) =>
      isSent(effect, 'found') && effect.message.entries.length > 1
        ? { ...effect, message: { ...effect.message, entries: effect.message.entries.slice(1) } }
        : effect,
    )
  }
}

class DeliversTwice extends Faulty {
  protected override does(effects: Effect[]): Effect[] {
    return effects.flatMap((effect): Effect[] => (effect.type === 'deliver' ? [effect, effect] : [effect]))
  }
}

/** Adds one to the results of inner tasks. */
class CountsMore extends Faulty {
  protected override hears(input: Input): Input {
    if (input.type !== 'returned' || !('value' in input.outcome)) return input
    const value = Number(new TextDecoder().decode(input.outcome.value))
    return value === 1 ? input : { ...input, outcome: { value: new TextEncoder().encode(String(value + 1)) } }
  }
}

/** Sends results of tasks without their offers. */
class LosesOffers extends Faulty {
  protected override does(effects: Effect[]): Effect[] {
    const without = (entry: Entry): Entry => ({ ...entry, shared: new Map() })
    return effects.map((effect) =>
      isSent(effect, 'result') ? { ...effect, message: { ...effect.message, entries: effect.message.entries.map(without) } } : effect,
    )
  }
}

/** Repeats each warning, as if it forgot who was outvoted. */
class OutvotesAgain extends Faulty {
  protected override does(effects: Effect[]): Effect[] {
    return effects.flatMap((effect): Effect[] => (effect.type === 'warning' ? [effect, effect] : [effect]))
  }
}

class GivesToOutvoted extends Faulty {
  readonly #outvoted = new Set<string>()

  protected override does(effects: Effect[]): Effect[] {
    for (const effect of effects) if (effect.type === 'warning') this.#outvoted.add(effect.message.split(' ')[0] as string)
    const task = { job: 'job 1', path: 'abcdefghij', fn: 'job 1', input: new Uint8Array(), replay: false, tries: 0 }
    return effects.map((effect) =>
      isSent(effect, 'work') && this.#outvoted.has(effect.to) ? { ...effect, message: { ...effect.message, tasks: [task] } } : effect,
    )
  }
}

/** Withholds results of the root. */
class KeepsEnd extends Faulty {
  protected override does(effects: Effect[]): Effect[] {
    return effects.filter((effect) => !isSent(effect, 'result') || effect.message.entries.every(({ path }) => path !== ''))
  }
}

/** Neither steals nor asks replicas after its first task. */
class StopsAsking extends Faulty {
  #hasRun = false

  protected override does(effects: Effect[]): Effect[] {
    if (effects.some(({ type }) => type === 'run')) this.#hasRun = true
    return effects.filter((effect) => !this.#hasRun || (!isSent(effect, 'steal') && !isSent(effect, 'idle')))
  }
}

/** Sends no reports to replicas that are added later. */
class TellsNoNewcomers extends Faulty {
  readonly #told = new Set<string>()
  #started: Milliseconds | undefined

  protected override does(effects: Effect[], now: Milliseconds): Effect[] {
    const isLate = this.#started !== undefined && now - this.#started > 4_000
    for (const effect of effects) if (isSent(effect, 'report')) this.#started ??= now
    return effects.filter((effect) => {
      if (!isSent(effect, 'report')) return true
      if (!isLate) this.#told.add(effect.to)
      return this.#told.has(effect.to)
    })
  }
}

const network = 'network: { sites: { a: { to: { b: 20ms } }, b: {} } }'
const pool = `nodes: 16\n${network}\nduration: 60s\n`
const tree = `${pool}jobs:\n  - { at: 5s, tree: { leaves: 600, leaf: 130ms..530ms } }\n`
const crash = `${tree}actions:\n  - { at: 12s, kill: { root: job 1 } }\n  - { at: 14s, kill: { root: job 1 } }\n`
const search = `${pool}jobs:\n  - { at: 5s, search: { depth: 7, node: 20ms..80ms } }\n`
const voted = `${pool}compute: { liars: 15% }\njobs:\n  - { at: 5s, votes: 2, tree: { leaves: 200, leaf: 50ms..200ms } }\n`
const long = `nodes: 16\n${network}\nduration: 80s\njobs:\n  - { at: 5s, tree: { leaves: 2500, leaf: 160ms..640ms } }\nactions:\n  - { at: 12s, kill: { root: job 1 } }\n`

/** Returns the promise that the fault breaks. */
function caught(text: string, createScheduler: CreateScheduler): string | undefined {
  return runScenario({ scenario: parseScenario(text), seed: 1, createScheduler }).result.violation?.what
}

it.each(Object.entries({ tree, crash, search, voted, long }))('without a fault all promises are kept: %s', (_, text) => {
  expect(caught(text, (options) => new Faulty(options))).toBeUndefined()
})

describe('a planted fault is caught', { timeout: 60_000 }, () => {
  it.each<[fault: string, scenario: string, create: (options: SchedulerOptions) => JobScheduler, broken: RegExp]>([
    ['a member that runs tasks again', tree, (options) => new RunsAgain(options), /^begins a task of job 1 that it knows to be done/u],
    ['a member that gives tasks again', tree, (options) => new GivesAgain(options), /^gives away a task of job 1 that it knows/u],
    ['a job that ends twice', tree, (options) => new EndsTwice(options), /^ends job 1 twice$/u],
    ['a replica that answers half', crash, (options) => new AnswersHalf(options), /^has lost what it knew of job 1: asked for /u],
    ['a child that counts twice', tree, (options) => new DeliversTwice(options), /^counts a child of a task of job 1 twice/u],
    ['tasks that count too much', tree, (options) => new CountsMore(options), /^has \d+ for the result of job 1, which is 600$/u],
    ['an optimum that is lost', search, (options) => new LosesOffers(options), /^has lost an optimum that was offered in job 1: \d+/u],
    ['a void set that forgets', voted, (options) => new OutvotesAgain(options), /^finds out twice that 12D3\w+ was outvoted in job 1$/u],
    [
      'a void set that is not asked',
      voted,
      (options) => new GivesToOutvoted(options),
      /^gives a task of job 1 to 12D3\w+, which it knows/u,
    ],
    ['an end that is not told', tree, (options) => new KeepsEnd(options), /^does not know that job 1 is done, 1[56]s after others did$/u],
    ['members that stop stealing', tree, (options) => new StopsAsking(options), /^has idled for \d\.\ds while \d+ tasks of job 1 wait$/u],
    ['a new replica that is told nothing', long, (options) => new TellsNoNewcomers(options), /^keeps job 1, but lacks \d+ of \d+ tasks/u],
    ['a replica that forgets what it is told', long, (options) => new Forgets(options), /^(keeps job 1, but lacks|has lost what it knew)/u],
  ])('%s', (_, scenario, create, broken) => {
    expect(caught(scenario, create)).toMatch(broken)
  })
})
