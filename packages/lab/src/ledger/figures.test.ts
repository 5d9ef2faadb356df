import { describe, expect, it } from 'vitest'
import { Figures, type Target } from './figures.ts'

const holds = (jel: number | undefined, target: Target, etcd?: number): boolean => {
  const figures = new Figures(true)
  if (etcd !== undefined) figures.add('etcd', 'a row', 'ms', etcd, target)
  if (jel !== undefined) figures.add('jel', 'a row', 'ms', jel, target)
  return figures.hold
}

describe('a target', () => {
  it('is missed above the most, and by what never happened', () => {
    expect(holds(5, { most: 5 })).toBe(true)
    expect(holds(5.1, { most: 5 })).toBe(false)
    expect(holds(Infinity, { most: 5 })).toBe(false)
    expect(holds(Number.NaN, { most: 5 })).toBe(false)
  })

  it('is missed below the least', () => {
    expect(holds(2_000, { least: 2_000 })).toBe(true)
    expect(holds(1_999, { least: 2_000 })).toBe(false)
  })

  it('is missed by a figure worse than that of etcd in the same run', () => {
    expect(holds(4, { most: 5, beside: true }, 3)).toBe(false)
    expect(holds(3, { most: 5, beside: true }, 4)).toBe(true)
    expect(holds(100, { least: 0, beside: true }, 108)).toBe(false)
    expect(holds(4, { most: 5, beside: true })).toBe(true)
  })

  it('holds for jel also in a row that etcd began without one', () => {
    const figures = new Figures(true)
    figures.add('etcd', 'a row', 'ms', 1)
    figures.add('jel', 'a row', 'ms', 6, { most: 5 })
    expect(figures.hold).toBe(false)
  })

  it('is missed without a figure', () => {
    expect(holds(undefined, { most: 5 }, 3)).toBe(false)
  })
})

it('a run with a row that could not be measured does not pass', async () => {
  const figures = new Figures(true)
  figures.add('jel', 'a row', 'ms', 1, { most: 5 })
  expect(figures.hold).toBe(true)
  await figures.attempt('jel', () => Promise.reject(new Error('no leader')))
  expect(figures.hold).toBe(false)
  expect(figures.failures).toEqual(['jel: no leader'])
})

it('a run without a row does not pass', () => {
  expect(new Figures(true).hold).toBe(false)
})
