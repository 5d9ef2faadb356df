import { beforeEach, describe, expect, it } from 'vitest'
import { actors, facts, type Actor } from '../../test/actors.ts'
import { Bench, broadcastsIn } from '../../test/bench.ts'
import type { Effect } from '../base/effect.ts'
import { places } from './candidacies.ts'
import { settle } from './settling.ts'

const everyone = actors(12)
const [self, stranger, friend, ...others] = everyone as [Actor, Actor, Actor, ...Actor[]]
const memory = 8

let bench: Bench

beforeEach(() => {
  for (const actor of everyone) actor.incarnation = 1
  bench = withMemory()
})

function withMemory(): Bench {
  const made = new Bench(self, { config: { limits: { elections: memory } } })
  for (const actor of [stranger, friend]) made.meet(actor)
  return made
}

function names(count: number, prefix = 'made-up'): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${String(i).padStart(3, '0')}`)
}

/** Makes the actor stand in each election and win it. */
function reigns(actor: Actor, elections: readonly string[], on = bench): void {
  for (const election of elections) on.receive(actor, facts([actor.stands(election), actor.claims(election, 1)]))
}

function elect(election: string): void {
  bench.input({ type: 'command', command: { type: 'elect', election } })
}

/** Returns those of the elections that have a winner at this node. */
function known(elections: readonly string[], on = bench): string[] {
  return elections.filter((name) => on.node.reign(name) !== undefined)
}

describe('a stranger that makes up elections', () => {
  it("does not use up this node's memory", () => {
    reigns(stranger, names(300))
    expect(known(names(300))).toHaveLength(memory)
    elect('master')
    bench.advance(settle * 2)
    expect(bench.node.reign('master')?.winner.id).toBe(self.id)
  })

  it('does not use up the share of others, whoever comes first', () => {
    reigns(friend, names(2, 'early'))
    reigns(stranger, names(300))
    reigns(friend, names(2, 'late'))
    expect(known(names(2, 'early'))).toHaveLength(2)
    expect(known(names(2, 'late'))).toHaveLength(2)
    expect(known(names(300))).toHaveLength(memory - 4)
  })

  it('gains nothing by standing in elections of others', () => {
    reigns(stranger, names(memory - 1))
    bench.receive(stranger, facts([stranger.stands('yes')]))
    bench.receive(friend, facts([friend.stands('yes'), friend.claims('yes', 1)]))
    reigns(friend, ['also'])
    expect(known(['yes', 'also'])).toEqual(['yes', 'also'])
  })

  it('holds no more than its share once it is gone', () => {
    reigns(stranger, names(300))
    bench.receive(stranger, facts([stranger.left()]))
    reigns(friend, names(memory, 'real'))
    expect(known(names(memory, 'real'))).toHaveLength(memory / 2)
  })

  it('has no share if others, with lower ids, have all places', () => {
    const crowd = actors(places + 3, 5)
    bench = new Bench(crowd.pop() as Actor, { config: { limits: { elections: memory } } })
    for (const actor of crowd) bench.meet(actor)
    const newcomer = crowd.pop() as Actor
    const last = crowd.pop() as Actor
    const all = names(memory)
    for (const actor of crowd) bench.receive(actor, facts(all.map((election) => actor.stands(election))))
    bench.receive(last, facts([last.stands(all.at(-1) as string)]))
    reigns(crowd[0] as Actor, all)
    reigns(newcomer, ['real'])
    expect(known([...all, 'real'])).toEqual([...all.slice(0, -1), 'real'])
  })

  it('gains nothing by epochs that nobody confirms', () => {
    reigns(friend, names(memory, 'real'))
    for (const election of names(300)) bench.receive(stranger, facts([stranger.claims(election, 2 ** 40)]))
    // The fair share of each of two members is half.
    expect(known(names(memory, 'real')).length).toBeGreaterThanOrEqual(memory / 2)
  })
})

describe('the memory for elections', () => {
  it('holds the same elections of one candidate everywhere, in whatever order they came', () => {
    const other = withMemory()
    const all = names(40)
    reigns(stranger, all)
    reigns(stranger, all.toReversed(), other)
    expect(known(all)).toEqual(all.slice(0, memory))
    expect(known(all, other)).toEqual(all.slice(0, memory))
  })

  it('is freed of elections that are over', () => {
    for (const [index, election] of names(memory, 'job').entries()) {
      const actor = others[index]!
      bench.meet(actor, { linked: false })
      bench.receive(friend, facts([actor.stands(election), actor.claims(election, 1)]))
    }
    const first = others[0]!
    bench.receive(friend, facts([first.left()]))
    reigns(friend, ['next'])
    expect(known(['next'])).toEqual(['next'])
    // Living winners stay.
    expect(known(names(memory, 'job'))).toEqual(names(memory, 'job').slice(1))
  })

  it('is freed of elections from which this node withdrew, in which it may stand again', () => {
    for (const election of names(memory, 'own')) elect(election)
    const [first, ...rest] = names(memory, 'own') as [string, ...string[]]
    bench.input({ type: 'command', command: { type: 'withdraw', election: first } })
    elect('next')
    bench.advance(settle * 2)
    expect(known([...rest, 'next'])).toEqual([...rest, 'next'])
    bench.input({ type: 'command', command: { type: 'withdraw', election: 'next' } })
    // Others remember its last candidacy, so the new candidacy has a higher sequence.
    const sequences = (effects: readonly Effect[]): number[] =>
      broadcastsIn(effects).flatMap(({ facts: told }) =>
        told.flatMap(({ statement }) => {
          const content = statement === undefined ? undefined : self.read(statement).content
          return content?.kind === 'candidacy' && content.election === first ? [content.sequence] : []
        }),
      )
    bench.advance(5_000)
    const again = [...bench.input({ type: 'command', command: { type: 'elect', election: first } }), ...bench.advance(2_000)]
    expect(Math.max(...sequences(again))).toBeGreaterThan(2)
    expect(bench.node.stands(first)).toBe(true)
  })

  it('keeps the elections in which this node stands, and a warning reports when they fill it', () => {
    for (const election of names(memory, 'own')) elect(election)
    reigns(friend, names(3))
    elect('one too many')
    expect(bench.node.stands('one too many')).toBe(false)
    bench.advance(settle * 2)
    expect(known(names(memory, 'own'))).toHaveLength(memory)
    expect(known([...names(3), 'one too many'])).toEqual([])
    const warnings = bench.notifications.flatMap((each) => (each.type === 'warning' ? [each.code] : []))
    expect(warnings).toEqual(['ELECTIONS_FULL'])
  })
})
