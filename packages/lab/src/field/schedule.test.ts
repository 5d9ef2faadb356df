import { expect, it } from 'vitest'
import { durationOf, PHASES } from './schedule.ts'

const schedule = { nodes: 40, repeats: 3, heals: 5, perHost: 10, settle: 3_000, idle: 30_000, partition: 60_000 }

it('the duration of a run is bounded, and grows with each phase', () => {
  const whole = durationOf({ ...schedule, only: new Set(PHASES) })
  expect(whole.usual).toBeLessThan(whole.most)
  expect(whole.most).toBeLessThan(3_600_000 * 2)
  for (const phase of PHASES.filter((each) => each !== 'flash')) {
    const without = durationOf({ ...schedule, only: new Set(PHASES.filter((each) => each !== phase)) })
    expect(without.usual).toBeLessThan(whole.usual)
  }
})

it('the phase of three hosts has its own agents and does not wait for others', () => {
  const alone = durationOf({ ...schedule, only: new Set(['three-hosts']) })
  expect(alone).toEqual(durationOf({ ...schedule, nodes: 400, only: new Set(['three-hosts']) }))
  expect(durationOf({ ...schedule, only: new Set(['heal']) })).toEqual(durationOf({ ...schedule, only: new Set(['flash', 'heal']) }))
})
