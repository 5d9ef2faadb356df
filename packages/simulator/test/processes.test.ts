import { describe, expect, it } from 'vitest'
import { constantDelay } from '../src/index.ts'
import { act, connect, puppets, send, texts } from './puppet.ts'

const network = { delay: constantDelay(10) }

describe('a process', () => {
  it('is woken once, at the time that it requested', () => {
    const sim = puppets()
    const a = sim.spawn()
    a.protocol.answer = (input, now) =>
      input.type === 'start'
        ? [
            { type: 'timer', at: now + 500 },
            { type: 'timer', at: now + 300 },
          ]
        : []
    sim.run(1_000)
    const [start, timer, ...more] = a.protocol.inputs
    expect((timer?.now ?? 0) - (start?.now ?? 0)).toBe(300)
    expect(more).toEqual([])
  })

  it('has a clock of its own', () => {
    const sim = puppets()
    const nodes = Array.from({ length: 5 }, () => sim.spawn())
    sim.run(1)
    expect(new Set(nodes.map((node) => node.protocol.inputs[0]?.now)).size).toBe(5)
  })

  for (const [how, pause, resume] of [
    ['stopped', 'stopProcess', 'continueProcess'],
    ['stalled', 'stall', undefined],
  ] as const) {
    it(`that was ${how} gets its late timer first, then all waiting inputs in order`, () => {
      const sim = puppets({ network })
      const [a, b] = [sim.spawn(), sim.spawn()]
      sim.run(1)
      connect(a, b)
      sim.run(100)
      act(b, { type: 'timer', at: (b.protocol.inputs.at(-1)?.now ?? 0) + 500 })
      const before = b.protocol.inputs.length
      sim[pause](b, 2_000)
      send(a, b, 'one')
      sim.run(1_000)
      send(a, b, 'two')
      act(a, { type: 'disconnect', peer: b.id, reason: 'enough' })
      sim.run(999)
      expect(b.protocol.inputs).toHaveLength(before)
      if (resume !== undefined) sim[resume](b)
      sim.run(1)
      expect(b.protocol.types().slice(before)).toEqual(['timer', 'frame', 'frame', 'disconnected'])
      expect(texts(b)).toEqual(['one', 'two'])
    })
  }

  it('that was killed sends and receives nothing more', () => {
    const sim = puppets({ network })
    const [a, b] = [sim.spawn(), sim.spawn()]
    sim.run(1)
    connect(a, b)
    sim.run(100)
    act(b, { type: 'timer', at: (b.protocol.inputs.at(-1)?.now ?? 0) + 50 })
    send(a, b, 'too late')
    const { protocol } = b
    const before = protocol.inputs.length
    sim.kill(b)
    sim.continueProcess(b)
    sim.run(1_000)
    expect(protocol.inputs).toHaveLength(before)
    expect(b.state).toBe('gone')
  })

  it('that is gone keeps no state', () => {
    const sim = puppets({ network })
    const node = sim.spawn()
    sim.kill(node)
    expect(() => node.protocol).toThrow('node 0 is gone, and what it knew with it')
  })

  it('that leaves sends its last frames before it ends', () => {
    const sim = puppets({ network })
    const [a, b] = [sim.spawn(), sim.spawn()]
    sim.run(1)
    connect(a, b)
    sim.run(100)
    b.protocol.answer = (input) => (input.type === 'command' ? [{ type: 'send', to: a.id, data: new TextEncoder().encode('bye') }] : [])
    sim.leave(b)
    sim.run(50)
    expect(texts(a)).toEqual(['bye'])
    expect(b.state).toBe('running')
    sim.run(100)
    expect(b.state).toBe('gone')
  })

  it('whose protocol fails ends, and reports the cause', () => {
    const sim = puppets()
    const a = sim.spawn()
    a.protocol.answer = () => [
      { type: 'fail', code: 'IDENTITY_IN_USE', message: 'somebody else' },
      { type: 'persist', incarnation: 9 },
    ]
    sim.run(1)
    expect(a.state).toBe('gone')
    expect(a.failure).toBe('IDENTITY_IN_USE: somebody else')
    expect(a.storedIncarnation).toBe(0)
  })
})
