import { expect, it } from 'vitest'
import { compare } from './fidelity.ts'
import type { TrialPlan } from './trial.ts'

const plan: TrialPlan = { nodes: 12, rounds: 4, kills: 3, settle: 8_000, pause: 3_000, idle: 10_000 }

/**
 * Largest differences, as shares. On a busy machine nodes start more slowly, and a forming pool
 * then sends other messages. Answers are late, so a crash takes more probes (measured: 22 % beside
 * other tests, 1 to 4 % alone). Times are not compared for the same reason: docs/fidelity.md has
 * the times of an idle machine.
 */
const TOLERANCE = { forming: 0.66, comeAndGo: 0.2, idleSecond: 0.3, oneCrash: 0.3 } as const

it('real hosts and the simulator report all events to all members, with similar traffic', { timeout: 300_000 }, async () => {
  const { columns } = await compare(plan, 1)
  const [simulated, hosts] = columns.map(({ trials: [trial] }) => trial)
  if (simulated === undefined || hosts === undefined) throw new Error('a trial is missing')
  for (const { untold, join, leave, crash } of [hosts, simulated])
    expect({ untold, join: join.length, leave: leave.length, crash: crash.length }).toEqual({ untold: 0, join: 48, leave: 48, crash: 30 })
  for (const phase of ['forming', 'comeAndGo', 'idleSecond', 'oneCrash'] as const) {
    for (const count of ['frames', 'frameBytes', 'streamBytes'] as const) {
      const difference = Math.abs(simulated[phase][count] / hosts[phase][count] - 1)
      expect.soft(difference, `${phase}: ${count}`).toBeLessThan(TOLERANCE[phase])
    }
  }
})
