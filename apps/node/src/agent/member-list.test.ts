import type { Member } from '@jel/jel'
import { expect, it } from 'vitest'
import { PoolModel } from '../model/pool.ts'
import { nodeJson } from '../events/events.ts'
import { listMembers, type MemberFilter } from './member-list.ts'

function member(id: string, location = 'here', tag = ''): Member {
  return { id, incarnation: 1, joinedAt: 0, addresses: [], location, tag: Buffer.from(tag), constants: new Map(), reach: 'direct' }
}

function newModel(): PoolModel {
  return new PoolModel()
}

/** Returns the ids of the listed members. */
function ids(here: readonly Member[], model: PoolModel, filter?: MemberFilter): string[] {
  return listMembers(here, model, filter).map(({ id }) => id)
}

it('the list has present members, then departed ones, the last first, with their times', () => {
  const here = [member('a'), member('b')]
  const model = newModel()
  const all = ['a', 'b', 'c', 'd'].map((id) => member(id))
  for (const [index, each] of all.entries()) model.take({ event: 'joined', node: nodeJson(each) }, index)
  model.take({ event: 'died', node: nodeJson(member('c')) }, 10)
  model.take({ event: 'left', node: nodeJson(member('d')) }, 20)
  expect(ids(here, model)).toEqual(['a', 'b'])
  expect(listMembers(here, model, { state: 'all' }).map(({ id, state, since }) => [id, state, since])).toEqual([
    ['a', 'here', 0],
    ['b', 'here', 1],
    ['d', 'left', 20],
    ['c', 'died', 10],
  ])
  expect(ids(here, model, { state: 'died' })).toEqual(['c'])
})

it('a member that came back is in the list by its present state only, unless all lives are listed', () => {
  const model = newModel()
  for (const [at, event] of (['joined', 'died', 'joined', 'left', 'joined'] as const).entries())
    model.take({ event, node: { ...nodeJson(member('a')), incarnation: Math.floor(at / 2) } }, at)
  model.take({ event: 'joined', node: nodeJson(member('b')) }, 5)
  model.take({ event: 'died', node: nodeJson(member('b')) }, 6)
  expect(ids([member('a')], model, { state: 'died' })).toEqual(['b'])
  expect(ids([member('a')], model, { state: 'left' })).toEqual([])
  expect(ids([], model, { state: 'left' })).toEqual(['a'])
  expect(ids([member('a')], model, { state: 'all' })).toEqual(['a', 'b', 'a', 'a'])
})

it('the list is filtered by the coarse end of a location, and by an expression for a tag', () => {
  const here = [member('a', 'n1@rack2@delft', 'gpu=2'), member('b', 'n2@rack12@delft', 'cpu')]
  const model = newModel()
  expect(ids(here, model, { location: 'delft' })).toEqual(['a', 'b'])
  expect(ids(here, model, { location: 'rack2@delft' })).toEqual(['a'])
  expect(ids(here, model, { tag: '^gpu' })).toEqual(['a'])
  expect(ids(here, model, { tag: 'pu', location: 'rack12@delft' })).toEqual(['b'])
  expect(() => ids(here, model, { tag: '(' })).toThrow(RangeError)
})
