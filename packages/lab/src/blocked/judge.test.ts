import { expect, test } from 'vitest'
import { problemsOf } from './judge.ts'
import type { Seen } from './application.ts'

const expected = { signals: 2, came: ['c'], left: ['c'] }

function observed(...events: string[]): string[] {
  const seen: Seen[] = events.map((text, time) => {
    const [type = '', subject = ''] = text.split(' ')
    return { type, subject, time }
  })
  return problemsOf([{ id: 'a', seen, blocked: true }], expected)
}

test('accepts events that come once and in order', () => {
  expect(observed('joined a/1', 'joined c/1', 'signal 0', 'left c/1', 'signal 1')).toEqual([])
})

test.each([
  ['a death', ['joined a/1', 'joined c/1', 'signal 0', 'left c/1', 'signal 1', 'joined d/1', 'died d/1'], 'died'],
  ['an end before the join', ['joined a/1', 'left c/1', 'joined c/1', 'signal 0', 'signal 1'], 'after "nothing"'],
  ['a repeated event', ['joined a/1', 'joined c/1', 'joined c/1', 'left c/1', 'signal 0', 'signal 1'], 'after "joined"'],
  ['a missing event', ['joined a/1', 'joined c/1', 'signal 0', 'signal 1'], 'not told that c left'],
  ['signals out of order', ['joined c/1', 'left c/1', 'signal 1', 'signal 0'], 'signals 1,0'],
])('finds %s', (_, events, problem) => {
  expect(observed(...events).join('\n')).toContain(problem)
})
