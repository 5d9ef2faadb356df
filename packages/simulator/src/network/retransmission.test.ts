import { describe, expect, it } from 'vitest'
import { constantDelay } from '../index.ts'
import { act, connect, pair, puppets, send, texts } from '../../test/puppet.ts'

const network = { delay: constantDelay(10), connectTimeout: 2_000, dialTimeout: 2_000, hostProbeTimeout: 500 }

describe('a path that a firewall rejects', () => {
  it('resets the sender, and the other end when it sends', () => {
    const { sim, a, b } = pair(network)
    sim.cut(a, b, 'reject')
    send(a, b, 'hello')
    send(b, a, 'too late')
    sim.run(1_000)
    expect(a.protocol.got('disconnected')).toHaveLength(1)
    expect(b.protocol.got('disconnected')).toEqual([])
    expect(texts(b)).toEqual([])
    sim.cut(b, a, 'reject')
    send(b, a, 'hello')
    sim.run(20)
    expect(b.protocol.got('disconnected')).toHaveLength(1)
    expect(texts(a)).toEqual([])
  })

  it('refuses dials and host probes, and those of the other way get no answer', () => {
    const sim = puppets({ network })
    const [a, b] = [sim.spawn(), sim.spawn()]
    sim.run(1)
    sim.cut(a, b, 'reject')
    connect(a, b)
    act(a, { type: 'probeHost', peer: b.id, addresses: b.addresses })
    connect(b, a)
    sim.run(20)
    expect(a.protocol.got('unreachable')).toMatchObject([{ peer: b.id, failure: 'refused' }])
    expect(a.protocol.got('hostProbed')).toMatchObject([{ outcome: 'refused' }])
    sim.run(2_000)
    expect(b.protocol.got('unreachable')).toMatchObject([{ peer: a.id, failure: 'silent' }])
  })

  it('resets a link whose data was held while packets vanished', () => {
    const { sim, a, b } = pair(network)
    sim.cut(a, b)
    send(a, b, 'held')
    sim.run(1_000)
    sim.cut(a, b, 'reject')
    sim.mend(a, b)
    expect(a.protocol.got('disconnected')).toHaveLength(1)
    sim.mend(a, b, 'reject')
    sim.run(1_000)
    expect(texts(b)).toEqual([])
    connect(a, b)
    sim.run(100)
    expect(a.protocol.got('connected')).toHaveLength(2)
  })

  it('is mended when the last of its overlapping cuts ends', () => {
    const { sim, a, b } = pair(network)
    sim.cut(a, b)
    sim.cut(a, b)
    sim.mend(a, b)
    send(a, b, 'hello')
    sim.run(1_000)
    expect(texts(b)).toEqual([])
    sim.mend(a, b)
    sim.run(1_000)
    expect(texts(b)).toEqual(['hello'])
  })
})
