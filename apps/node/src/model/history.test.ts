import { expect, it } from 'vitest'
import { History } from './history.ts'

it('the history keeps a bounded number of events, the last ones', () => {
  const history = new History()
  for (let i = 0; i < 1_000; i++) {
    history.take({ event: 'error', code: `E${i}`, message: '' }, i, 1)
    history.detected(i, i)
  }
  expect(history.past.events).toHaveLength(200)
  expect(history.past.events.at(-1)).toMatchObject({ code: 'E999', time: 999 })
  expect(history.past.detections).toHaveLength(500)
})
