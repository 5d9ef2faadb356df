import type { Pool } from '@jel/jel'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { OutputExchange } from './output-exchange.ts'
import { PeerBudget } from './peer-budget.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('a member that shares the rate of output with more members passes less, also of a job that printed before', () => {
  let [computing, passed] = [1, 0]
  const exchange = new OutputExchange({ self: { id: 'self' } } as Pool, {
    budget: new PeerBudget(),
    replicas: () => [],
    isKnown: () => true,
    computing: () => computing,
    onOutput: (_, { text }) => (passed += text.replaceAll(/[^x]/gu, '').length),
  })
  const printed = (): number => {
    passed = 0
    exchange.printed('job', { stream: 'stdout', text: 'x'.repeat(65_536) })
    return passed
  }
  expect(printed()).toBe(65_536)
  vi.advanceTimersByTime(1000)
  expect(printed()).toBe(65_536)
  computing = 4
  exchange.membersChanged()
  vi.advanceTimersByTime(1000)
  expect(printed()).toBe(16_384)
})
