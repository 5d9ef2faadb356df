import { describe, expect, it } from 'vitest'
import { constantDelay } from '../index.ts'
import { act, connect, pair, puppets, send, texts } from '../../test/puppet.ts'

const network = { delay: constantDelay(10), connectTimeout: 2_000, dialTimeout: 2_000, hostProbeTimeout: 500 }

describe('a link', () => {
  it('delivers frames in order, however long each takes', () => {
    const sim = puppets({ network: { delay: (_from, _to, random) => 1 + random() * 50, loss: 0.2 } })
    const [a, b] = [sim.spawn(), sim.spawn()]
    sim.run(1)
    connect(a, b)
    sim.run(5_000)
    const sent = Array.from({ length: 50 }, (_, i) => `frame ${i}`)
    for (const text of sent) send(a, b, text)
    sim.run(60_000)
    expect(texts(b)).toEqual(sent)
    expect(a.traffic.framesSent).toBe(50)
    expect(b.traffic.frameBytesReceived).toBe(sent.join('').length)
  })

  it('shows loss as the delay of sending again', () => {
    const sim = puppets({ network: { delay: constantDelay(10), loss: 0.5 } })
    const [a, b] = [sim.spawn(), sim.spawn()]
    sim.run(1)
    connect(a, b)
    sim.run(20_000)
    const before = sim.now
    for (let i = 0; i < 20; i++) send(a, b, 'x')
    sim.runUntil(() => texts(b).length === 20, 60_000)
    expect(sim.now - before).toBeGreaterThan(200)
  })

  it('drops a frame for a peer without a link', () => {
    const { sim, a, b } = pair(network)
    act(a, { type: 'disconnect', peer: b.id, reason: 'enough' }, { type: 'send', to: b.id, data: new Uint8Array(1) })
    sim.run(100)
    expect(a.protocol.got('disconnected')).toHaveLength(1)
    expect(b.protocol.got('disconnected')).toHaveLength(1)
    expect(texts(b)).toEqual([])
  })

  it('delivers all sent frames before it closes', () => {
    const { sim, a, b } = pair(network)
    send(a, b, 'last words')
    act(a, { type: 'disconnect', peer: b.id, reason: 'enough' })
    sim.run(100)
    expect(b.protocol.types().slice(-2)).toEqual(['frame', 'disconnected'])
  })

  it('survives a cut: frames sent during the cut arrive after the mending', () => {
    const { sim, a, b } = pair(network)
    sim.cut(a, b)
    send(a, b, 'one')
    send(b, a, 'the other way')
    sim.run(5_000)
    send(a, b, 'two')
    sim.run(5_000)
    expect(texts(b)).toEqual([])
    expect(texts(a)).toEqual(['the other way'])
    sim.mend(a, b)
    sim.run(10_000)
    expect(texts(b)).toEqual(['one', 'two'])
    expect(b.protocol.got('disconnected')).toEqual([])
  })

  it('closed during a cut drops unsent frames, and the other end is notified after the mending', () => {
    const { sim, a, b } = pair(network)
    sim.partition([a], [b])
    send(a, b, 'lost')
    sim.run(1_000)
    act(a, { type: 'disconnect', peer: b.id, reason: 'no answer' })
    sim.run(1_000)
    expect(a.protocol.got('disconnected')).toHaveLength(1)
    expect(b.protocol.got('disconnected')).toEqual([])
    sim.heal()
    sim.run(5_000)
    expect(b.protocol.got('disconnected')).toHaveLength(1)
    expect(texts(b)).toEqual([])
  })

  it('dialled anew while the other end still holds the old one stays up there', () => {
    const { sim, a, b } = pair(network)
    sim.partition([a], [b])
    send(a, b, 'lost')
    sim.run(1_000)
    act(a, { type: 'disconnect', peer: b.id, reason: 'no answer' })
    sim.run(1_000)
    sim.heal()
    connect(a, b)
    sim.run(5_000)
    expect(a.protocol.got('connected')).toHaveLength(2)
    expect(b.protocol.got('connected')).toHaveLength(1)
    expect(b.protocol.got('disconnected')).toEqual([])
    send(b, a, 'hello')
    send(a, b, 'hello')
    sim.run(100)
    expect(texts(a)).toEqual(['hello'])
    expect(texts(b)).toEqual(['hello'])
  })

  it('breaks for the sender when the kernel gives up', () => {
    const { sim, a, b } = pair(network)
    sim.silence(b)
    send(a, b, 'anybody there?')
    sim.run(900_000)
    expect(a.protocol.got('disconnected')).toEqual([])
    sim.run(30_000)
    expect(a.protocol.got('disconnected')).toHaveLength(1)
  })

  it('breaks one delay after the process at the other end is killed', () => {
    const { sim, a, b } = pair(network)
    const before = sim.now
    sim.kill(b)
    sim.runUntil(() => a.protocol.got('disconnected').length === 1, 1_000)
    expect(sim.now - before).toBe(10)
  })

  it('to a killed process on the other side of a partition breaks after the mending', () => {
    const { sim, a, b } = pair(network)
    sim.partition([a], [b])
    sim.kill(b)
    sim.run(10_000)
    expect(a.protocol.got('disconnected')).toEqual([])
    sim.heal()
    sim.run(30_000)
    expect(a.protocol.got('disconnected')).toHaveLength(1)
  })

  it('given up by one end is reset when the other sends on it', () => {
    const { sim, a, b } = pair(network)
    sim.cut(a, b)
    send(a, b, 'anybody there?')
    sim.run(930_000)
    expect(a.protocol.got('disconnected')).toHaveLength(1)
    expect(b.protocol.got('disconnected')).toEqual([])
    sim.mend(a, b)
    send(b, a, 'still there?')
    sim.run(1_000)
    expect(b.protocol.got('disconnected')).toEqual([{ type: 'disconnected', peer: a.id }])
    expect(texts(a)).toEqual([])
  })

  it('to a process that was killed behind a cut, and whose kernel gave up, is reset, too', () => {
    const { sim, a, b } = pair(network)
    sim.cut(b, a)
    sim.kill(b)
    sim.run(930_000)
    expect(a.protocol.got('disconnected')).toEqual([])
    sim.mend(b, a)
    send(a, b, 'still there?')
    sim.run(1_000)
    expect(a.protocol.got('disconnected')).toHaveLength(1)
  })

  it('closed in the ordinary way is not reset as well', () => {
    const { sim, a, b } = pair(network)
    act(a, { type: 'disconnect', peer: b.id, reason: 'enough' })
    send(b, a, 'on its way')
    sim.run(5)
    const before = a.traffic.sent.of('set-up').messages
    sim.run(100)
    expect(a.traffic.sent.of('set-up').messages).toBe(before)
  })
})
