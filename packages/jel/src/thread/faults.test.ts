import { SignalError, UnknownMemberError } from '@jel/overlay'
import { expect, test } from 'vitest'
import { ChangesOverflowError } from '../errors.ts'
import { fromFault, toFault } from './faults.ts'

const across = (error: unknown): Error => fromFault(structuredClone(toFault(error)))

test.each([
  new UnknownMemberError('nobody'),
  new ChangesOverflowError(3),
  new RangeError('too far'),
  new SignalError('go', ['a'], ['b', 'c']),
])('an error keeps class, code, message and fields: %s', (error) => {
  const copy = across(error)
  expect(copy).toBeInstanceOf(error.constructor)
  expect(copy.stack).toBe(error.stack)
  expect([copy.name, copy.message, Object.entries(copy)]).toEqual([error.name, error.message, Object.entries(error)])
})

test('an unknown class keeps its name and code', () => {
  class Strange extends Error {
    override name = 'Strange'
    code = 'ODD'
  }
  expect(across(new Strange('hm'))).toMatchObject({ name: 'Strange', code: 'ODD', message: 'hm' })
})

test('the cause of an error is carried along', () => {
  expect(across(new Error('outer', { cause: new UnknownMemberError('inner') })).cause).toBeInstanceOf(UnknownMemberError)
})

test('an abort stays an abort, and a thrown value that is no error becomes one', () => {
  expect(across(new DOMException('enough', 'AbortError'))).toMatchObject({ name: 'AbortError', message: 'enough' })
  expect(across('text').message).toBe('text')
})

test('fields that are no plain data are dropped', () => {
  expect(Object.keys(across(Object.assign(new Error('x'), { callback: () => {}, n: 1 })))).toEqual(['n'])
})
