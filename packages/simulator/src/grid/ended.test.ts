import { describe, expect, it } from 'vitest'
import { seeds } from '../../test/seeds.ts'
import type { GridMember } from './grid-member.ts'
import { VirtualGrid } from './grid.ts'
import type { VirtualProgram } from '../jobs/programs/program.ts'
import { flatJob, numberBytes, rootInput } from '../jobs/programs/trees.ts'

const SEEDS = seeds('1-5')
const LEAVES = 100
const wide = flatJob({ leaves: LEAVES, leafTime: 50 })

function gridOf(seed: number, program: VirtualProgram, members: number): VirtualGrid {
  const grid = new VirtualGrid({ seed, program, latency: () => 0.2 })
  for (let member = 0; member < members; member++) grid.join({ site: 's' })
  grid.settle()
  return grid
}

/** Returns the outcomes that members state, without duplicates. */
function outcomesOf(members: readonly GridMember[], job: string): string[] {
  const said = members.map(({ scheduler }) => {
    const view = scheduler.job(job)
    if (view?.entry === undefined) return view?.ended ?? 'nothing'
    const { outcome } = view.entry
    return 'value' in outcome ? new TextDecoder().decode(outcome.value) : outcome.failure.code
  })
  return [...new Set(said)]
}

describe('two halves of a pool that both ended a job', () => {
  /** A program in which each run of the root gives the outcome of `outcomeOf`. */
  function differing(outcomeOf: (run: number) => ReturnType<ReturnType<VirtualProgram>['outcome']>): VirtualProgram {
    let runs = 0
    return (fn, input, context) => {
      const plan = wide(fn, input, context)
      if (plan.children.length === 0) return plan
      const run = runs++
      return { ...plan, outcome: () => outcomeOf(run) }
    }
  }
  const failure = { failure: { code: 'TASK_THREW', message: 'no', member: '', tries: 1 } }

  it.each(
    SEEDS.flatMap((seed) => [
      { seed, kind: 'two values', program: () => differing((run) => ({ value: numberBytes(run) })), kept: '0' },
      {
        seed,
        kind: 'a value and a failure',
        program: () => differing((run) => (run % 2 === 0 ? failure : { value: numberBytes(1) })),
        kept: '1',
      },
    ]),
  )('keep one of $kind, and warn: seed $seed', ({ seed, program, kept }) => {
    const job = `job ${seed}`
    const grid = gridOf(seed, program(), 16)
    grid.submit({ id: job, input: rootInput(LEAVES) })
    grid.run(100)
    grid.cut(({ id }) => Number(id.slice(1)) % 2 === 0)
    grid.run(30_000)
    expect(outcomesOf(grid.living, job)).toHaveLength(2)
    grid.heal()
    grid.run(40_000)
    expect(outcomesOf(grid.living, job)).toEqual([kept])
    expect(grid.warnings.some(({ code }) => code === 'JOB_RESULTS_DIFFER')).toBe(true)
    const { messages } = grid
    grid.run(60_000)
    expect(grid.messages).toBe(messages)
  })
})

describe('a member that lies about a finished job', () => {
  const LIES = 20

  /** Returns a grid with a liar. Each value of the liar precedes all values stated before. */
  function lying(seed: number, after: number): { grid: VirtualGrid; honest: GridMember[]; lie: () => void } {
    const grid = gridOf(seed, wide, 16)
    const honest = grid.living
    const liar = grid.join({ site: 's', takes: () => {} })
    grid.settle()
    grid.submit({ id: 'job', input: rootInput(LEAVES) })
    grid.until(() => grid.doneAt.has('job') && grid.isDoneEverywhere('job'), 60_000)
    grid.run(after)
    const lie = (): void => {
      for (let number = 0; number < LIES; number++) {
        const entry = { path: '', outcome: { value: Uint8Array.of(LIES - number) }, shared: new Map() }
        for (const { id } of honest) liar.send(id, { type: 'result', job: 'job', entries: [entry] })
        grid.run(100)
      }
      grid.run(5000)
    }
    return { grid, honest, lie }
  }

  it.each(SEEDS)('does not change an outcome that is a minute old, and each member warns once: seed %i', (seed) => {
    const { grid, honest, lie } = lying(seed, 61_000)
    const { messages } = grid
    lie()
    expect(outcomesOf(honest, 'job')).toEqual([String(LEAVES)])
    expect(grid.messages).toBe(messages)
    expect(grid.warnings.map(({ code }) => code)).toEqual(honest.map(() => 'JOB_RESULTS_DIFFER'))
  })

  it('makes only replicas inform each other of its earlier lies, and only a few times', () => {
    const { grid, honest, lie } = lying(1, 1000)
    const { messages } = grid
    lie()
    // Each of five replicas informs four others and gets an answer from each, at most four times.
    expect(grid.messages - messages).toBeLessThanOrEqual(5 * 4 * 4 * 2)
    expect(grid.warnings).toHaveLength(honest.length)
  })

  it('may be the first answer after an absence, and changes an outcome only a few times', () => {
    const { honest, lie } = lying(1, 61_000)
    const [member] = honest as [GridMember]
    // This member believes that another member was absent for a moment.
    const { scheduler, node } = member
    scheduler.handle({ type: 'gone', id: honest[1]?.id ?? '' }, node.now)
    scheduler.handle({ type: 'joined', member: { id: honest[1]?.id ?? '', location: 's' } }, node.now)
    lie()
    expect(outcomesOf(honest.slice(1), 'job')).toEqual([String(LEAVES)])
    expect(scheduler.job('job')?.entry?.outcome).toEqual({ value: Uint8Array.of(LIES - 3) })
  })
})

describe('a cancelled job', () => {
  it.each(SEEDS)('keeps an outcome that it already had, for newcomers as well: seed %i', (seed) => {
    const job = `job ${seed}`
    const grid = gridOf(seed, wide, 8)
    grid.submit({ id: job, input: rootInput(LEAVES) })
    grid.until(() => grid.doneAt.has(job), 60_000)
    grid.run(3000)
    grid.setDesired(job, 'cancel')
    grid.run(3000)
    for (let member = 0; member < 8; member++) {
      grid.leave(grid.living[0] as GridMember)
      const newcomer = grid.join({ site: 's' })
      grid.run(3000)
      grid.watch(newcomer, job)
      grid.run(500)
    }
    expect(outcomesOf(grid.living, job)).toEqual([String(LEAVES)])
  })

  it.each(seeds('1-10'))('has the same outcome at all members, whenever its owner cancelled it: seed %i', (seed) => {
    const job = `job ${seed}`
    const grid = gridOf(seed, wide, 8)
    grid.submit({ id: job, input: rootInput(LEAVES) })
    // The job takes about 700 ms.
    grid.run(500 + 30 * (seed % 11))
    grid.setDesired(job, 'cancel')
    grid.run(12_000)
    expect(outcomesOf(grid.living, job)).toHaveLength(1)
    expect(outcomesOf(grid.living, job)).not.toContain('nothing')
  })

  it('runs when it is submitted again', () => {
    const grid = gridOf(1, wide, 4)
    grid.submit({ id: 'job', input: rootInput(LEAVES) })
    grid.run(200)
    grid.setDesired('job', 'cancel')
    grid.run(5000)
    expect(outcomesOf(grid.living, 'job')).toEqual(['cancelled'])
    grid.setDesired('job', 'run')
    grid.run(10_000)
    expect(outcomesOf(grid.living, 'job')).toEqual([String(LEAVES)])
  })
})

describe('a result whose input is lost', () => {
  it.each(SEEDS)('outlives all members that computed it if they are replaced one by one: seed %i', (seed) => {
    const job = `job ${seed}`
    const grid = gridOf(seed, wide, 3)
    grid.submit({ id: job, input: rootInput(LEAVES) })
    grid.until(() => grid.doneAt.has(job), 60_000)
    grid.run(3000)
    for (let member = 0; member < 6; member++) {
      grid.join({ site: 's', lacksInputs: true })
      grid.run(3000)
      grid.leave(grid.living[0] as GridMember)
      grid.run(1000)
    }
    grid.run(10_000)
    expect(outcomesOf(grid.living, job)).toEqual([String(LEAVES)])
  })

  it.each(SEEDS)('does not keep members with the input from running the job: seed %i', (seed) => {
    const job = `job ${seed}`
    const grid = gridOf(seed, wide, 1)
    for (let member = 0; member < 4; member++) grid.join({ site: 's', lacksInputs: true })
    grid.submit({ id: job, input: rootInput(LEAVES) })
    grid.until(() => grid.doneAt.has(job) && grid.isDoneEverywhere(job), 60_000)
    expect(outcomesOf(grid.living, job)).toEqual([String(LEAVES)])
  })
})
