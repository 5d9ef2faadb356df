import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nameProblem } from './name.ts'

describe('names', () => {
  it.each(['p', 'render-farm', 'a b', '/render/1.0.0', 'ü', '池', '🏊', 'x'.repeat(128)])('may be %j', (name) => {
    expect(nameProblem(name)).toBeUndefined()
  })

  it.each([
    ['', 'is empty'],
    ['a\nb', 'contains a control character'],
    ['\u0000', 'contains a control character'],
    ['\u009b', 'contains a control character'],
    ['\ud800', 'is not well-formed Unicode'],
    ['x'.repeat(129), 'is 129 bytes long'],
    ['ü'.repeat(65), 'is 130 bytes long'],
  ])('may not be %j', (name, problem) => {
    expect(nameProblem(name)).toContain(problem)
  })

  it('survive encoding as UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
        if (nameProblem(name) !== undefined) return
        const bytes = new TextEncoder().encode(name)
        expect(bytes.length).toBeLessThanOrEqual(128)
        expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)).toBe(name)
      }),
    )
  })
})
