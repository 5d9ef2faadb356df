import { describe, expect, it } from 'vitest'
import { actors, type Actor } from '../../../test/actors.ts'
import { framesTo, type Bench } from '../../../test/bench.ts'
import { everything, poolOf, probesTo } from '../../../test/detection.ts'
import { defaultConfig } from '../../base/config.ts'
import type { Effect } from '../../base/effect.ts'
import type * as wire from '../../wire/messages.js'

const [self, ...observers] = actors(5) as [Actor, ...Actor[]]
const { period } = defaultConfig.detection

const acksTo = (actor: Actor, effects: readonly Effect[]): wire.Ack[] => framesTo(actor.id, effects).flatMap(({ ack }) => ack ?? [])

function probe(bench: Bench, actor: Actor): wire.Ack {
  const [ack] = acksTo(actor, bench.receive(actor, { probe: { sequence: 9 } }))
  if (ack === undefined) expect.unreachable()
  expect(ack.sequence).toBe(9)
  return ack
}

describe('probes from observers', () => {
  it('are answered with turns, so that observers come one after the other', () => {
    const bench = poolOf(self, observers)
    const turns = observers.map((actor) => probe(bench, actor).nextInMs).sort((a, b) => a - b)
    expect(turns[0]).toBeGreaterThanOrEqual(period * 0.5)
    for (let i = 1; i < turns.length; i++) expect((turns[i] as number) - (turns[i - 1] as number)).toBeGreaterThanOrEqual(period * 0.5)
    expect(turns.at(-1)).toBeLessThanOrEqual(period * 4 * 1.5)
  })

  it('are answered with the age of this life, in seconds', () => {
    const bench = poolOf(self, observers)
    const [first, second] = observers as [Actor, Actor]
    expect(probe(bench, first).heartbeat).toBe(1)
    bench.advance(99_500)
    expect(probe(bench, second).heartbeat).toBe(100)
  })

  it('that will not come leave their turn to the observer with the last one', () => {
    const bench = poolOf(self, observers)
    const turns = observers.map((actor) => ({ actor, nextInMs: probe(bench, actor).nextInMs })).sort((a, b) => a.nextInMs - b.nextInMs)
    const [first, last] = [turns[0], turns.at(-1)]
    if (first === undefined || last === undefined) expect.unreachable()
    const moved = acksTo(last.actor, bench.unlink(first.actor))
    expect(moved).toEqual([expect.objectContaining({ sequence: 0, nextInMs: first.nextInMs })])
  })
  it('get no turn if they come from strangers or from members that do not observe this node', () => {
    const [self, ...others] = actors(40) as [Actor, ...Actor[]]
    const bench = poolOf(self, others)
    bench.advance(30_000)
    const observers = others.filter((actor) => probesTo(actor, everything(bench)) > 0)
    expect(observers.length).toBeLessThanOrEqual(8)
    const strangers = actors(20, 77)
    for (const stranger of strangers) bench.link(stranger, { incarnation: 0 })
    const members = others.filter((actor) => bench.node.links.has(actor.id) && !observers.includes(actor))
    expect(members.length).toBeGreaterThan(5)
    for (const actor of [...strangers, ...members]) probe(bench, actor)
    const turns = observers.map((actor) => probe(bench, actor).nextInMs)
    expect(Math.max(...turns)).toBeLessThanOrEqual(period * observers.length * 1.5)
  })
})
