import { describe, expect, it } from 'vitest'
import type { JobOverview, JobsEvent } from '../events/job-messages.ts'
import { OTHERS, SECONDS, TaskStream } from './task-stream.ts'

const BEGIN = 1_000_000

/** The work of a member so far: busy time by function, ms. */
interface Sums {
  readonly ran: Readonly<Record<string, number>>
  readonly failed?: number
  readonly running?: number
}

function event(members: Readonly<Record<string, Sums>>): JobsEvent {
  const workers = Object.entries(members).map(([member, { ran, failed = 0, running = 0 }]): JobOverview['workers'][number] => ({
    member,
    begun: 1,
    finished: Object.values(ran).reduce((sum, each) => sum + each, 0) / 10,
    ran: Object.values(ran).reduce((sum, each) => sum + each, 0),
    running,
    waiting: 0,
    functions: Object.entries(ran).map(([fn, time]) => ({ fn, finished: time / 10, failed, ran: time })),
  }))
  const job = { job: 'a', name: 'a', owner: 'o', submitted: 0, state: 'active', reason: '', covered: 0, members: 1 } as const
  return { event: 'jobs', jobs: [{ ...job, begun: 1, finished: 1, functions: [], tasks: [], workers }], more: 0 }
}

/** Takes an event a second from `BEGIN` on. */
function streamOf(seconds: number, at: (second: number) => Readonly<Record<string, Sums>>): TaskStream {
  const stream = new TaskStream()
  for (let second = 0; second <= seconds; second++) stream.take(event(at(second)), BEGIN + second * 1000)
  return stream
}

describe('the stream of tasks', () => {
  it('has a cell a second: the function with the most time, how busy the workers were, and failures', () => {
    // Two workers: f for three seconds, then g, and then half as much.
    const stream = streamOf(6, (second) => ({
      m: {
        ran: {
          f: Math.min(second, 3) * 1800 + second * 50,
          g: Math.max(0, Math.min(second, 5) - 3) * 1900 + Math.max(0, second - 5) * 950,
        },
        failed: second >= 5 ? 1 : 0,
      },
    }))
    const { strips, functions, more } = stream.view(BEGIN + 6000)
    const cells = strips[0]!.cells.slice(-6)
    const [f, g] = [stream.kindOf('f'), stream.kindOf('g')]
    expect(f).not.toBe(g)
    expect(cells.map(({ kind }) => kind)).toEqual([f, f, f, g, g, g])
    expect(cells.map(({ busy }) => Math.round(busy * 10) / 10)).toEqual([0.9, 0.9, 0.9, 1, 1, 0.5])
    expect(cells.map(({ failed }) => failed)).toEqual([0, 0, 0, 0, 2, 0])
    expect(strips[0]).toMatchObject({ member: 'm', failed: 2 })
    expect(strips[0]!.workers).toBeCloseTo((3 * 1800 + 6 * 50 + 2 * 1900 + 950) / 6000)
    expect(functions.map(({ fn, kind, share }) => [fn, kind, Math.round(share * 100)])).toEqual([
      ['f', f, 55],
      ['g', g, 45],
    ])
    expect(more).toBe(0)
  })

  it('moves on, and ends a minute after the last work', () => {
    const stream = streamOf(2, (second) => ({ m: { ran: { f: second * 1000 } } }))
    const busy = (now: number): number[] => stream.view(now).strips[0]?.cells.flatMap(({ busy: each }, at) => (each > 0 ? [at] : [])) ?? []
    expect(busy(BEGIN + 2000)).toEqual([SECONDS - 2, SECONDS - 1])
    expect(busy(BEGIN + 32_500)).toEqual([SECONDS - 32, SECONDS - 31])
    expect(stream.view(BEGIN + 61_000).strips).toHaveLength(1)
    expect(stream.view(BEGIN + 62_000)).toEqual({ strips: [], more: 0, functions: [] })
  })

  it('shows a long task where it ran, and before its end that something runs', () => {
    const stream = new TaskStream()
    const told = (second: number, ran: number): void => stream.take(event({ m: { ran: { f: ran }, running: 1 } }), BEGIN + second * 1000)
    for (let second = 0; second < 20; second++) told(second, 0)
    const before = stream.view(BEGIN + 20_000).strips[0]!
    expect(before.cells.slice(-19).every(({ busy, isOpen }) => busy === 0 && isOpen)).toBe(true)
    expect(before.workers).toBe(0)
    const long = event({ m: { ran: { f: 20_000 }, running: 1 } })
    const [one] = long.jobs
    const [worker] = one!.workers
    const single = { ...worker!, finished: 1, functions: [{ fn: 'f', finished: 1, failed: 0, ran: 20_000 }] }
    stream.take({ ...long, jobs: [{ ...one!, workers: [single] }] }, BEGIN + 20_000)
    const { cells, workers } = stream.view(BEGIN + 20_000).strips[0]!
    expect(cells.slice(-20).every(({ busy }) => busy === 1)).toBe(true)
    expect(cells.slice(0, -20).every(({ busy }) => busy === 0)).toBe(true)
    expect(workers).toBeCloseTo(1)
  })

  it('has the busiest members, in an order that small differences do not change', () => {
    const speeds = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`m${10 + i}`, i < 38 ? 100 + (i % 2) : 1000]))
    const stream = streamOf(5, (second) =>
      Object.fromEntries(Object.entries(speeds).map(([id, speed]) => [id, { ran: { f: speed * second } }])),
    )
    const { strips, more } = stream.view(BEGIN + 5000)
    expect(strips.map(({ member }) => member)).toEqual(['m48', 'm49', ...Array.from({ length: 14 }, (_, i) => `m${10 + i}`)])
    expect(more).toBe(24)
  })

  it('has colours for a few functions: the others share one, and a function that is gone gives its colour back', () => {
    const stream = new TaskStream()
    const names = Array.from({ length: OTHERS + 2 }, (_, i) => `f${i}`)
    const sumsAt = (second: number): Record<string, Sums> =>
      Object.fromEntries(names.map((fn, i) => [`m${i}`, { ran: { [fn]: second * 100 } }]))
    for (let second = 0; second <= 3; second++) stream.take(event(sumsAt(second)), BEGIN + second * 1000)
    expect(names.map((fn) => stream.kindOf(fn))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, OTHERS, OTHERS])
    const { functions } = stream.view(BEGIN + 3000)
    expect(functions).toHaveLength(OTHERS + 1)
    expect(functions[0]).toMatchObject({ fn: undefined, kind: OTHERS, share: 0.2 })
    const late = (second: number): void => stream.take(event({ m: { ran: { late: second * 100 } } }), BEGIN + second * 1000)
    for (let second = 100; second <= 102; second++) late(second)
    expect(stream.kindOf('late')).toBe(0)
    expect(stream.view(BEGIN + 102_000).functions).toEqual([{ fn: 'late', kind: 0, share: 1 }])
  })

  it('stays cheap at any rate: an event of 8 jobs with 64 members takes a few ms', () => {
    const stream = new TaskStream()
    const at = (second: number): JobsEvent => {
      const members = Array.from({ length: 64 }, (_, i): [string, Sums] => [`m${i}`, { ran: { f: second * 1e6, g: second * 1e6 } }])
      const [job] = event(Object.fromEntries(members)).jobs
      return { event: 'jobs', jobs: Array.from({ length: 8 }, (_, i) => ({ ...job!, job: `${i}` })), more: 0 }
    }
    const events = Array.from({ length: 20 }, (_, second) => at(second))
    const begun = performance.now()
    for (const [second, each] of events.entries()) {
      stream.take(each, BEGIN + second * 1000)
      stream.view(BEGIN + second * 1000)
    }
    // Measured: all tests of this file take 170 ms. The bound is for a busy machine.
    expect(performance.now() - begun).toBeLessThan(1000)
  })
})
