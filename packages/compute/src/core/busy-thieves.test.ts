import { createRandom, hash52 } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { jobSpec } from '../../test/job-spec.ts'
import type { Effect, Input } from './io.ts'
import type { Message } from './messages.ts'
import { Scheduler } from './scheduler.ts'

// Jobs whose first replica is this member.
const [job, second] = Array.from({ length: 100 }, (_, number) => `job${number}`).filter(
  (id) => hash52(`${id} self`) > hash52(`${id} other`),
) as [string, string]
const spec = jobSpec(job)

/** A member at which some tasks wait. Its worker runs the root. */
class Victim {
  readonly #scheduler: Scheduler
  #now = 0

  constructor(tasks: number, { workers = 1, accepted = true, hasTickets = true } = {}) {
    const self = { id: 'self', location: 'self@here' }
    this.#scheduler = new Scheduler({ self, workers, random: createRandom(1), ...(hasTickets && { tickets: () => 1 }) })
    this.#feed({ type: 'joined', member: { id: 'other', location: 'other@here' } })
    this.#feed({ type: 'job', spec: { ...spec, accepted } })
    const children = Array.from({ length: tasks }, (_, at) => ({ step: String(at).repeat(10), fn: 'child', input: Uint8Array.of(2) }))
    if (workers > 0 && accepted) this.#feed({ type: 'spawned', job, path: '', children })
  }

  /** Further tasks wait. Returns the members that hear of them. */
  spawns(steps: readonly string[]): readonly string[] {
    const children = steps.map((name) => ({ step: name.repeat(10), fn: 'child', input: Uint8Array.of(2) }))
    const effects = [...this.#feed({ type: 'spawned', job, path: '', children }), ...this.#feed({ type: 'timer' })]
    return effects.flatMap((effect) => (effect.type === 'send' && effect.message.type === 'lifeline' ? [effect.to] : []))
  }

  /** A second job comes: its root waits here. Returns the tasks of it that a busy thief gets. */
  askedForSecond(): number {
    this.#feed({ type: 'job', spec: { ...spec, id: second } })
    const message: Message = { type: 'steal', request: 2, jobs: [second], count: 1, busy: true }
    const effects = this.#feed({ type: 'message', from: 'other', message })
    return effects.flatMap((effect) => (effect.type === 'send' && effect.message.type === 'work' ? effect.message.tasks : [])).length
  }

  shares(): void {
    this.#feed({ type: 'shares', policy: { shares: new Map([['owner', 1]]), other: 0 } })
  }

  #feed(input: Input): Effect[] {
    return this.#scheduler.handle(input, this.#now)
  }

  /** Returns how many tasks a thief gets after some time, and whether it gets a lifeline. */
  asked(busy: boolean, after = 0): { readonly tasks: number; readonly lifeline: boolean } {
    this.#now += after
    const message: Message = { type: 'steal', request: 1, jobs: [job], count: 1, ...(busy && { busy }) }
    const sent = [...this.#feed({ type: 'message', from: 'other', message }), ...this.#feed({ type: 'timer' })].flatMap((effect) =>
      effect.type === 'send' ? [effect.message] : [],
    )
    const tasks = sent.flatMap((each) => (each.type === 'work' ? each.tasks : [])).length
    return { tasks, lifeline: sent.some(({ type }) => type === 'lifeline') }
  }
}

describe('a member with one waiting task', () => {
  it('keeps it from a busy thief for a second, without telling that there is work', () => {
    const victim = new Victim(1)
    expect(victim.asked(true)).toEqual({ tasks: 0, lifeline: false })
    expect(victim.asked(true, 999)).toEqual({ tasks: 0, lifeline: false })
    expect(victim.asked(true, 1)).toEqual({ tasks: 1, lifeline: false })
  })

  it('gives it to an idle thief', () => {
    expect(new Victim(1).asked(false).tasks).toBe(1)
  })

  it('gives it to a busy thief if neither tickets nor a policy set shares', () => {
    expect(new Victim(1, { hasTickets: false }).asked(true).tasks).toBe(1)
    const victim = new Victim(1, { hasTickets: false })
    victim.shares()
    expect(victim.asked(true).tasks).toBe(0)
  })

  it('gives it to a busy thief if it has no workers, or does not accept the job', () => {
    expect(new Victim(1, { workers: 0 }).asked(true, 10).tasks).toBe(1)
    expect(new Victim(1, { accepted: false }).asked(true, 10).tasks).toBe(1)
  })
})

describe('a busy thief', () => {
  it('that is refused keeps the lifeline that it had', () => {
    const victim = new Victim(0)
    expect(victim.asked(false).tasks).toBe(0)
    expect(victim.askedForSecond()).toBe(0)
    expect(victim.spawns(['a'])).toEqual(['other'])
  })
})

describe('a member with two waiting tasks', () => {
  it('gives one to a busy thief, and keeps the last', () => {
    const victim = new Victim(2)
    expect(victim.asked(true).tasks).toBe(1)
    expect(victim.asked(true).tasks).toBe(0)
  })
})
