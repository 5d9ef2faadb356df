import { beforeEach, describe, expect, it } from 'vitest'
import { actors, pool, servicesOf, type Actor } from '../../../test/actors.ts'
import { framesTo } from '../../../test/bench.ts'
import { defaultConfig } from '../../base/config.ts'
import { Context } from '../../context/context.ts'
import { Link } from '../../context/links.ts'
import type * as wire from '../../wire/messages.js'
import { Batcher } from './batcher.ts'

const everyone = actors(160)
const [self, alice, bob] = everyone as [Actor, Actor, Actor]

let context: Context<Uint8Array>
let batcher: Batcher

beforeEach(() => {
  context = new Context({ id: self.id, pool, config: defaultConfig, services: servicesOf(self.id) })
  for (const { id } of [alice, bob]) context.links.set(id, new Link(id, true, 0))
  batcher = new Batcher(context)
})

function flushed(to: Actor): wire.Frame[] {
  context.now = context.timers.at('detectionBatch')
  context.timers.fire(context.now, () => batcher.due())
  return framesTo(to.id, context.effects)
}

describe('messages of failure detection', () => {
  it('are gathered for a moment, in one frame of each kind per link', () => {
    batcher.send(alice.id, bob.suspects(self))
    batcher.send(alice.id, bob.refutes(3))
    for (const { id } of everyone.slice(2, 5)) batcher.ask(alice.id, id)
    batcher.reached(alice.id, bob.refutes(3))
    batcher.missed(alice.id, bob.id, false)
    expect(context.effects).toEqual([])
    const frames = flushed(alice)
    expect(frames.map((frame) => Object.keys(frame).filter((key) => frame[key as keyof wire.Frame] !== undefined))).toEqual([
      ['alarm'],
      ['pingReq'],
      ['pingReqAck'],
    ])
    expect(frames[0]?.alarm?.statements).toHaveLength(2)
    expect(frames[1]?.pingReq?.subjects).toHaveLength(3)
    expect(context.timers.at('detectionBatch')).toBe(Infinity)
  })

  it.each([
    [0, 10],
    [400, 400],
    [9_000, 1_000],
  ])('are gathered for longer on a busy machine: if answers take %i ms, for %i ms', (busyness, wait) => {
    batcher = new Batcher(context, () => busyness)
    batcher.ask(alice.id, bob.id)
    expect(context.timers.at('detectionBatch') - context.now).toBe(wait)
  })

  it('are sent once, however often they are added', () => {
    // The same message comes from several peers.
    for (let i = 0; i < 3; i++) batcher.send(alice.id, bob.suspects(self))
    for (let i = 0; i < 3; i++) batcher.reached(alice.id, bob.refutes(3))
    for (let i = 0; i < 3; i++) batcher.ask(alice.id, bob.id)
    const [frame, request, answer] = flushed(alice)
    expect(frame?.alarm?.statements).toHaveLength(1)
    expect(request?.pingReq?.subjects).toHaveLength(1)
    expect(answer?.pingReqAck?.reached).toHaveLength(1)
  })

  it('are spread over as many frames as needed', () => {
    for (const { id } of everyone) batcher.ask(alice.id, id)
    const sizes = flushed(alice).map(({ pingReq }) => pingReq?.subjects.length ?? 0)
    expect(sizes).toEqual([64, 64, 32])
  })

  it('are dropped if their receiver is not linked', () => {
    batcher.ask((everyone[9] as Actor).id, bob.id)
    expect(context.timers.at('detectionBatch')).toBe(Infinity)
  })
})
