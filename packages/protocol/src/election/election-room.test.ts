import { beforeEach, describe, expect, it } from 'vitest'
import { actors, facts, type Actor } from '../../test/actors.ts'
import { Bench } from '../../test/bench.ts'
import { defaultConfig } from '../base/config.ts'

const everyone = actors(12)
const [self, stranger, friend, ...others] = everyone as [Actor, Actor, Actor, ...Actor[]]
const room = 8

let bench: Bench

beforeEach(() => {
  for (const actor of everyone) actor.incarnation = 1
  bench = withRoom()
})

function withRoom(): Bench {
  const made = new Bench(self, { config: { limits: { elections: room } } })
  for (const actor of [stranger, friend]) made.meet(actor)
  return made
}

function names(count: number, prefix = 'made-up'): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${String(i).padStart(3, '0')}`)
}

/** Stands in each and wins it. */
function reigns(actor: Actor, elections: readonly string[], on = bench): void {
  for (const election of elections) on.receive(actor, facts([actor.stands(election), actor.claims(election, 1)]))
}

function elect(election: string): void {
  bench.input({ type: 'command', command: { type: 'elect', election } })
}

/** Of these, those that this node knows the winner of. */
function known(elections: readonly string[], on = bench): string[] {
  return elections.filter((name) => on.node.reign(name) !== undefined)
}

describe('a stranger who makes up elections', () => {
  it("does not use up this node's room", () => {
    reigns(stranger, names(300))
    expect(known(names(300))).toHaveLength(room)
    elect('master')
    bench.advance(defaultConfig.election.settle * 2)
    expect(bench.node.reign('master')?.winner.id).toBe(self.id)
  })

  it('does not use up the room of others, whoever came first', () => {
    reigns(friend, names(2, 'early'))
    reigns(stranger, names(300))
    reigns(friend, names(2, 'late'))
    expect(known(names(2, 'early'))).toHaveLength(2)
    expect(known(names(2, 'late'))).toHaveLength(2)
    expect(known(names(300))).toHaveLength(room - 4)
  })

  it('gains nothing by standing where others stand', () => {
    reigns(stranger, names(room - 1))
    bench.receive(stranger, facts([stranger.stands('yes')]))
    bench.receive(friend, facts([friend.stands('yes'), friend.claims('yes', 1)]))
    reigns(friend, ['also'])
    expect(known(['yes', 'also'])).toEqual(['yes', 'also'])
  })

  it('holds no more than its share once it is gone', () => {
    reigns(stranger, names(300))
    bench.receive(stranger, facts([stranger.left()]))
    reigns(friend, names(room, 'real'))
    expect(known(names(room, 'real'))).toHaveLength(room / 2)
  })

  it('gains nothing by epochs that nobody confirms', () => {
    reigns(friend, names(room, 'real'))
    for (const election of names(300)) bench.receive(stranger, facts([stranger.claims(election, 2 ** 40)]))
    // A fair share for one of two is half.
    expect(known(names(room, 'real')).length).toBeGreaterThanOrEqual(room / 2)
  })
})

describe('room for elections', () => {
  it('holds the same of one candidate everywhere, in whatever order they came', () => {
    const other = withRoom()
    const all = names(40)
    reigns(stranger, all)
    reigns(stranger, all.toReversed(), other)
    expect(known(all)).toEqual(all.slice(0, room))
    expect(known(all, other)).toEqual(all.slice(0, room))
  })

  it('is given up by elections that are over', () => {
    for (const [index, election] of names(room, 'job').entries()) {
      const actor = others[index]!
      bench.meet(actor, { linked: false })
      bench.receive(friend, facts([actor.stands(election), actor.claims(election, 1)]))
    }
    const first = others[0]!
    bench.receive(friend, facts([first.left()]))
    reigns(friend, ['next'])
    expect(known(['next'])).toEqual(['next'])
    // Who lives and reigns stays.
    expect(known(names(room, 'job'))).toEqual(names(room, 'job').slice(1))
  })

  it('keeps what this node stood in, and says when that is all', () => {
    for (const election of names(room, 'own')) elect(election)
    reigns(friend, names(3))
    elect('one too many')
    bench.advance(defaultConfig.election.settle * 2)
    expect(known(names(room, 'own'))).toHaveLength(room)
    expect(known([...names(3), 'one too many'])).toEqual([])
    const warnings = bench.notifications.flatMap((each) => (each.type === 'warning' ? [each.code] : []))
    expect(warnings).toEqual(['ELECTIONS_FULL'])
  })
})
