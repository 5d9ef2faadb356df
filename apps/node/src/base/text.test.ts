import { expect, it } from 'vitest'
import { jsonText, oneLine } from './text.ts'

it('text of others can neither break a line nor steer a terminal', () => {
  expect(oneLine('red \u001B[31malert\u001B[0m\r\nnext\u0007 \u009B2J \u202Eright\u202C ')).toMatch(/^red alert next\?/u)
  expect(oneLine('a\u001B]0;title\u0007b')).not.toMatch(/\p{Cc}/u)
  expect(oneLine('\u202Eevil')).toBe('?evil')
  expect(oneLine('Zürich 東京')).toBe('Zürich 東京')
})

it('JSON with text of others is plain text, and means the same', () => {
  const value = { a: 'a\u009B2Jb\u007F\u202Ec\u{E0041}', [`\u202E`]: ['Zürich 東京 \n"'] }
  const json = jsonText(value, 2)
  expect(json.split('\n')).toHaveLength(6)
  expect(json).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
  expect(json).toContain('a\\u009b2Jb\\u007f\\u202ec\\udb40\\udc41')
  expect(JSON.parse(json)).toEqual(value)
})
