import { createRandom } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import type { Effect, Input, JobSpec } from './io.ts'
import { Scheduler } from './scheduler.ts'
import { NOTHING_SHARED } from './shared-value.ts'

/**
 * A member alone with a job whose root calls for 200 children of 1 MiB each. Returns the number of
 * computed children.
 */
function childrenOf(votes: number): number {
  const scheduler = new Scheduler({ self: { id: 'self', location: 'self@here' }, workers: 1, random: createRandom(1) })
  const spec: JobSpec = {
    id: 'job',
    owner: 'o',
    fn: 'root',
    input: Uint8Array.of(1),
    votes,
    submitted: 0,
    desired: 'run',
    trusted: false,
    accepted: true,
    fresh: true,
  }
  let [seen, computed] = [0, 0]
  const effects: Effect[] = []
  const feed = (input: Input): void => void effects.push(...scheduler.handle(input, 0))
  feed({ type: 'job', spec })
  for (let effect = effects.shift(); effect !== undefined; effect = effects.shift()) {
    if (effect.type !== 'run' && effect.type !== 'deliver') continue
    seen++
    if (effect.type === 'run' && effect.task.path === '') {
      const children = Array.from({ length: 200 }, (_, n) => ({ step: String(n).padStart(10, '0'), fn: 'child', input: Uint8Array.of(n) }))
      feed({ type: 'spawned', job: 'job', path: '', children })
    } else if (effect.type === 'run') {
      computed++
      const outcome = { value: new Uint8Array(2 ** 20) }
      feed({ type: 'returned', job: 'job', path: effect.task.path, outcome, shared: NOTHING_SHARED, ran: 1 })
    }
    feed({ type: 'idle', slot: 0, seen })
  }
  return computed
}

describe('a job whose tasks give more than 64 MiB', () => {
  it.each([1, 7])('goes no further with %i votes', (votes) => {
    expect(childrenOf(votes)).toBe(65)
  })
})
