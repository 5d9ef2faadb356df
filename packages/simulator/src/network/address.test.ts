import { describe, expect, it } from 'vitest'
import { act, connect, pair, send, texts } from '../../test/puppet.ts'

describe('an address', () => {
  it('that is added answers beside the first one until it is removed', () => {
    const { sim, a, b } = pair({ connectTimeout: 2_000 }, 200)
    const [first] = b.addresses
    const undo = sim.changeAddress(b, 'add')
    const [, second] = b.addresses
    expect(b.protocol.got('addresses')).toMatchObject([{ addresses: [first, second] }])
    send(a, b, 'on the old link')
    act(a, { type: 'probeHost', peer: b.id, addresses: [second as Uint8Array] })
    sim.run(100)
    expect(texts(b)).toEqual(['on the old link'])
    expect(a.protocol.got('hostProbed')).toMatchObject([{ outcome: 'accepted' }])
    undo()
    expect(b.protocol.got('addresses').at(-1)).toMatchObject({ addresses: [first] })
    act(a, { type: 'probeHost', peer: b.id, addresses: [second as Uint8Array] })
    sim.run(3_000)
    expect(a.protocol.got('hostProbed').at(-1)).toMatchObject({ outcome: 'silent' })
  })

  it('that is replaced no longer answers, and its links are gone', () => {
    const { sim, a, b } = pair({ connectTimeout: 2_000 }, 200)
    const { addresses } = b
    sim.changeAddress(b, 'replace')
    expect(b.protocol.got('disconnected')).toHaveLength(1)
    send(a, b, 'still there?')
    sim.run(100)
    expect(texts(b)).toEqual([])
    expect(a.protocol.got('disconnected')).toHaveLength(1)
    act(a, { type: 'connect', peer: b.id, addresses })
    sim.run(2_000)
    expect(a.protocol.got('unreachable')).toMatchObject([{ failure: 'silent' }])
    connect(a, b)
    sim.run(200)
    expect(a.protocol.got('connected')).toHaveLength(2)
  })
})

describe('a machine that sleeps', () => {
  it('receives nothing, and learns of all that it missed when it wakes up', () => {
    const { sim, a, b } = pair({ connectTimeout: 2_000 }, 200)
    sim.sleep(b)
    send(a, b, 'good night')
    act(a, { type: 'probeHost', peer: b.id, addresses: b.addresses })
    sim.run(3_000)
    expect(a.protocol.got('hostProbed')).toMatchObject([{ outcome: 'silent' }])
    expect(texts(b)).toEqual([])
    sim.sleep(b, false)
    sim.run(10_000)
    expect(texts(b)).toEqual(['good night'])
  })
})
