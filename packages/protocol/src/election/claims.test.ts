import { beforeEach, describe, expect, it } from 'vitest'
import { actors, facts, type Actor } from '../../test/actors.ts'
import { Bench, electionNewsOf } from '../../test/bench.ts'
import type { Candidacy, Claim, Statement } from '../facts/statement.ts'

const peers = actors(6)
const [lower, self, higher] = peers as [Actor, Actor, Actor]
const others = peers.filter((actor) => actor !== self)
const name = 'master'

let bench: Bench
let most: number

beforeEach(() => {
  for (const actor of peers) actor.incarnation = 1
  bench = new Bench(self)
  most = bench.config.limits.counter
  for (const actor of others) bench.meet(actor)
})

function elect(): void {
  bench.input({ type: 'command', command: { type: 'elect', election: name } })
}

function tell(from: Actor, claim: Statement<Claim>): void {
  bench.receive(from, facts([claim], true))
}

/** Returns the reign as this node sees it: epoch and winner. */
function reign(): [number, string] | undefined {
  const current = bench.node.reign(name)
  return current === undefined ? undefined : [current.epoch, current.winner.id]
}

/** Returns the published claims and candidacies of this node. */
function published(): Statement<Claim | Candidacy>[] {
  return electionNewsOf(self, bench)
}

describe('the last epoch', () => {
  it('has no successor: nobody claims an epoch that others would not accept', () => {
    for (const peer of others) tell(peer, lower.claims(name, most))
    expect(reign()).toEqual([most, lower.id])
    elect()
    bench.receive(lower, facts([lower.left()]))
    bench.advance(10_000)
    expect(reign()).toBeUndefined()
    expect(published().map(({ content }) => content.kind)).toEqual(['candidacy'])
  })

  it('in the claim of a rival does not make the winner claim a higher one', () => {
    for (const peer of others) tell(peer, lower.claims(name, most - 2))
    elect()
    bench.receive(lower, facts([lower.left()]))
    bench.advance(10_000)
    expect(reign()).toEqual([most - 1, self.id])
    tell(higher, higher.claims(name, most))
    bench.advance(60_000)
    expect(published().flatMap(({ content }) => (content.kind === 'claim' && content.epoch > most ? [content.epoch] : []))).toEqual([])
  })
})
