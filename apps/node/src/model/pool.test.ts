import { expect, it } from 'vitest'
import type { NodeEvent, NodeJson } from '../events/events.ts'
import { PoolModel } from './pool.ts'

function node(id: string, incarnation = 1): NodeJson {
  return { id, incarnation, addresses: [], location: 'here', tag: '', reach: 'direct', joinedAt: 0 }
}

function reign(election: string, epoch = 1): NodeEvent & { event: 'elected' } {
  return { event: 'elected', election, epoch, node: node('A') }
}

/** Returns the lives that are known to have ended, as `id incarnation`. */
function gone(model: PoolModel): string[] {
  return [...model.gone].map((life) => `${life.node.id} ${life.node.incarnation}`)
}

it('each reign is news once, and a bounded number of elections is remembered, the latest ones', () => {
  const model = new PoolModel()
  expect([reign('first'), reign('master'), reign('master')].map((each) => model.take(each, 0))).toEqual([true, true, false])
  for (let i = 0; i < 1_022; i++) model.take(reign(`made up ${i}`), 0)
  expect(model.take(reign('master', 2), 0)).toBe(true)
  model.take(reign('one more'), 0)
  expect([model.reigns.get('first'), model.reigns.get('master')?.epoch]).toEqual([undefined, 2])
})

it('a bounded number of departed members is remembered, the last ones', () => {
  const model = new PoolModel()
  for (let i = 0; i < 2000; i++) model.take({ event: 'died', node: node(`n${i}`) }, i)
  expect(gone(model)).toHaveLength(1024)
  expect(gone(model).at(-1)).toBe('n1999 1')
  expect(model.members.size).toBe(1024)
})

it('the end of a life does not affect the next life of the same member', () => {
  const model = new PoolModel()
  model.take({ event: 'joined', node: node('A') }, 0)
  model.take({ event: 'joined', node: node('A', 2) }, 1)
  model.take({ event: 'died', node: node('A') }, 2)
  expect(model.members.get('A')).toMatchObject({ state: 'here', since: 1 })
  expect([model.here, model.died, gone(model)]).toEqual([1, 1, ['A 1']])
  model.take({ event: 'left', node: node('A', 2) }, 3)
  expect([model.here, model.left, gone(model)]).toEqual([0, 1, ['A 1', 'A 2']])
})

it('the ledger is the last one that was told, with the last entry of any event', () => {
  const model = new PoolModel()
  const ledger = { id: '1-ab', generation: 1, state: 'ready', term: 1, leader: 'A', voters: [], index: 3 } as const
  model.take({ event: 'ordered', index: 2, name: 'row', payload: '', node: node('A') }, 0)
  expect(model.ledger).toBeUndefined()
  model.take({ event: 'ledger', ...ledger }, 0)
  model.take({ event: 'joined', node: { ...node('B'), rank: 1, index: 7 } }, 0)
  model.take({ event: 'ordered', index: 5, name: 'row', payload: '', node: node('A') }, 0)
  expect(model.ledger).toMatchObject({ leader: 'A', index: 7 })
  model.take({ event: 'ledger', ...ledger, leader: null, index: 8 }, 0)
  expect(model.ledger).toMatchObject({ leader: null, index: 8 })
  model.clear()
  expect(model.ledger).toBeUndefined()
})

it('members that went long ago are forgotten, and all members at a new beginning', () => {
  const model = new PoolModel()
  model.take({ event: 'started', node: node('A') }, 0)
  for (const id of ['A', 'B', 'C']) model.take({ event: 'joined', node: node(id) }, 0)
  model.take({ event: 'died', node: node('B') }, 10)
  model.take({ event: 'died', node: node('C') }, 20)
  expect([model.forget(20), model.forget(20)]).toEqual([true, false])
  expect([[...model.members.keys()], gone(model)]).toEqual([['A', 'C'], ['C 1']])
  model.clear()
  expect([model.self, model.here, model.members.size, gone(model)]).toEqual([undefined, 0, 0, []])
})
