import type { Reign } from '@jel/jel'
import { expect, it } from 'vitest'
import { ElectedLog } from './elected-log.ts'
import type { NodeEvent } from './events.ts'

function reign(election: string, epoch = 1): Reign {
  return { election, epoch, winner: { id: 'A', incarnation: 1, addresses: [], location: 'here', tag: new Uint8Array() } }
}

it('tells each reign once, and remembers only so many elections: the one that is news most', () => {
  const told: NodeEvent[] = []
  const log = new ElectedLog((event) => told.push(event))
  log.tell(reign('first'))
  log.tell(reign('master'))
  log.tell(reign('master'))
  expect(told).toHaveLength(2)
  for (let i = 0; i < 1_022; i++) log.tell(reign(`made up ${i}`))
  log.tell(reign('master', 2))
  log.tell(reign('one more'))
  expect([log.latest('first'), log.latest('master')]).toEqual([undefined, '2 A 1'])
})
