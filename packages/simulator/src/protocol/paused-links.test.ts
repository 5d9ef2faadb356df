import type { Effect } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { act, connect, pair, send, texts, type PuppetNode } from '../../test/puppet.ts'

function pause(node: PuppetNode, peer: PuppetNode, ms: number): void {
  const { answer } = node.protocol
  node.protocol.answer = (_, now): Effect[] => [{ type: 'pause', peer: peer.id, until: now + ms }]
  node.inject({ type: 'command', command: { type: 'withdraw', election: 'pause' } })
  node.protocol.answer = answer
}

function urgently(from: PuppetNode, to: PuppetNode, text: string): void {
  act(from, { type: 'send', to: to.id, data: new TextEncoder().encode(text), urgent: true })
}

describe('a peer that is paused', () => {
  it('is read again in order after the pause, and its urgent frames at once', () => {
    const { sim, a, b } = pair({}, 999)
    pause(b, a, 1_000)
    send(a, b, 'one')
    urgently(a, b, 'probe')
    send(a, b, 'two')
    sim.run(900)
    expect(texts(b)).toEqual(['probe'])
    sim.run(100)
    expect(texts(b)).toEqual(['probe', 'one', 'two'])
    send(a, b, 'three')
    sim.run(10)
    expect(texts(b)).toEqual(['probe', 'one', 'two', 'three'])
  })

  it('waits for the longer of two pauses', () => {
    const { sim, a, b } = pair({}, 999)
    pause(b, a, 2_000)
    pause(b, a, 500)
    send(a, b, 'one')
    sim.run(1_900)
    expect(texts(b)).toEqual([])
    sim.run(100)
    expect(texts(b)).toEqual(['one'])
  })

  it('waits again if one of its waiting frames causes another pause', () => {
    const { sim, a, b } = pair({}, 999)
    pause(b, a, 500)
    for (const text of ['one', 'two', 'three']) send(a, b, text)
    const { answer } = b.protocol
    b.protocol.answer = (input, now) => (input.type === 'frame' ? [{ type: 'pause', peer: a.id, until: now + 500 }] : [])
    sim.run(600)
    expect(texts(b)).toEqual(['one'])
    sim.run(500)
    expect(texts(b)).toEqual(['one', 'two'])
    b.protocol.answer = answer
    sim.run(500)
    expect(texts(b)).toEqual(['one', 'two', 'three'])
  })

  it('delays neither others nor its frames on its next link', () => {
    const { sim, a, b } = pair({}, 999)
    const c = sim.spawn()
    sim.run(1)
    connect(c, b)
    sim.run(200)
    pause(b, a, 60_000)
    send(a, b, 'lost with the link')
    send(c, b, 'of another')
    sim.run(100)
    expect(texts(b)).toEqual(['of another'])
    act(a, { type: 'disconnect', peer: b.id, reason: 'anew' })
    sim.run(100)
    connect(a, b)
    sim.run(100)
    send(a, b, 'on the next link')
    sim.run(100)
    expect(texts(b)).toEqual(['of another', 'on the next link'])
  })

  it('is not read before a stopped process goes on', () => {
    const { sim, a, b } = pair({}, 999)
    pause(b, a, 500)
    send(a, b, 'one')
    sim.run(100)
    sim.stall(b, 1_000)
    send(a, b, 'two')
    sim.run(900)
    expect(texts(b)).toEqual([])
    sim.run(200)
    expect(texts(b)).toEqual(['one', 'two'])
  })
})
