import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Line, Pipe } from './line.ts'

describe('a line with a delay', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  test('delivers each packet when it is due, to the millisecond', () => {
    const out: [item: string, at: number][] = []
    const line = new Line<string>(
      (item) => out.push([item, performance.now()]),
      () => performance.now(),
    )
    const start = performance.now()
    line.put('a', start + 20)
    vi.advanceTimersByTime(5)
    line.put('b', start + 25)
    vi.advanceTimersByTime(100)
    line.put('c', start + 150)
    vi.advanceTimersByTime(100)
    expect(out.map(([item]) => item)).toEqual(['a', 'b', 'c'])
    for (const [index, at] of [20, 25, 150].entries()) expect(Math.abs(out[index]![1] - start - at)).toBeLessThanOrEqual(1)
  })

  test('keeps packets in order', () => {
    const out: number[] = []
    const line = new Line<number>(
      (item) => out.push(item),
      () => performance.now(),
    )
    const start = performance.now()
    for (let i = 0; i < 100; i++) line.put(i, start + 50 - (i % 7) * 6)
    vi.advanceTimersByTime(200)
    expect(out).toEqual(Array.from({ length: 100 }, (_, i) => i))
  })
})

describe('a narrow link', () => {
  test('takes as long as its bandwidth requires, one packet after the other', () => {
    const pipe = new Pipe(1e6)
    expect(pipe.carry(1_250, 100)).toBe(110)
    expect(pipe.carry(1_250, 101)).toBe(120)
    expect(pipe.carry(1_250, 200)).toBe(210)
  })

  test('drops packets that would wait longer than half a second', () => {
    const pipe = new Pipe(64_000)
    const taken = Array.from({ length: 100 }, () => pipe.carry(1_500, 0)).filter((time) => time !== undefined)
    expect(taken).toHaveLength(3) // of 187.5 ms each
    expect(pipe.carry(1_500, 500)).toBe(750)
  })
})
