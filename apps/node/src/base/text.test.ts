import { expect, it } from 'vitest'
import { oneLine } from './text.ts'

it('text of others can neither break a line nor steer a terminal', () => {
  expect(oneLine('red \u001B[31malert\u001B[0m\r\nnext\u0007 \u009B2J \u202Eright\u202C ')).toMatch(/^red alert next\?/u)
  expect(oneLine('a\u001B]0;title\u0007b')).not.toMatch(/\p{Cc}/u)
  expect(oneLine('\u202Eevil')).toBe('?evil')
  expect(oneLine('Zürich 東京')).toBe('Zürich 東京')
})
