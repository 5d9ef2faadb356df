import { createRandom } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import {
  electionProblems,
  type ElectionHistory,
  type ElectionInput,
  type ElectionOperation,
  type Reign,
  type Sighting,
} from './elections.ts'
import { randomElections } from '../../test/random-elections.ts'

type Times = readonly [called: number, returned: number]

function operation(type: ElectionInput['type'], by: string, [called, returned]: Times, reign?: Reign, election = 'x'): ElectionOperation {
  return { input: { type, election, by }, called, returned, output: { reign } }
}
const reignOf = (epoch: number, winner: string): Reign => ({ epoch, winner })
const elect = (by: string, times: Times, epoch: number, winner: string, election?: string): ElectionOperation =>
  operation('elect', by, times, reignOf(epoch, winner), election)
const confirm = (times: Times, epoch: number, winner: string): ElectionOperation =>
  operation('confirm', 'reader', times, reignOf(epoch, winner))
const nobody = (times: Times): ElectionOperation => operation('confirm', 'reader', times)
const withdraw = (by: string, times: Times): ElectionOperation => operation('withdraw', by, times)
const lost = (type: ElectionInput['type'], by: string, called: number): ElectionOperation => ({
  input: { type, election: 'x', by },
  called,
})

const textsOf = (history: ElectionHistory, steps?: number): readonly string[] => electionProblems(history, steps).map(({ text }) => text)
const problemsOf = (operations: readonly ElectionOperation[]): readonly string[] => textsOf({ operations })

/** A stands and reigns with epoch 5. B stands behind it. */
const begin = [elect('a', [0, 1], 5, 'a'), elect('b', [2, 3], 5, 'a')]

describe('a history of elections is accepted', () => {
  it.each<[string, readonly ElectionOperation[]]>([
    ['nothing', []],
    ['nobody reigns before the first candidate', [nobody([0, 1]), elect('a', [2, 3], 5, 'a')]],
    ['one reign, confirmed', [...begin, confirm([4, 5], 5, 'a')]],
    ['a withdrawal, and the next candidate', [...begin, withdraw('a', [4, 5]), confirm([6, 7], 9, 'b')]],
    ['the life of a winner that ends', [...begin, confirm([4, 5], 9, 'b')]],
    ['an end, seen before the next reign', [...begin, nobody([4, 5]), confirm([6, 7], 9, 'b')]],
    ['a winner that returns', [...begin.slice(0, 1), withdraw('a', [2, 3]), nobody([4, 5]), elect('a', [6, 7], 9, 'a')]],
    [
      'readers that see a change in different moments of it',
      [...begin, withdraw('a', [4, 20]), confirm([5, 18], 5, 'a'), confirm([6, 17], 9, 'b')],
    ],
    [
      'a candidate that nobody answered, and that wins',
      [...begin.slice(0, 1), lost('elect', 'c', 2), withdraw('a', [3, 4]), confirm([5, 6], 8, 'c')],
    ],
    [
      'a candidate that nobody answered, and that never stood',
      [...begin, lost('elect', 'c', 4), withdraw('a', [5, 6]), confirm([7, 8], 9, 'b')],
    ],
    [
      'a withdrawal that nobody answered, and that came late',
      [...begin, lost('withdraw', 'a', 4), confirm([6, 7], 5, 'a'), confirm([8, 9], 9, 'b')],
    ],
    ['two elections with the same epoch, by one end', [elect('a', [0, 1], 5, 'a'), elect('b', [2, 3], 5, 'b', 'y')]],
  ])('%s', (_, history) => {
    expect(problemsOf(history)).toEqual([])
  })
})

describe('a history of elections is refused', () => {
  it.each<[string, readonly ElectionOperation[]]>([
    ['two winners have one epoch', [...begin, confirm([4, 5], 5, 'b')]],
    ['two winners have one epoch, concurrently', [elect('a', [0, 9], 5, 'a'), elect('b', [0, 9], 5, 'b')]],
    ['an epoch falls', [...begin, confirm([4, 5], 9, 'b'), confirm([6, 7], 5, 'a')]],
    ['a reader has a reign that ended before it asked', [...begin, withdraw('a', [4, 5]), confirm([6, 7], 5, 'a')]],
    ['an ended reign comes back', [...begin, nobody([4, 5]), confirm([6, 7], 5, 'a')]],
    ['a winner never stood', [...begin, confirm([4, 5], 9, 'c')]],
    ['a winner stands only later', [...begin, confirm([4, 5], 9, 'c'), elect('c', [6, 7], 9, 'c')]],
    ['a candidate wins that withdrew', [...begin, withdraw('b', [4, 5]), confirm([6, 7], 9, 'b')]],
    ['a reign is seen before anybody stood', [confirm([0, 1], 5, 'a'), elect('a', [2, 3], 5, 'a')]],
    [
      'two readers see reigns in different orders',
      [...begin, lost('elect', 'c', 3), confirm([4, 6], 9, 'b'), confirm([7, 9], 12, 'c'), confirm([10, 12], 9, 'b')],
    ],
    ['an unanswered candidate wins before its call', [...begin, confirm([4, 5], 9, 'c'), lost('elect', 'c', 6)]],
  ])('%s', (_, history) => {
    expect(problemsOf(history)).not.toEqual([])
  })

  it('with two winners of one epoch, by the epoch and by the search', () => {
    const [byEpoch, bySearch, ...others] = problemsOf([...begin, confirm([4, 5], 5, 'b')])
    expect(byEpoch).toBe('x: epoch 5 has two winners, a and b')
    expect(bySearch).toMatch(/^x: no order explains .*"called":4/u)
    expect(others).toEqual([])
  })

  it('with a budget that does not suffice', () => {
    const history = randomElections({ seed: 1, clients: 5, operations: 20 })
    expect(textsOf({ operations: history }, 20).join()).toContain('master: the search for an order spent its budget')
  })
})

describe('the events of elections are refused', () => {
  const events = (...all: readonly (readonly [number, string])[]) => all.map(([index, content]) => ({ index, content }))
  const told = (...sequences: readonly ReturnType<typeof events>[]): readonly string[] =>
    textsOf({ operations: begin, told: new Map([['x', sequences.map((each, at) => ({ member: `m${at}`, events: each }))]]) })

  it('unless all members are told of the same reigns', () => {
    expect(told(events([5, 'a'], [9, 'b']), events([9, 'b'], [12, 'a']), events([5, 'a']))).toEqual([])
  })

  it.each([
    ['a member is told of another winner', told(events([5, 'a'], [9, 'b']), events([9, 'c']))],
    ['a member is not told of a reign', told(events([5, 'a'], [9, 'b'], [12, 'a']), events([5, 'a'], [12, 'a']))],
    ['epochs do not rise', told(events([9, 'b'], [5, 'a']))],
    ['the answers have another winner', told(events([5, 'b']))],
    ['the answers have a reign that no member was told of', told(events([3, 'a'], [9, 'b']))],
  ])('if %s', (_, problems) => {
    expect(problems).not.toEqual([])
  })
})

describe('sightings of reigns', () => {
  const sight = (epoch: number, winner: string, at: number): Sighting => ({ election: 'x', reign: reignOf(epoch, winner), at })
  const with9 = [...begin, confirm([10, 12], 9, 'b')]

  it('are accepted, however late they are', () => {
    expect(textsOf({ operations: with9, sightings: [sight(9, 'b', 11), sight(5, 'a', 99), sight(9, 'b', 99)] })).toEqual([])
    expect(textsOf({ operations: with9, sightings: [sight(12, 'a', 11)] })).toEqual([])
  })

  it('are refused, if a call that began later has an older reign', () => {
    const [problem] = textsOf({ operations: with9, sightings: [sight(5, 'a', 2), sight(12, 'a', 8), sight(5, 'a', 9)] })
    expect(problem).toBe('x: reader was told of epoch 9 by a call at 10, and epoch 12 of a was known at 8')
  })

  it('are refused, if they have another winner', () => {
    expect(textsOf({ operations: with9, sightings: [sight(9, 'a', 99)] })).toEqual(['x: epoch 9 has two winners, b and a'])
  })
})

describe('random elections', () => {
  const histories = Array.from({ length: 40 }, (_, seed) => randomElections({ seed, clients: 4, operations: 20 }))

  it('are accepted', () => {
    expect(histories.flatMap((history) => problemsOf(history))).toEqual([])
    expect(histories.flat().some(({ returned }) => returned === undefined)).toBe(true)
  })

  it('are accepted with thousands of operations', () => {
    expect(problemsOf(randomElections({ seed: 99, clients: 7, operations: 700 }))).toEqual([])
  })

  it('are refused after any change of an answer that had only one explanation', () => {
    let changes = 0
    for (const [seed, history] of histories.entries())
      for (const changed of mutations(history, createRandom(seed))) {
        changes++
        const problems = problemsOf(changed)
        expect(problems).not.toEqual([])
        expect(problems.join()).not.toContain('budget')
      }
    expect(changes).toBeGreaterThan(80)
  })
})

/** Changes one answer so that no order can explain it. */
function mutations(history: readonly ElectionOperation[], random: () => number): ElectionOperation[][] {
  const answers = history.flatMap((each) => {
    const { output, returned } = each
    return output?.reign === undefined || returned === undefined ? [] : [{ each, returned, reign: output.reign }]
  })
  const [first] = answers
  const pick = answers[Math.floor(random() * answers.length)]
  if (first === undefined || pick === undefined) return []
  const replace = (reign: Reign): ElectionOperation[] => history.map((each) => (each === pick.each ? { ...each, output: { reign } } : each))
  const isShared = answers.some(({ each, reign }) => each !== pick.each && reign.epoch === pick.reign.epoch)
  const later = answers.find(({ each, reign }) => each.called > pick.returned && reign.epoch >= pick.reign.epoch)
  const earlier = answers.find(({ returned, reign }) => returned < pick.each.called && reign.epoch < pick.reign.epoch)
  return [
    ...(isShared ? [replace({ ...pick.reign, winner: `${pick.reign.winner}0` })] : []),
    ...(later === undefined ? [] : [replace({ ...pick.reign, epoch: later.reign.epoch + 1 })]),
    ...(earlier === undefined ? [] : [replace({ ...earlier.reign, epoch: earlier.reign.epoch - 1 })]),
  ]
}
