import { beforeEach, describe, expect, it } from 'vitest'
import { actors, pool, servicesOf, type Actor } from '../../../test/actors.ts'
import { requestsTo } from '../../../test/detection.ts'
import { defaultConfig } from '../../base/config.ts'
import type { NodeId } from '../../base/values.ts'
import { Context } from '../../context/context.ts'
import { Link } from '../../context/links.ts'
import { factOf } from '../../facts/fact.ts'
import { IndirectProbes } from './indirect-probes.ts'
import { Batcher } from './batcher.ts'

const [self, subject, ...others] = actors(24) as [Actor, Actor, ...Actor[]]
const timeout = 1_500
const usual = 60

let context: Context<Uint8Array>
let probes: IndirectProbes
let batcher: Batcher
let observers: Actor[]
let suspected: Set<NodeId>
let outcomes: string[]
let silent: NodeId[]
let canTell: boolean
let isSilent: boolean

beforeEach(() => {
  context = new Context({ id: self.id, pool, config: defaultConfig, services: servicesOf(self.id) })
  context.now = 10_000
  for (const actor of [self, subject, ...others]) context.view.merge(factOf({ statement: actor.joined() }), 0, 0)
  batcher = new Batcher(context)
  observers = []
  suspected = new Set()
  outcomes = []
  silent = []
  canTell = true
  isSilent = false
  probes = new IndirectProbes(
    context,
    batcher,
    {
      observersOf: () => new Set(observers.map(({ id }) => id)),
      canTell: () => canTell,
      isSuspected: (id) => suspected.has(id),
      timeout,
      usual,
      wantsAll: () => isSilent,
    },
    {
      missed: () => outcomes.push('missed'),
      unknown: () => outcomes.push('unknown'),
      unanswered: () => outcomes.push('no answer'),
      helperSilent: (helper) => silent.push(helper),
    },
  )
})

function link(...linked: readonly Actor[]): void {
  for (const { id } of linked) {
    const made = new Link(id, true, context.now)
    made.entered = true
    context.links.set(id, made)
  }
}

/** Returns the helpers that were asked since the last call. */
function asked(): Actor[] {
  context.effects = []
  context.now += 10
  batcher.due()
  return others.filter((actor) => requestsTo(actor, subject, context.effects) === 1)
}

function begin(relay?: Actor): Actor[] {
  probes.begin(subject.id, relay?.id)
  return asked()
}

const pass = (span: number): void => {
  context.now += span
  probes.due()
}
const miss = (...helpers: readonly Actor[]): void => {
  for (const { id } of helpers) probes.missed(id, subject.id, 'missed')
}
const tellNothing = (...helpers: readonly Actor[]): void => {
  for (const { id } of helpers) probes.missed(id, subject.id, 'unknown')
}

describe('helpers', () => {
  it.each([0, 2, 3, 9])('are three linked observers of the subject out of %i, and others, six at a time', (count) => {
    link(...others)
    observers = others.slice(5, 5 + count)
    const helpers = begin()
    expect(helpers.filter((helper) => observers.includes(helper)).length).toBeGreaterThanOrEqual(Math.min(count, 3))
    expect(helpers).toHaveLength(6)
  })

  it('are linked members that have entered and are not suspected', () => {
    const [suspect, newcomer, stranger, fit] = others as [Actor, Actor, Actor, Actor]
    link(subject, suspect, stranger, fit)
    context.links.set(newcomer.id, new Link(newcomer.id, true, 0))
    context.view.merge(factOf({ statement: stranger.left() }), 0, 0)
    suspected.add(suspect.id)
    observers = [suspect, newcomer, stranger, fit, others[9] as Actor]
    expect(begin()).toEqual([fit])
  })

  it('are first only the one that reached the subject last time, then others', () => {
    link(...others)
    const relay = others[7] as Actor
    expect(begin(relay)).toEqual([relay])
    miss(relay)
    const next = asked()
    expect(next).toHaveLength(6)
    expect(next).not.toContain(relay)
  })

  it('are others at once if that helper is suspected or no longer linked', () => {
    link(...others.slice(0, 10))
    const [relay] = others as [Actor]
    suspected.add(relay.id)
    expect(begin(relay)).toHaveLength(6)
    expect(begin(others[15])).toHaveLength(6)
  })
})

describe('a subject counts as missed', () => {
  it('if all helpers report so', () => {
    link(...others)
    const helpers = begin()
    miss(...helpers.slice(0, -1))
    expect(outcomes).toEqual([])
    miss(...helpers.slice(-1))
    expect(outcomes).toEqual(['missed'])
    expect(probes.isUnderWay(subject.id)).toBe(false)
  })

  it('if three helpers report so, once the others answered or ran out of time: a success takes longest', () => {
    link(...others)
    miss(...begin().slice(0, 3))
    pass(timeout - 11)
    expect(outcomes).toEqual([])
    pass(11)
    expect(outcomes).toEqual(['missed'])
  })

  it('not if fewer report so: others are asked until there are none left', () => {
    link(...others.slice(0, 8))
    const first = begin()
    expect(first).toHaveLength(6)
    miss(...first.slice(0, 2))
    pass(usual)
    expect([outcomes, asked()]).toEqual([[], []])
    pass(timeout)
    expect(outcomes).toEqual([])
    const second = asked()
    expect(second).toHaveLength(2)
    miss(...second)
    pass(usual)
    expect(outcomes).toEqual(['missed'])
  })

  it('by helpers that can’t tell only if this node or one helper can tell', () => {
    link(...others.slice(0, 6))
    tellNothing(...begin())
    expect(outcomes).toEqual(['missed'])
    canTell = false
    tellNothing(...begin())
    expect(outcomes).toEqual(['missed', 'unknown'])
    const [first, ...rest] = begin() as [Actor, ...Actor[]]
    miss(first)
    tellNothing(...rest)
    expect(outcomes).toEqual(['missed', 'unknown', 'missed'])
  })

  it('if the only possible helper reports so', () => {
    link(...others.slice(0, 1))
    miss(...begin())
    expect(outcomes).toEqual(['missed'])
  })

  it('not by reports of peers that were not asked, nor by three reports of one helper', () => {
    link(...others)
    const helpers = begin()
    miss(...others.filter((actor) => !helpers.includes(actor)))
    for (let i = 0; i < 5; i++) miss(...helpers.slice(0, 1))
    pass(usual)
    expect(outcomes).toEqual([])
  })
})

describe('a subject whose host is silent', () => {
  beforeEach(() => {
    isSilent = true
    link(...others)
  })

  it('is probed through all links before it counts as missed, through a few of them first', () => {
    const first = begin()
    expect(first).toHaveLength(6)
    miss(...first)
    expect(outcomes).toEqual([])
    const rest = asked()
    expect(rest).toHaveLength(others.length - 6)
    miss(...rest.slice(1))
    pass(usual)
    expect(outcomes).toEqual([])
    miss(...rest.slice(0, 1))
    expect(outcomes).toEqual(['missed'])
  })

  it('is probed through the other links as soon as most answers should have come', () => {
    begin()
    pass(usual - 11)
    expect(asked()).toEqual([])
    pass(1)
    expect(asked()).toHaveLength(others.length - 6)
    pass(usual)
    expect(asked()).toEqual([])
  })

  it('counts as missed if some helpers report so and the others do not answer in time', () => {
    miss(...begin().slice(0, 1))
    pass(usual)
    miss(...asked().slice(0, 1))
    pass(timeout)
    expect(outcomes).toEqual(['missed'])
    expect(silent).toHaveLength(others.length - 2)
  })
})

describe('a node without an answer', () => {
  it('learns that no helper answered, and which ones were silent', () => {
    link(...others.slice(0, 5))
    const helpers = begin()
    pass(timeout)
    expect(outcomes).toEqual(['no answer'])
    expect(silent.sort()).toEqual(helpers.map(({ id }) => id).sort())
  })

  it('learns it at once if there is no helper to ask', () => {
    expect(begin()).toEqual([])
    expect(outcomes).toEqual(['no answer'])
  })

  it('does not wait for helpers whose links break', () => {
    link(...others.slice(0, 2))
    for (const { id } of begin()) {
      context.links.delete(id)
      probes.linkLost(id)
    }
    expect(outcomes).toEqual(['no answer'])
    expect(silent).toEqual([])
  })

  it('extends the time for answers by a stall of its own process', () => {
    link(...others.slice(0, 5))
    begin()
    context.now += 60_000
    probes.stalled(60_000)
    probes.due()
    expect([outcomes, silent]).toEqual([[], []])
  })
})

describe('a subject that was reached', () => {
  it('is no longer probed', () => {
    link(...others)
    const helpers = begin()
    probes.end(subject.id)
    miss(...helpers)
    pass(timeout)
    expect(outcomes).toEqual([])
    expect(context.timers.at('indirectProbe')).toBe(Infinity)
  })
})
