import { expect, it } from 'vitest'
import { parseJson } from './json.ts'

it.each<[string, unknown]>([
  ['{"a": [1, NaN], "b": -Infinity}\n', { a: [1, NaN], b: -Infinity }],
  ['Infinity', Infinity],
  ['{"NaN": "-Infinity \\"NaN", "x": NaN}', { NaN: '-Infinity "NaN', x: NaN }],
  ['{"a": 1}', { a: 1 }],
])('JSON may have numbers that are not finite: %s', (text, value) => {
  expect(parseJson(text)).toEqual(value)
})

it('a long text without an end of its string is read once', () => {
  const began = performance.now()
  expect(() => parseJson(`NaN "${String.raw`\"`.repeat(450_000)}`)).toThrow(SyntaxError)
  expect(performance.now() - began).toBeLessThan(5_000)
})

it.each(['NaN of 3', 'plain text', '{"a": nan}', '', '"NaN', '{"\\u0000number":"5", NaN}'])('%s is no JSON', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError)
})
