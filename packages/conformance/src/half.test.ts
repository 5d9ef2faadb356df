import { expect, it } from 'vitest'
import type { TestRunner } from './acceptance.ts'
import { halfOf } from './half.ts'

/** Returns the names that run and those that are skipped. */
function split(names: readonly string[]): readonly [string[], string[]] {
  const [run, skipped]: [string[], string[]] = [[], []]
  const runner = Object.assign((name: string) => run.push(name), {
    skip: (name: string) => skipped.push(name),
  }) as unknown as TestRunner['it']
  const half = halfOf(runner)
  for (const name of names) void half(name, async () => {})
  return [run, skipped]
}

it('about half of the cases run, and one that is added moves no other', () => {
  const names = Array.from({ length: 60 }, (_, at) => `case ${at} of a promise`)
  const [run, skipped] = split(names)
  expect(run.length).toBeGreaterThan(20)
  expect(skipped.length).toBeGreaterThan(20)
  expect(split(['another', ...names])[0].filter((name) => name !== 'another')).toEqual(run)
})
