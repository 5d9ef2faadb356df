import { describe, expect, it } from 'vitest'
import { LIBRARY, ProgramStack, withMap } from './program-stack.ts'

/**
 * The first two lines come from lines two and three of the author's file, and the third from the
 * library.
 */
const map = { version: 3, sources: ['sum.ts', `${LIBRARY}space.ts`], names: [], mappings: 'AACA;AACA;ACFA' }
const source = withMap('one\ntwo\nthree', map)
const url = 'file:///cache/aa.mjs'

const thread = `RangeError: no such luck
of two lines
    at check (${url}:1:3)
    at async Object.run (${url}:2:1)
    at Object.run (${url}:3:1)
    at Array.map (<anonymous>)
    at #call (file:///jel/runtime.js:44:9)
    at node:internal/main:1:2`

const sandbox = `RangeError: no such luck
  at check (eval at <anonymous> (eval at makeEvaluate (file:////[eval1]:11837:303)), <anonymous>:1:3)
  at Object.eval [as run] (eval at <anonymous> (eval at makeEvaluate (file:////[eval1]:11837:303)), <anonymous>:2:1)
  at #call (file:////[eval1]:8944:48)`

describe('the stack of a program', () => {
  it('has only frames of the program, with the file and lines of its author', () => {
    const stacks = new ProgramStack(url, () => source)
    expect(stacks.of(thread).split('\n')).toEqual([
      'RangeError: no such luck',
      'of two lines',
      '    at check (sum.ts:2:1)',
      '    at sum.ts:3:1',
    ])
  })

  it('has these frames in a sandbox, too, which evaluates the module', () => {
    const stacks = new ProgramStack(', <anonymous>', () => source)
    expect(stacks.of(sandbox).split('\n')).toEqual(['RangeError: no such luck', '    at check (sum.ts:2:1)', '    at sum.ts:3:1'])
  })

  it.each([
    ['has none', 'one\ntwo'],
    ['is damaged', 'one\ntwo\n//# sourceMappingURL=data:application/json;base64,e30x\n'],
  ])('has lines of the module if its map %s', (_, text) => {
    expect(new ProgramStack(url, () => text).of(`Error: x\n    at f (${url}:2:1)`)).toBe('Error: x\n    at f (program:2:1)')
  })

  it('is left as it is if it has no frames', () => {
    expect(new ProgramStack(url, () => source).of('thrown in anger')).toBe('thrown in anger')
  })
})
