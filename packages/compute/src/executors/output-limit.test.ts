import { expect, it } from 'vitest'
import { OutputLimit } from './output-limit.ts'

it('a limit passes a burst, leaves out more, and says how much', () => {
  const limit = new OutputLimit(10, 5, 0)
  expect(limit.pass('12345678', 0)).toBe('12345678')
  expect(limit.pass('90abc', 0)).toBe('90\n[more output is left out]\n')
  expect(limit.pass('x'.repeat(1_000_000), 100)).toBe('')
  expect(limit.pass('again', 2000)).toBe('[1000003 characters were left out]\nagain')
  expect(limit.pass('on', 2000)).toBe('on')
})
