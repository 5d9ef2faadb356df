import { expect, it } from 'vitest'
import { ElectedLog } from './elected-log.ts'
import type { NodeEvent } from './events.ts'

function reign(election: string, epoch = 1): NodeEvent & { event: 'elected' } {
  return { event: 'elected', election, epoch, node: { id: 'A', incarnation: 1, addresses: [], location: 'here', tag: '', joinedAt: 0 } }
}

it('takes each reign for news once, and remembers only so many elections: the one that is news most', () => {
  const log = new ElectedLog()
  expect([reign('first'), reign('master'), reign('master')].map((each) => log.take(each))).toEqual([true, true, false])
  for (let i = 0; i < 1_022; i++) log.take(reign(`made up ${i}`))
  expect(log.take(reign('master', 2))).toBe(true)
  log.take(reign('one more'))
  expect([log.latest('first'), log.latest('master')]).toEqual([undefined, '2 A 1'])
})
