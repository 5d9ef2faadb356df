import { describe, expect, it } from 'vitest'
import { OTHERS, SECONDS, type Cell, type Strip } from '../../model/task-stream.ts'
import { imageOf, stripText } from './stream.ts'

const cell = (more: Partial<Cell> = {}): Cell => ({ kind: OTHERS, busy: 0, failed: 0, isOpen: false, ...more })

describe('the strip of a member', () => {
  it('has the colour of the function of each second, the stronger the busier, and equal seconds are one part', () => {
    const cells = [cell({ kind: 2, busy: 1 }), cell({ kind: 2, busy: 0.99 }), cell({ kind: 2, busy: 0.3 }), cell({ busy: 0.01 })]
    expect(imageOf(cells)).toBe(
      'linear-gradient(90deg, transparent 0% 100%), linear-gradient(90deg, ' +
        'color-mix(in srgb, var(--site-2) 100%, transparent) 0% 50%, ' +
        'color-mix(in srgb, var(--site-2) 50%, transparent) 50% 75%, ' +
        'color-mix(in srgb, var(--edge) 30%, transparent) 75% 100%)',
    )
  })

  it('marks failures, and tasks that have not ended', () => {
    const cells = [cell(), cell({ failed: 3, kind: 0, busy: 1 }), cell({ isOpen: true }), cell({ isOpen: true })]
    expect(imageOf(cells)).toBe(
      'linear-gradient(90deg, transparent 0% 25%, var(--bad) 25% 50%, transparent 50% 100%), linear-gradient(90deg, ' +
        'transparent 0% 25%, color-mix(in srgb, var(--site-0) 100%, transparent) 25% 50%, var(--line) 50% 100%)',
    )
  })

  it('has a text for those who do not see it', () => {
    const cells = Array.from({ length: SECONDS }, (_, at) =>
      cell(at < 50 ? {} : { kind: at < 53 ? 0 : 1, busy: 0.5, failed: at === 59 ? 2 : 0 }),
    )
    const strip: Strip = { member: 'm', cells, workers: 1.94, failed: 2 }
    const functions = [
      { fn: 'load', kind: 0, share: 0.6 },
      { fn: 'render', kind: 1, share: 0.4 },
      { fn: undefined, kind: OTHERS, share: 0 },
    ]
    expect(stripText(strip, functions)).toBe('busy in 10 of 60 s, 1.9 busy, render for 7 s, load for 3 s, 2 failed')
    expect(stripText({ ...strip, cells: cells.map(() => cell()), workers: 0, failed: 0 }, functions)).toBe('busy in 0 of 60 s')
  })
})
