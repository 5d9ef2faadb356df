import { describe, expect, it } from 'vitest'
import { constantDelay } from '../index.ts'
import { act, connect, pair, puppets, type PuppetNode } from '../../test/puppet.ts'

const network = { delay: constantDelay(10), connectTimeout: 2_000, dialTimeout: 2_000, hostProbeTimeout: 500 }

function arrival(node: PuppetNode, type: string): number | undefined {
  const start = node.protocol.inputs[0]?.now ?? 0
  const found = node.protocol.inputs.find(({ input }) => input.type === type)
  return found === undefined ? undefined : found.now - start
}

describe('a dial', () => {
  it('takes seven one-way delays at the listener and one more at the dialler', () => {
    const { a, b } = pair(network)
    expect(arrival(a, 'connected')).toBe(81)
    expect(arrival(b, 'connected')).toBe(71)
    expect(a.protocol.got('connected')).toEqual([{ type: 'connected', peer: b.id, dialable: true }])
    expect(b.protocol.got('connected')).toEqual([{ type: 'connected', peer: a.id, dialable: true }])
  })

  it('from both sides at once gives one link', () => {
    const sim = puppets({ network })
    const [a, b] = [sim.spawn(), sim.spawn()]
    sim.run(1)
    connect(a, b)
    connect(b, a)
    sim.run(100)
    for (const node of [a, b]) expect(node.protocol.got('connected')).toHaveLength(1)
    act(a, { type: 'disconnect', peer: b.id, reason: 'enough' })
    sim.run(100)
    for (const node of [a, b]) expect(node.protocol.got('disconnected')).toHaveLength(1)
  })

  it('to a killed process is refused', () => {
    const { sim, a, b } = pair(network)
    sim.kill(b)
    sim.run(100)
    expect(a.protocol.got('disconnected')).toEqual([{ type: 'disconnected', peer: b.id }])
    connect(a, b)
    act(a, { type: 'probeHost', peer: b.id, addresses: b.addresses })
    sim.run(20)
    expect(a.protocol.got('unreachable')).toMatchObject([{ peer: b.id, failure: 'refused', addresses: b.addresses }])
    expect(a.protocol.got('hostProbed')).toEqual([{ type: 'hostProbed', peer: b.id, outcome: 'refused' }])
  })

  it('to a silent host times out', () => {
    const sim = puppets({ network })
    const [a, b] = [sim.spawn(), sim.spawn()]
    sim.silence(b)
    connect(a, b)
    act(a, { type: 'probeHost', peer: b.id, addresses: b.addresses })
    sim.run(1_999)
    expect(a.protocol.got('hostProbed')).toMatchObject([{ outcome: 'silent' }])
    expect(a.protocol.got('unreachable')).toEqual([])
    sim.run(1)
    expect(a.protocol.got('unreachable')).toMatchObject([{ failure: 'silent' }])
  })

  it('succeeds between processes of a silent host', () => {
    const sim = puppets({ network })
    const a = sim.spawn()
    const b = sim.spawn({ machineOf: a })
    for (const node of [a, b]) sim.silence(node)
    connect(a, b)
    sim.run(100)
    expect(a.protocol.got('connected')).toMatchObject([{ peer: b.id }])
  })

  it('to a stopped process is accepted by its kernel and stays unresponsive', () => {
    const sim = puppets({ network })
    const [a, b] = [sim.spawn(), sim.spawn()]
    sim.run(1)
    sim.stopProcess(b)
    connect(a, b)
    act(a, { type: 'probeHost', peer: b.id, addresses: b.addresses })
    sim.run(2_000)
    expect(a.protocol.got('hostProbed')).toMatchObject([{ outcome: 'accepted' }])
    expect(a.protocol.got('unreachable')).toMatchObject([{ failure: 'unresponsive' }])
    sim.continueProcess(b)
    sim.run(100)
    expect(b.protocol.got('connected')).toEqual([])
  })

  it('to a process that wakes up in time succeeds', () => {
    const sim = puppets({ network })
    const [a, b] = [sim.spawn(), sim.spawn()]
    sim.run(1)
    sim.stall(b, 1_500)
    connect(a, b)
    sim.run(1_600)
    expect(a.protocol.got('connected')).toHaveLength(1)
    expect(b.protocol.got('connected')).toHaveLength(1)
  })

  it('detects that another node now lives at the address', () => {
    const { sim, a, b } = pair(network)
    sim.kill(b)
    const c = sim.spawn({ machineOf: b })
    sim.run(100)
    connect(a, b)
    sim.run(100)
    expect(a.protocol.got('unreachable')).toMatchObject([{ peer: b.id, failure: 'impostor' }])
    act(a, { type: 'connect', peer: undefined, addresses: b.addresses })
    sim.run(100)
    expect(a.protocol.got('connected').at(-1)).toMatchObject({ peer: c.id })
  })

  it('does not reach a node behind a NAT, which can dial itself', () => {
    const sim = puppets({ network })
    const [a, b] = [sim.spawn(), sim.spawn({ dialable: false })]
    sim.run(1)
    connect(a, b)
    sim.run(2_000)
    expect(a.protocol.got('unreachable')).toMatchObject([{ failure: 'silent' }])
    connect(b, a)
    sim.run(100)
    expect(a.protocol.got('connected')).toEqual([{ type: 'connected', peer: b.id, dialable: false }])
    expect(b.protocol.got('connected')).toEqual([{ type: 'connected', peer: a.id, dialable: true }])
  })

  it('without an address, or to the node itself, fails', () => {
    const sim = puppets({ network })
    const a = sim.spawn()
    sim.run(1)
    act(a, { type: 'connect', peer: undefined, addresses: [] }, { type: 'connect', peer: undefined, addresses: a.addresses })
    sim.run(100)
    expect(a.protocol.got('unreachable')).toMatchObject([{ failure: 'failed' }, { failure: 'self' }])
  })

  it('tries all addresses', () => {
    const sim = puppets({ network })
    const [a, b, gone] = [sim.spawn(), sim.spawn(), sim.spawn()]
    sim.kill(gone)
    sim.run(1)
    act(a, { type: 'connect', peer: b.id, addresses: [...gone.addresses, ...b.addresses] })
    act(a, { type: 'probeHost', peer: b.id, addresses: [...gone.addresses, ...b.addresses] })
    sim.run(100)
    expect(a.protocol.got('connected')).toHaveLength(1)
    expect(a.protocol.got('hostProbed')).toMatchObject([{ outcome: 'accepted' }])
  })
})
