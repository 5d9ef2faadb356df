import { createRandom } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { check } from './check.ts'
import type { Model, Operation } from './model.ts'

type Input = { readonly write: string } | 'read'
type Access = Operation<Input, string>

/** A register: a read returns what was written last. */
const register: Model<string, Input, string> = {
  initial: '0',
  step: (state, input, output) => {
    if (input !== 'read') return input.write
    return output === undefined || output === state ? state : undefined
  },
  key: (state) => state,
}

const write = (value: string, called: number, returned?: number): Access => ({
  input: { write: value },
  called,
  ...(returned !== undefined && { returned, output: '' }),
})
const read = (output: string, called: number, returned: number): Access => ({ input: 'read', called, returned, output })
const outcome = (...history: readonly Access[]): string => check(register, history).outcome

describe('a history of a register', () => {
  it('is accepted if each read has what was written last', () => {
    expect(outcome()).toBe('linearizable')
    expect(outcome(read('0', 0, 1), write('1', 2, 3), read('1', 4, 5))).toBe('linearizable')
  })

  it('is refused if a read has an older value', () => {
    expect(outcome(write('1', 0, 1), write('2', 2, 3), read('1', 4, 5))).toBe('refused')
  })

  it('is accepted if concurrent operations took effect in another order than that of their calls', () => {
    expect(outcome(write('1', 0, 10), write('2', 1, 9), read('2', 2, 3), read('1', 4, 8))).toBe('linearizable')
  })

  it('is refused if two readers saw concurrent writes in different orders', () => {
    expect(outcome(write('1', 0, 9), write('2', 0, 9), read('1', 1, 2), read('2', 3, 4), read('1', 5, 6))).toBe('refused')
  })

  it('is accepted if operations touch in one moment, because then they may be concurrent', () => {
    expect(outcome(read('1', 0, 5), write('1', 5, 6))).toBe('linearizable')
    expect(outcome(read('1', 0, 5), write('1', 6, 7))).toBe('refused')
  })

  it('lets an operation with an unknown outcome take effect late, or never', () => {
    expect(outcome(write('1', 0), read('0', 1, 2), read('0', 100, 101))).toBe('linearizable')
    expect(outcome(write('1', 0), read('0', 1, 2), read('1', 100, 101))).toBe('linearizable')
  })

  it('lets no operation take effect before its call, or twice', () => {
    expect(outcome(read('1', 0, 1), write('1', 2))).toBe('refused')
    expect(outcome(write('1', 0), read('1', 1, 2), write('2', 3, 4), read('1', 5, 6))).toBe('refused')
  })

  it('is refused with the operation that has no place', () => {
    const verdict = check(register, [write('1', 0, 1), read('1', 2, 3), read('2', 4, 5), read('1', 6, 7)])
    expect(verdict).toEqual({ outcome: 'refused', stuck: read('2', 4, 5), state: '1' })
  })

  it('can not end before it began', () => {
    expect(() => outcome(read('0', 2, 1))).toThrow(RangeError)
  })

  it('is not decided if the search is too long', () => {
    const writes = Array.from({ length: 18 }, (_, at) => write(String(at), 0, 100))
    expect(check(register, [...writes, read('none', 101, 102)], 10_000).outcome).toBe('unknown')
  })

  it('may have thousands of operations', () => {
    const history = Array.from({ length: 5_000 }, (_, at) => [write(String(at), at, at + 1.5), read(String(at), at + 1, at + 1.5)]).flat()
    expect(check(register, history, 50_000).outcome).toBe('linearizable')
  })
})

/** Tries all orders of all subsets that have the operations that returned. */
function isExplained(state: string, rest: readonly Access[]): boolean {
  const latest = Math.min(...rest.map(({ returned = Infinity }) => returned))
  if (latest === Infinity) return true
  return rest.some((each) => {
    if (each.called > latest) return false
    const after = register.step(state, each.input, each.output)
    return (
      after !== undefined &&
      isExplained(
        after,
        rest.filter((other) => other !== each),
      )
    )
  })
}

it('the verdict is that of a search through all orders, for small histories right and wrong', () => {
  const random = createRandom(7)
  const some = (most: number): number => Math.floor(random() * most)
  const count = { true: 0, false: 0 }
  for (let turn = 0; turn < 2_000; turn++) {
    const history = Array.from({ length: 6 }, (): Access => {
      const [called, length] = [some(12), 1 + some(8)]
      if (random() < 0.5) return read(String(some(3)), called, called + length)
      return write(String(some(3)), called, random() < 0.3 ? undefined : called + length)
    })
    const isRight = isExplained(register.initial, history)
    count[`${isRight}`]++
    expect({ history, outcome: check(register, history).outcome }).toEqual({ history, outcome: isRight ? 'linearizable' : 'refused' })
  }
  // Both kinds must be there.
  expect(Math.min(count.true, count.false)).toBeGreaterThan(300)
})
