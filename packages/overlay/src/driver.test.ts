import type { BroadcastVerdict, Effect, Input } from '@jel/protocol'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Clock } from './base/clock.ts'
import { Driver, type Carrier } from './driver.ts'

const frame = (text: string): Input => ({ type: 'frame', from: text, data: new Uint8Array() })
const send = (to: string): Effect => ({ type: 'send', to, data: new Uint8Array() })

/** A driver over a scripted machine. The log shows inputs as `< …`, effects as `> …`. */
function setUp(script: (input: Input, now: number) => Effect[], onSend?: (to: string) => void) {
  const log: string[] = []
  const show = (input: Input): string => (input.type === 'frame' ? input.from : input.type)
  const carrier = new Proxy({} as Carrier, {
    get: () => (effect: Effect) => {
      log.push(`> ${effect.type === 'send' ? effect.to : effect.type}`)
      if (effect.type === 'send') onSend?.(effect.to)
    },
  })
  const machine = {
    handle: (input: Input, now: number): Effect[] => {
      log.push(`< ${show(input)}`)
      return script(input, now)
    },
    handleBroadcast: (): { verdict: BroadcastVerdict; effects: Effect[] } => {
      log.push('< broadcast')
      return { verdict: 'accept', effects: [send('news')] }
    },
  }
  let time = 0
  const clock = new Clock({ monotonic: () => time, wall: () => time, sinceBoot: () => time })
  const driver = new Driver(machine, carrier, clock)
  const pass = (span: number): void => {
    time += span
    vi.advanceTimersByTime(span)
  }
  /** Stalls the process: time passes, timers don't fire. */
  const stall = (span: number): void => {
    time += span
  }
  return { log, driver, pass, stall, now: () => time }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('the driver', () => {
  test('carries effects out in order', () => {
    const { driver, log } = setUp(() => [send('one'), { type: 'persist', incarnation: 1 }, send('two')])
    driver.deliver(frame('in'))
    expect(log).toEqual(['< in', '> one', '> persist', '> two'])
  })

  test('keeps an input that an effect brings about until the other effects are done', () => {
    const { driver, log } = setUp(
      (input) => (input.type === 'frame' && input.from === 'first' ? [send('one'), send('two')] : []),
      (to) => to === 'one' && driver.deliver(frame('second')),
    )
    driver.deliver(frame('first'))
    expect(log).toEqual(['< first', '> one', '> two', '< second'])
  })

  test('judges a broadcast at once, and carries its effects out in turn', () => {
    const { driver, log } = setUp(
      () => [send('one'), send('two')],
      (to) => to === 'one' && expect(driver.judge(new Uint8Array())).toBe('accept'),
    )
    driver.deliver(frame('in'))
    expect(log).toEqual(['< in', '> one', '< broadcast', '> two', '> news'])
    expect(driver.judge(new Uint8Array())).toBe('accept')
    expect(log.slice(-2)).toEqual(['< broadcast', '> news'])
  })

  test('wakes the protocol when it asked to be, once', () => {
    const { driver, log, pass } = setUp((input, now) => (input.type === 'timer' ? [] : [{ type: 'timer', at: now + 100 }]))
    driver.deliver(frame('in'))
    pass(99)
    expect(log).toEqual(['< in'])
    pass(1)
    expect(log).toEqual(['< in', '< timer'])
    pass(10_000)
    expect(log).toHaveLength(2)
  })

  test('lets a later timer replace an earlier one, and an earlier a later', () => {
    const times = [100, 500, 50]
    const { driver, log, pass } = setUp((input) => (input.type === 'timer' ? [] : [{ type: 'timer', at: times.shift()! }]))
    driver.deliver(frame('a'))
    driver.deliver(frame('b'))
    pass(499)
    expect(log).toEqual(['< a', '< b'])
    pass(1)
    expect(log).toEqual(['< a', '< b', '< timer'])
    driver.deliver(frame('c')) // a timer in the past
    pass(1)
    expect(log.slice(3)).toEqual(['< c', '< timer'])
  })

  test('tells of an overdue timer before anything that waited in the kernel', () => {
    const { driver, log, stall } = setUp((input, now) => (input.type === 'timer' ? [send('stalled')] : [{ type: 'timer', at: now + 100 }]))
    driver.deliver(frame('before'))
    stall(5_000)
    driver.deliver(frame('after'))
    expect(log).toEqual(['< before', '< timer', '> stalled', '< after'])
    stall(5_000)
    driver.judge(new Uint8Array())
    expect(log.slice(4)).toEqual(['< timer', '> stalled', '< broadcast', '> news'])
  })

  test('is silent once stopped, in the middle of a list too', () => {
    const { driver, log, pass } = setUp(
      (_input, now) => [{ type: 'timer', at: now + 100 }, send('one'), send('two')],
      () => driver.stop(),
    )
    driver.deliver(frame('in'))
    driver.deliver(frame('late'))
    expect(driver.judge(new Uint8Array())).toBe('ignore')
    pass(1_000)
    expect(log).toEqual(['< in', '> one'])
  })
})
