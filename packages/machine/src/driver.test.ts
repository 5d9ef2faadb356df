import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Driver } from './driver.ts'
import type { TimerEffect, TimerInput } from './machine.ts'

type Input = { readonly type: 'frame'; readonly text: string } | TimerInput
type Effect = { readonly type: 'send'; readonly to: string } | { readonly type: 'persist' } | TimerEffect

const frame = (text: string): Input => ({ type: 'frame', text })
const send = (to: string): Effect => ({ type: 'send', to })

/** A driver over a scripted machine. The log shows inputs as `< …`, effects as `> …`. */
function setUp(script: (input: Input, now: number) => Effect[], onSend?: (to: string) => void) {
  const log: string[] = []
  const handlers = {
    send: ({ to }: { to: string }) => {
      log.push(`> ${to}`)
      onSend?.(to)
    },
    persist: () => void log.push('> persist'),
  }
  const machine = {
    handle: (input: Input, now: number): Effect[] => {
      log.push(`< ${input.type === 'frame' ? input.text : input.type}`)
      return script(input, now)
    },
  }
  let time = 0
  const driver = new Driver<Input, Effect>(machine, handlers, { now: () => time })
  const ask = (): string | undefined =>
    driver.ask(() => {
      log.push('< question')
      return { answer: 'answer', effects: [send('news')] }
    })
  const pass = (span: number): void => {
    time += span
    vi.advanceTimersByTime(span)
  }
  /** The process stands still: time passes, timers don't fire. */
  const stall = (span: number): void => {
    time += span
  }
  return { log, driver, ask, pass, stall }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  // Real timers come last: a later restoration of a spy would bring the fake timer back.
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('the driver', () => {
  test('carries effects out in order', () => {
    const { driver, log } = setUp(() => [send('one'), { type: 'persist' }, send('two')])
    driver.deliver(frame('in'))
    expect(log).toEqual(['< in', '> one', '> persist', '> two'])
  })

  test('takes several inputs one after the other', () => {
    const { driver, log } = setUp((input) => (input.type === 'frame' ? [send(input.text)] : []))
    driver.deliver(frame('one'), frame('two'))
    expect(log).toEqual(['< one', '> one', '< two', '> two'])
  })

  test('queues an input that an effect causes until the other effects are carried out', () => {
    const { driver, log } = setUp(
      (input) => (input.type === 'frame' && input.text === 'first' ? [send('one'), send('two')] : []),
      (to) => to === 'one' && driver.deliver(frame('second')),
    )
    driver.deliver(frame('first'))
    expect(log).toEqual(['< first', '> one', '> two', '< second'])
  })

  test('answers a query at once, and carries out its effects in turn', () => {
    const { driver, ask, log } = setUp(
      () => [send('one'), send('two')],
      (to) => to === 'one' && expect(ask()).toBe('answer'),
    )
    driver.deliver(frame('in'))
    expect(log).toEqual(['< in', '> one', '< question', '> two', '> news'])
    expect(ask()).toBe('answer')
    expect(log.slice(-2)).toEqual(['< question', '> news'])
  })

  test('wakes the machine once, at the time that it asked for', () => {
    const { driver, log, pass } = setUp((input, now) => (input.type === 'timer' ? [] : [{ type: 'timer', at: now + 100 }]))
    driver.deliver(frame('in'))
    pass(99)
    expect(log).toEqual(['< in'])
    pass(1)
    expect(log).toEqual(['< in', '< timer'])
    pass(10_000)
    expect(log).toHaveLength(2)
  })

  test('replaces an earlier timer with a later one, and a later timer with an earlier one', () => {
    const times = [100, 500, 50]
    const { driver, log, pass } = setUp((input) => (input.type === 'timer' ? [] : [{ type: 'timer', at: times.shift()! }]))
    driver.deliver(frame('a'))
    driver.deliver(frame('b'))
    pass(499)
    expect(log).toEqual(['< a', '< b'])
    pass(1)
    expect(log).toEqual(['< a', '< b', '< timer'])
    driver.deliver(frame('c')) // the machine asks for a time in the past
    pass(1)
    expect(log.slice(3)).toEqual(['< c', '< timer'])
  })

  test('never wakes the machine early, not even by a fraction of a millisecond', () => {
    const { driver, log, pass } = setUp((input) => (input.type === 'timer' ? [] : [{ type: 'timer', at: 10.4 }]))
    driver.deliver(frame('in'))
    pass(10)
    expect(log).toEqual(['< in'])
    pass(1)
    expect(log).toEqual(['< in', '< timer'])
  })

  test('sets one timeout for one wake, whatever inputs come before it', () => {
    const { driver, log, pass } = setUp((input) => (input.type === 'frame' && input.text === 'first' ? [{ type: 'timer', at: 50.3 }] : []))
    const set = vi.spyOn(globalThis, 'setTimeout')
    driver.deliver(frame('first'))
    for (let input = 0; input < 40; input++) {
      pass(1)
      driver.deliver(frame('more'))
    }
    pass(12)
    expect(log.at(-1)).toBe('< timer')
    expect(set).toHaveBeenCalledTimes(1)
  })

  test('does not wake the machine before each input if the machine asks for a time in the past', () => {
    const { driver, log, pass } = setUp((input) => (input.type === 'timer' ? [] : [{ type: 'timer', at: 0 }]))
    driver.deliver(frame('a'), frame('b'))
    driver.deliver(frame('c'))
    expect(log).toEqual(['< a', '< b', '< c'])
    pass(1)
    expect(log).toEqual(['< a', '< b', '< c', '< timer'])
  })

  test('delivers an overdue timer before an input that waited in the kernel', () => {
    const { driver, ask, log, stall } = setUp((input, now) =>
      input.type === 'timer' ? [send('stalled')] : [{ type: 'timer', at: now + 100 }],
    )
    driver.deliver(frame('before'))
    stall(5_000)
    driver.deliver(frame('after'))
    expect(log).toEqual(['< before', '< timer', '> stalled', '< after'])
    stall(5_000)
    ask()
    expect(log.slice(4)).toEqual(['< timer', '> stalled', '< question', '> news'])
  })

  test('wakes the machine again after a handler threw on a wake', () => {
    let isBroken = true
    const { driver, log, pass } = setUp(
      (_input, now) => [send('one'), send('two'), { type: 'timer', at: now + 100 }],
      () => {
        if (log.includes('< timer') && isBroken) throw new Error('broken')
      },
    )
    driver.deliver(frame('in'))
    expect(() => pass(100)).toThrow('broken')
    expect(log).toEqual(['< in', '> one', '> two', '< timer', '> one'])
    isBroken = false
    pass(99)
    expect(log).toHaveLength(5)
    pass(1)
    expect(log.slice(5)).toEqual(['< timer', '> one', '> two'])
    pass(100)
    expect(log.slice(8)).toEqual(['< timer', '> one', '> two'])
  })

  test('loses no input if the handler of another one throws', () => {
    const { driver, ask, log, stall } = setUp(
      (input, now) => (input.type === 'timer' ? [send('wake')] : [send(input.text), { type: 'timer', at: now + 10 }]),
      (to) => {
        if (to === 'bad' || to === 'wake') throw new Error(to)
      },
    )
    expect(() => driver.deliver(frame('bad'), frame('good'))).toThrow('bad')
    expect(log).toEqual(['< bad', '> bad', '< good', '> good'])
    stall(50)
    expect(() => driver.deliver(frame('late'))).toThrow('wake')
    expect(log.slice(4)).toEqual(['< timer', '> wake', '< late', '> late'])
    stall(50)
    expect(() => ask()).toThrow('wake')
    expect(log.slice(8)).toEqual(['< timer', '> wake', '< question', '> news'])
    expect(() => driver.deliver(frame('bad'), frame('bad'))).toThrow(AggregateError)
  })

  test('sets no timeout for a machine that asks for no wake', () => {
    const { driver } = setUp(() => [{ type: 'timer', at: Infinity }])
    driver.deliver(frame('in'))
    expect(vi.getTimerCount()).toBe(0)
  })

  test('does nothing once stopped, even in the middle of a list of effects', () => {
    const { driver, ask, log, pass } = setUp(
      (_input, now) => [{ type: 'timer', at: now + 100 }, send('one'), send('two')],
      () => driver.stop(),
    )
    driver.deliver(frame('in'))
    driver.deliver(frame('late'))
    expect(ask()).toBeUndefined()
    pass(1_000)
    expect(log).toEqual(['< in', '> one'])
  })
})
