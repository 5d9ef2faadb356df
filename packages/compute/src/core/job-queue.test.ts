import { beforeEach, describe, expect, it } from 'vitest'
import type { Context } from './context.ts'
import type { Job } from './job.ts'
import { Queue } from './job-queue.ts'

let context: { now: number; readonly self: string; readonly attended: Set<Job> }
let queue: Queue
beforeEach(() => {
  context = { now: 0, self: 'self', attended: new Set() }
  queue = new Queue(context as unknown as Context, undefined)
})

type Writable = { -readonly [Key in keyof Job]: Job[Key] }

function jobOf(owner: string, submitted: number): Writable {
  return { id: owner, runs: true, spec: { owner, submitted, accepted: true }, failures: { isStopped: false } } as unknown as Writable
}
const [A, B, S] = [jobOf('A', 1), jobOf('B', 3), jobOf('S', 2)]
beforeEach(() => void (A.runs = true))

/** Runs the next tasks of some ms. Returns the number of tasks that each owner got. */
function run(tasks: number, took = 10_000): Record<string, number> {
  const got: Record<string, number> = {}
  for (let task = 0; task < tasks; task++) {
    const [first] = queue.order() as readonly [Job]
    context.now += took
    queue.charge(first, took)
    got[first.spec.owner] = (got[first.spec.owner] ?? 0) + 1
  }
  return got
}

describe('a policy that is published again', () => {
  const policy = { shares: new Map([['A', 10], ['B', 90]]), other: 0 } // prettier-ignore

  it('takes nobody the turns that the others owe', () => {
    queue.setPolicy(policy)
    for (const job of [A, B]) queue.changed(job)
    run(1)
    queue.setPolicy({ ...policy })
    expect(run(5)).toEqual({ B: 5 })
  })

  it('counts from now if there was none before', () => {
    for (const job of [A, B]) queue.changed(job)
    queue.charge(A, 1e9)
    queue.setPolicy(policy)
    expect(run(1)).toEqual({ A: 1 })
    queue.setPolicy(undefined)
    expect(run(3)).toEqual({ A: 3 })
  })
})

describe('an owner without a share', () => {
  beforeEach(() => {
    queue.setPolicy({ shares: new Map([['A', 10]]), other: 0 })
    for (const job of [A, S]) queue.changed(job)
  })

  it('that had a task beside shares divides the time with another one later', () => {
    // The owner with shares has no task for a moment.
    queue.charge(S, 10_000)
    expect(run(5)).toEqual({ A: 5 })
    queue.changed(B)
    A.runs = false
    queue.changed(A)
    const got = run(21)
    expect(got['B']).toBeLessThanOrEqual(12)
    expect(got['S']).toBeGreaterThanOrEqual(9)
  })

  it('gets no turns back that it paid for while it was alone', () => {
    A.runs = false
    queue.changed(A)
    const tickets = queue.charge(S, 600_000)
    expect(tickets).toBe(1000)
    A.runs = true
    queue.changed(A)
    context.now += 60_000
    queue.charge(S, -540_000, tickets)
    expect(run(10)).toEqual({ S: 1, A: 9 })
  })
})

describe('tickets', () => {
  it('do not let an owner escape its lead by a job that follows at once', () => {
    queue = new Queue(context as unknown as Context, (owner) => (owner === 'A' ? 1 : 99))
    for (const job of [A, B]) queue.changed(job)
    expect(run(2)).toEqual({ A: 1, B: 1 })
    A.runs = false
    queue.changed(A)
    expect(run(2)).toEqual({ B: 2 })
    A.runs = true
    queue.changed(A)
    expect(run(50)).toEqual({ B: 50 })
  })

  it('pay for what a task took, whatever was estimated', () => {
    queue = new Queue(context as unknown as Context, (owner) => (owner === 'A' ? 3 : 1))
    for (const job of [A, B]) queue.changed(job)
    const got: Record<string, number> = { A: 0, B: 0 }
    for (let task = 0; task < 400; task++) {
      const [first] = queue.order() as readonly [Job]
      const tickets = queue.charge(first, 1000)
      queue.charge(first, -900, tickets)
      got[first.spec.owner] = (got[first.spec.owner] as number) + 1
    }
    expect(got).toEqual({ A: 300, B: 100 })
  })
})
