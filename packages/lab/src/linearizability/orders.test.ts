import { createRandom } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { check } from './check.ts'
import type { Model } from './model.ts'
import { orderProblems, type OrderOperation } from './orders.ts'
import type { Sequence } from './sequences.ts'

const sent = (input: string, called: number, returned?: number, output?: number): OrderOperation => ({
  input,
  called,
  ...(returned !== undefined && { returned }),
  ...(output !== undefined && { output }),
})
const told = (member: string, text: string, range: Partial<Sequence> = {}): Sequence => ({
  member,
  events: text.split(' ').map((each) => ({ index: Number(each.slice(1)), content: each.slice(0, 1) })),
  ...range,
})
const history = [sent('a', 0, 1, 3), sent('b', 2, 3, 5), sent('c', 4, 5, 6)]

describe('a history of ordered messages is accepted', () => {
  it.each<[string, readonly OrderOperation[], readonly Sequence[]]>([
    ['all were told of all', history, [told('m', 'a3 b5 c6'), told('n', 'a3 b5 c6')]],
    ['one is behind, and another came late', history, [told('m', 'a3 b5 c6'), told('n', 'a3 b5'), told('o', 'c6')]],
    ['concurrent messages in another order', [sent('a', 0, 9, 5), sent('b', 1, 8, 3)], [told('m', 'b3 a5')]],
    ['an unknown outcome that took effect', [...history, sent('d', 0)], [told('m', 'a3 b5 c6 d9')]],
    ['an unknown outcome that never took effect', [...history, sent('d', 0)], [told('m', 'a3 b5 c6', { until: 20 })]],
    ['an acknowledged message that nobody had to hear of yet', history, [told('m', 'a3 b5')]],
  ])('%s', (_, operations, sequences) => {
    expect(orderProblems(operations, sequences)).toEqual([])
  })
})

describe('a history of ordered messages is refused', () => {
  it.each<[string, readonly OrderOperation[], readonly Sequence[]]>([
    ['a member was told of another message', history, [told('m', 'a3 b5 c6'), told('n', 'a3 c5')]],
    ['a member lacks a message in between', history, [told('m', 'a3 b5 c6'), told('n', 'a3 c6')]],
    ['a member lacks the last message', history, [told('m', 'a3 b5 c6'), told('n', 'a3 b5', { until: 6 })]],
    ['a member lacks the first message after its entry', history, [told('m', 'a3 b5 c6'), told('n', 'b5 c6', { since: 2 })]],
    ['a member was told of messages in another order', history, [told('m', 'a3 c6 b5')]],
    ['a member was told of a message twice', history, [told('m', 'a3 b5 b5 c6')]],
    ['a message has two places', history, [told('m', 'a3 b5 c6 a7')]],
    ['an acknowledged message is missing at all', history, [told('m', 'a3 c6'), told('n', 'a3 c6')]],
    ['an acknowledged message is missing at the end', history, [told('m', 'a3 b5', { until: 9 })]],
    ['an acknowledged message has another place', history, [told('m', 'a3 b5 c7')]],
    ['two messages have one index', [...history, sent('d', 6, 7, 6)], [told('m', 'a3 b5 c6')]],
    ['two messages have one index, and no member tells', [...history, sent('d', 6, 7, 6)], []],
    ['a message was never sent', history, [told('m', 'a3 b5 c6 d7')]],
    ['a message comes before an older one', [sent('a', 0, 1, 5), sent('b', 2, 3, 4)], []],
    ['a message of unknown outcome comes before its call', [...history, sent('d', 6)], [told('m', 'a3 d4 b5 c6')]],
  ])('%s', (_, operations, sequences) => {
    expect(orderProblems(operations, sequences)).not.toEqual([])
  })

  it('a message that was refused took effect', () => {
    expect(orderProblems(history, [told('m', 'a3 b5 c6')], new Set(['c']))).toMatchObject([{ text: 'c was refused, and is at 6' }])
  })
})

/** The log for the search: its last index, where other entries may lie between two messages. */
const log: Model<number, string, number> = {
  initial: 0,
  step: (last, _, index = last) => (index > last ? index : undefined),
  key: String,
}

it('random messages have the verdict of the search, right and wrong', () => {
  const random = createRandom(3)
  const count = { true: 0, false: 0 }
  for (let turn = 0; turn < 400; turn++) {
    let now = 0
    const messages = Array.from({ length: 30 }, (_, index) => {
      const at = (now += random())
      return sent(`m${index}`, at - random() * 3, at + random() * 3, 10 * index + 1)
    })
    // Two messages swap their places. This is wrong only if they were not concurrent.
    const at = Math.floor(random() * 24)
    const swapped = messages.map((each, place) => {
      const other = messages[place === at ? at + 3 : place === at + 3 ? at : place]
      return { ...each, output: other?.output ?? 0 }
    })
    expect(orderProblems(messages, [])).toEqual([])
    const isRight = check(log, swapped).outcome === 'linearizable'
    count[`${isRight}`]++
    expect(orderProblems(swapped, []).length === 0).toBe(isRight)
  }
  expect(Math.min(count.true, count.false)).toBeGreaterThan(50)
})
