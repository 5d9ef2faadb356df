import { describe, expect, it } from 'vitest'
import type { Value } from './value.ts'
import { InvalidExpressionError } from '../errors.ts'
import { Expression } from './expression.ts'

const attributes: Readonly<Record<string, Value>> = {
  cpus: 8,
  arch: 'x64',
  gpu: false,
  tags: ['ssd', 'fast'],
  'system.memory.usage': 6e9,
  'system.cpu.load_average.1m': 0.5,
}
const valueOf = (text: string): Value | undefined =>
  Expression.parse(text).evaluate((name) => (Object.hasOwn(attributes, name) ? attributes[name] : undefined))

describe('an expression', () => {
  it.each<[string, Value | undefined]>([
    ['cpus >= 2 && arch == "x64"', true],
    ['cpus > 8 || gpu', false],
    ['!gpu', true],
    ['-cpus + 2 * 3', -2],
    ['cpus / 2 % 3', 1],
    ['system.memory.usage > 5e9', true],
    ['"ssd" in tags', true],
    ['-system.cpu.load_average.1m', -0.5],
    ['system.cpu.load_average.1m < .75', true],
    ['"a.b" == "a.b"', true],
    ['arch in ["arm64", "x64"]', true],
    ['tags.contains("slow")', false],
    ['arch.startsWith("x") && arch.endsWith("4")', true],
    ['cpus > 4 ? "large" : "small"', 'large'],
    ['arch < "y"', true],
    ['tags == ["ssd", "fast"]', true],
  ])('%s is %s', (text, value) => {
    expect(valueOf(text)).toEqual(value)
  })

  it.each<[string, Value | undefined]>([
    ['unknown > 1', undefined],
    ['!unknown', undefined],
    ['false && unknown', false],
    ['unknown > 1 && false', false],
    ['unknown > 1 && true', undefined],
    ['unknown > 1 || true', true],
    ['unknown || false', undefined],
    ['unknown ? 1 : 2', undefined],
    ['constructor', undefined],
    ['cpus < "9"', undefined],
    ['cpus && true', undefined],
    ['cpus / 0', undefined],
    ['cpus.startsWith("8")', undefined],
  ])('with something unknown, or with types that do not fit: %s is %s', (text, value) => {
    expect(valueOf(text)).toEqual(value)
  })

  it.each([
    ['cpus >', 'column 7'],
    ['cpus = 2', 'column 5: to compare, write =='],
    ['cpus > 2; process.exit()', 'column 9: nothing is expected'],
    ['require("fs")', 'the functions are startsWith, endsWith, contains'],
    ['arch.matches("(x+)+y")', 'the functions are'],
    ['tags["length"]', 'column 1: this is not allowed'],
    ['`x${cpus}`', 'not allowed'],
    ['() => 1', 'not allowed'],
    ['cpus ** 2', '** is no operator'],
    ['typeof cpus', 'typeof is no operator'],
    ['cpus ?? 1', '?? is no operator'],
    ['/x/', 'no number'],
    ['null', 'no number'],
    ['[cpus]', 'a list has'],
    ['', 'column 1'],
    ['x'.repeat(1025), '1025 characters'],
    ['('.repeat(1000), 'column'],
  ])('is refused: %s', (text, why) => {
    expect(() => Expression.parse(text)).toThrow(InvalidExpressionError)
    expect(() => Expression.parse(text)).toThrow(why)
  })

  it('has the names of its attributes, and its conditions one by one', () => {
    const parsed = Expression.parse('cpus >= 2 && (arch == "x64" && tags.contains("ssd")) && (gpu || a.b < cpus)')
    expect(parsed.names).toEqual(['cpus', 'arch', 'tags', 'gpu', 'a.b'])
    expect(parsed.conjuncts.map(({ text }) => text)).toEqual(['cpus >= 2', 'arch == "x64"', 'tags.contains("ssd")', 'gpu || a.b < cpus'])
  })

  it('takes no long time for a search of repeated texts', () => {
    const hostile = `(${Array.from({ length: 150 }, () => 's').join('+')}).contains(${Array.from({ length: 150 }, () => 's').join('+')})||${Array.from({ length: 60 }, () => 's.contains(t)').join('||')}`
    const [s, t] = ['a'.repeat(1000), `${'a'.repeat(120)}b${'a'.repeat(120)}`]
    const parsed = Expression.parse(hostile.slice(0, 1024).replace(/\|\|[^|]*$/u, ''))
    const begin = performance.now()
    parsed.evaluate((name) => (name === 's' ? s : t))
    expect(performance.now() - begin).toBeLessThan(100)
  })

  it('of 1,024 characters is evaluated in a millisecond', () => {
    const longest = Expression.parse(Array.from({ length: 93 }, () => 'cpus >= 2').join('&&'))
    const begin = performance.now()
    for (let at = 0; at < 100; at++) longest.evaluate((name) => attributes[name])
    expect((performance.now() - begin) / 100).toBeLessThan(3)
  })
})
