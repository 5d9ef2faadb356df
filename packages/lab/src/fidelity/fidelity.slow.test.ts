import { expect, it } from 'vitest'
import { quantile } from '../base/quantiles.ts'
import { compare } from './fidelity.ts'
import type { TrialPlan } from './trial.ts'

const plan: TrialPlan = { nodes: 12, rounds: 4, kills: 3, stagger: 100, settle: 8_000, pause: 3_000, idle: 10_000 }

it('real hosts and the simulator tell everybody everything, say as much, and take as long', { timeout: 180_000 }, async () => {
  const { columns } = await compare(plan, 1)
  const [[simulated], [hosts]] = columns.map(({ trials }) => trials) as [(typeof columns)[0]['trials'], (typeof columns)[1]['trials']]
  if (simulated === undefined || hosts === undefined) throw new Error('a trial is missing')
  for (const { untold, join, leave, crash } of [hosts, simulated])
    expect({ untold, join: join.length, leave: leave.length, crash: crash.length }).toEqual({ untold: 0, join: 48, leave: 48, crash: 30 })
  for (const phase of ['forming', 'comeAndGo', 'idleSecond'] as const) {
    for (const count of ['frames', 'frameBytes', 'streamBytes'] as const) {
      const ratio = simulated[phase][count] / hosts[phase][count]
      expect({ phase, count, isAlike: ratio > 0.75 && ratio < 1.33 }).toEqual({ phase, count, isAlike: true })
    }
  }
  // With few nodes, one seed and a machine that may be busy, times differ more than in
  // docs/fidelity.md.
  for (const what of ['join', 'leave', 'crash'] as const) {
    const ratio = quantile(simulated[what], 0.5) / quantile(hosts[what], 0.5)
    expect({ what, isAlike: ratio > 0.33 && ratio < 3 }).toEqual({ what, isAlike: true })
  }
})
