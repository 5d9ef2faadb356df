import { expect, it } from 'vitest'
import { encodeValue } from '../program/values.ts'
import { MAX_SHOWN, shownInput } from './shown-input.ts'

const shared = { a: 1 }

it.each<[string, unknown, string]>([
  ['a record', { n: 7, kind: 'hang' }, '{ "n": 7, "kind": "hang" }'],
  [
    'numbers',
    [1, -2, 300, 70_000, 1.5, -7.25, 2 ** 40, true, null, undefined],
    '[1, -2, 300, 70000, 1.5, -7.25, 1099511627776, true, null, undefined]',
  ],
  ['a text with an escape', 'a\u001B[2J"', '"a\\u001b[2J\\""'],
  ['bytes', new Uint8Array(5000), '5000 bytes'],
])('the text of an input: %s', (_, value, text) => {
  expect(shownInput(encodeValue(value)).trim()).toBe(text)
})

it.each<[string, Uint8Array]>([
  ['a long list', encodeValue(Array.from({ length: 50_000 }, (_, index) => index))],
  ['a long text', encodeValue('x'.repeat(500_000))],
  ['references', encodeValue([shared, shared, shared])],
  ['very deep', Uint8Array.from({ length: 60_000 }, () => 0x81)],
  ['tags without end', Uint8Array.from({ length: 60_000 }, () => 0xc1)],
  ['a list of no known length', Uint8Array.of(0x9f, 1, 0xff)],
  ['a cut text', Uint8Array.of(0x7a, 0xff, 0xff, 0xff, 0xff, 0x41)],
  ['nothing', new Uint8Array()],
])('a hostile input has a short text: %s', (_, input) => {
  const text = shownInput(input)
  expect(text.length).toBeLessThanOrEqual(MAX_SHOWN)
  expect(text).toContain('…')
})
