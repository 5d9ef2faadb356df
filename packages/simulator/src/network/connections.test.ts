import { describe, expect, it } from 'vitest'
import { constantDelay } from '../index.ts'
import { act, connect, puppets, send, texts, type PuppetNode } from '../../test/puppet.ts'

const network = { delay: constantDelay(10), connectTimeout: 2_000, dialTimeout: 2_000, hostProbeTimeout: 500 }

/** Two nodes with a link. */
function pair(): { sim: ReturnType<typeof puppets>; a: PuppetNode; b: PuppetNode } {
  const sim = puppets({ network })
  const a = sim.spawn()
  const b = sim.spawn()
  sim.run(1)
  connect(a, b)
  sim.run(99)
  return { sim, a, b }
}

function arrival(node: PuppetNode, type: string): number | undefined {
  const start = node.protocol.inputs[0]?.now ?? 0
  const found = node.protocol.inputs.find(({ input }) => input.type === type)
  return found === undefined ? undefined : found.now - start
}

describe('a dial', () => {
  it('takes seven one-way delays at the listener and one more at the dialler', () => {
    const { a, b } = pair()
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
    const { sim, a, b } = pair()
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

  it('comes about between processes of a silent host', () => {
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

  it('finds out that somebody else lives at the address now', () => {
    const { sim, a, b } = pair()
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

  it('to oneself, or to no address, fails', () => {
    const sim = puppets({ network })
    const a = sim.spawn()
    sim.run(1)
    act(a, { type: 'connect', peer: undefined, addresses: a.addresses }, { type: 'connect', peer: undefined, addresses: [] })
    sim.run(100)
    expect(a.protocol.got('unreachable')).toMatchObject([{ failure: 'failed' }, { failure: 'failed' }])
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

  it('drops a frame for whom there is no link', () => {
    const { sim, a, b } = pair()
    act(a, { type: 'disconnect', peer: b.id, reason: 'enough' }, { type: 'send', to: b.id, data: new Uint8Array(1) })
    sim.run(100)
    expect(a.protocol.got('disconnected')).toHaveLength(1)
    expect(b.protocol.got('disconnected')).toHaveLength(1)
    expect(texts(b)).toEqual([])
  })

  it('flushes what was sent before it is closed', () => {
    const { sim, a, b } = pair()
    send(a, b, 'last words')
    act(a, { type: 'disconnect', peer: b.id, reason: 'enough' })
    sim.run(100)
    expect(b.protocol.types().slice(-2)).toEqual(['frame', 'disconnected'])
  })

  it('survives a cut: what was sent into it arrives after the mending', () => {
    const { sim, a, b } = pair()
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

  it('closed during a cut takes what was not sent with it, and the other end hears of it after the mending', () => {
    const { sim, a, b } = pair()
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
    const { sim, a, b } = pair()
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
    const { sim, a, b } = pair()
    sim.silence(b)
    send(a, b, 'anybody there?')
    sim.run(900_000)
    expect(a.protocol.got('disconnected')).toEqual([])
    sim.run(30_000)
    expect(a.protocol.got('disconnected')).toHaveLength(1)
  })

  it('breaks one delay after the process at the other end is killed', () => {
    const { sim, a, b } = pair()
    const before = sim.now
    sim.kill(b)
    sim.runUntil(() => a.protocol.got('disconnected').length === 1, 1_000)
    expect(sim.now - before).toBe(10)
  })

  it('to a killed process on the other side of a partition breaks after the mending', () => {
    const { sim, a, b } = pair()
    sim.partition([a], [b])
    sim.kill(b)
    sim.run(10_000)
    expect(a.protocol.got('disconnected')).toEqual([])
    sim.heal()
    sim.run(30_000)
    expect(a.protocol.got('disconnected')).toHaveLength(1)
  })

  it('given up by one end is reset when the other sends on it', () => {
    const { sim, a, b } = pair()
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
    const { sim, a, b } = pair()
    sim.cut(b, a)
    sim.kill(b)
    sim.run(930_000)
    expect(a.protocol.got('disconnected')).toEqual([])
    sim.mend(b, a)
    send(a, b, 'still there?')
    sim.run(1_000)
    expect(a.protocol.got('disconnected')).toHaveLength(1)
  })

  it('closed in the ordinary way is not reset besides', () => {
    const { sim, a, b } = pair()
    act(a, { type: 'disconnect', peer: b.id, reason: 'enough' })
    send(b, a, 'on its way')
    sim.run(5)
    const before = a.traffic.sent.of('set-up').messages
    sim.run(100)
    expect(a.traffic.sent.of('set-up').messages).toBe(before)
  })
})

describe('a path that a firewall rejects', () => {
  it('resets the sender, and the other end when that sends', () => {
    const { sim, a, b } = pair()
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

  it('refuses dials and host probes; those of the other way get no answer', () => {
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

  it('resets what was held while packets vanished on it', () => {
    const { sim, a, b } = pair()
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

  it('is mended when the last of the cuts that overlap on it ends', () => {
    const { sim, a, b } = pair()
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
