import { expect, it } from 'vitest'
import { durationOf, PHASES } from './course.ts'

const course = { nodes: 40, repeats: 3, heals: 5, perHost: 10, settle: 3_000, idle: 30_000, partition: 60_000 }

it('a course is bounded, and takes longer with each phase', () => {
  const whole = durationOf({ ...course, only: new Set(PHASES) })
  expect(whole.usual).toBeLessThan(whole.most)
  expect(whole.most).toBeLessThan(3_600_000 * 2)
  for (const phase of PHASES.filter((each) => each !== 'flash')) {
    const without = durationOf({ ...course, only: new Set(PHASES.filter((each) => each !== phase)) })
    expect(without.usual).toBeLessThan(whole.usual)
  }
})

it('three hosts have agents of their own and wait for no others', () => {
  const alone = durationOf({ ...course, only: new Set(['three-hosts']) })
  expect(alone).toEqual(durationOf({ ...course, nodes: 400, only: new Set(['three-hosts']) }))
  expect(durationOf({ ...course, only: new Set(['heal']) })).toEqual(durationOf({ ...course, only: new Set(['flash', 'heal']) }))
})
