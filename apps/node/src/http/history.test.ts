import { expect, it } from 'vitest'
import type { Agent } from '../agent/agent.ts'
import { History } from './history.ts'

it('keeps a bounded number of what happened, the last ones', () => {
  const history = new History({ started: 0, pool: { members: () => [] } } as unknown as Agent)
  for (let i = 0; i < 1_000; i++) {
    history.take({ event: 'error', code: `E${i}`, message: '' })
    history.detected(i)
  }
  expect(history.past.events).toHaveLength(200)
  expect(history.past.events.at(-1)).toMatchObject({ code: 'E999' })
  expect(history.past.detections).toHaveLength(500)
})
