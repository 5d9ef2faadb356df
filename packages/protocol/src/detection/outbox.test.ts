import { beforeEach, describe, expect, it } from 'vitest'
import { actors, pool, servicesOf, type Actor } from '../../test/actors.ts'
import { framesTo } from '../../test/bench.ts'
import { defaultConfig } from '../base/config.ts'
import { Context } from '../context/context.ts'
import { Link } from '../context/links.ts'
import type * as wire from '../wire/messages.js'
import { Outbox } from './outbox.ts'

const everyone = actors(160)
const [self, alice, bob] = everyone as [Actor, Actor, Actor]

let context: Context<Uint8Array>
let outbox: Outbox

beforeEach(() => {
  context = new Context({ id: self.id, pool, config: defaultConfig, services: servicesOf(self.id) })
  for (const { id } of [alice, bob]) context.links.set(id, new Link(id, true, 0))
  outbox = new Outbox(context)
})

function flushed(to: Actor): wire.Frame[] {
  context.now = context.timers.at('detectionMessages')
  context.timers.fire(context.now, () => outbox.due())
  return framesTo(to.id, context.effects)
}

describe('what failure detection says', () => {
  it('is gathered for a moment, one frame of a kind and link', () => {
    outbox.tell(alice.id, bob.suspects(self))
    outbox.tell(alice.id, bob.refutes(3))
    for (const { id } of everyone.slice(2, 5)) outbox.ask(alice.id, id)
    outbox.reached(alice.id, bob.refutes(3))
    outbox.missed(alice.id, bob.id, false)
    expect(context.effects).toEqual([])
    const frames = flushed(alice)
    expect(frames.map((frame) => Object.keys(frame).filter((key) => frame[key as keyof wire.Frame] !== undefined))).toEqual([
      ['alarm'],
      ['pingReq'],
      ['pingReqAck'],
    ])
    expect(frames[0]?.alarm?.statements).toHaveLength(2)
    expect(frames[1]?.pingReq?.subjects).toHaveLength(3)
    expect(context.timers.at('detectionMessages')).toBe(Infinity)
  })

  it.each([
    [0, 10],
    [400, 400],
    [9_000, 1_000],
  ])('is gathered for longer on a busy machine: where answers take %i ms, for %i ms', (busyness, wait) => {
    outbox = new Outbox(context, () => busyness)
    outbox.ask(alice.id, bob.id)
    expect(context.timers.at('detectionMessages') - context.now).toBe(wait)
  })

  it('is said once, however often it is put in', () => {
    // The same message comes from several peers.
    for (let i = 0; i < 3; i++) outbox.tell(alice.id, bob.suspects(self))
    for (let i = 0; i < 3; i++) outbox.reached(alice.id, bob.refutes(3))
    for (let i = 0; i < 3; i++) outbox.ask(alice.id, bob.id)
    const [frame, request, answer] = flushed(alice)
    expect(frame?.alarm?.statements).toHaveLength(1)
    expect(request?.pingReq?.subjects).toHaveLength(1)
    expect(answer?.pingReqAck?.reached).toHaveLength(1)
  })

  it('is spread over as many frames as it needs', () => {
    for (const { id } of everyone) outbox.ask(alice.id, id)
    const sizes = flushed(alice).map(({ pingReq }) => pingReq?.subjects.length ?? 0)
    expect(sizes).toEqual([64, 64, 32])
  })

  it('to nobody that is linked is nothing', () => {
    outbox.ask((everyone[9] as Actor).id, bob.id)
    expect(context.timers.at('detectionMessages')).toBe(Infinity)
  })
})
