import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventQueue, type EventHandle } from './event-queue.ts'

describe('EventQueue', () => {
  it('yields events by time, and at equal times in the order of scheduling', () => {
    const queue = new EventQueue()
    const seen: string[] = []
    for (const [time, name] of [
      [5, 'c'],
      [1, 'a'],
      [5, 'd'],
      [3, 'b'],
    ] as const)
      queue.schedule(time, () => seen.push(name))
    expect(queue.nextTime).toBe(1)
    while (queue.size > 0) queue.take()?.()
    expect(seen).toEqual(['a', 'b', 'c', 'd'])
    expect(queue.take()).toBeUndefined()
    expect(queue.nextTime).toBeUndefined()
  })

  it('removes a cancelled event, and returns whether there was one', () => {
    const queue = new EventQueue()
    const handle = queue.schedule(1, () => expect.unreachable())
    expect(queue.cancel(handle)).toBe(true)
    expect(queue.cancel(handle)).toBe(false)
    expect(queue.size).toBe(0)
    const next = queue.schedule(1, () => undefined)
    expect(queue.cancel(handle)).toBe(false)
    expect(queue.cancel(next)).toBe(true)
  })

  it('refuses an invalid time', () => {
    expect(() => new EventQueue().schedule(Number.NaN, () => undefined)).toThrow('NaN')
  })

  it('agrees with a sorted list, whatever is scheduled, cancelled and taken', () => {
    const operation = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('schedule' as const), value: fc.nat(20) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), value: fc.nat(200) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('take' as const), value: fc.constant(0) }) },
    )
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 300 }), (operations) => {
        const queue = new EventQueue()
        const handles: EventHandle[] = []
        let expected: { time: number; name: number }[] = []
        let taken = -1
        for (const { kind, value } of operations) {
          if (kind === 'schedule') {
            const name = handles.length
            handles.push(queue.schedule(value, () => (taken = name)))
            expected = [...expected, { time: value, name }].toSorted((a, b) => a.time - b.time || a.name - b.name)
          } else if (kind === 'cancel') {
            const handle = handles[value]
            if (handle === undefined) continue
            expect(queue.cancel(handle)).toBe(expected.some(({ name }) => name === value))
            expected = expected.filter(({ name }) => name !== value)
          } else {
            taken = -1
            queue.take()?.()
            expect(taken).toBe(expected.shift()?.name ?? -1)
          }
          expect(queue.size).toBe(expected.length)
          expect(queue.nextTime).toBe(expected[0]?.time)
        }
      }),
    )
  })
})
