import { describe, expect, it } from 'vitest'
import { constantDelay } from '../index.ts'
import { act, puppets, send, type PuppetNode } from '../../test/puppet.ts'
import { star } from '../../test/star.ts'

const delay = constantDelay(10)

describe('traffic', () => {
  it('is counted by class with all its headers, the same at both ends', () => {
    const sim = puppets({ network: { delay } })
    const [a, b] = star(sim, {}, {}) as [PuppetNode, PuppetNode]
    const probe = Uint8Array.of(0x2a, 2, 8, 7)
    const candidacy = Uint8Array.of(0x22, 6, 0x0a, 4, 0x0a, 2, 0x08, 5)
    const join = Uint8Array.of(0x22, 6, 0x0a, 4, 0x0a, 2, 0x08, 1)
    for (const data of [probe, candidacy, join, Uint8Array.of(0xff)]) {
      act(a, { type: 'send', to: b.id, data })
      sim.run(1_000)
    }
    // 52 bytes of IP and TCP, 18 of Noise, 12 of yamux, 1 of length.
    expect(a.traffic.sent.of('probes')).toEqual({ messages: 1, bytes: 4 + 83 })
    expect(a.traffic.sent.of('elections')).toEqual({ messages: 1, bytes: 8 + 83 })
    expect(a.traffic.sent.of('statements')).toEqual({ messages: 1, bytes: 8 + 83 })
    expect(a.traffic.sent.of('other')).toEqual({ messages: 1, bytes: 1 + 83 })
    expect(a.traffic.sent.of('set-up').bytes).toBe(558 + 3 * 52 + 60)
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      expect(from.traffic.sent.bytes).toBe(to.traffic.received.bytes)
      expect(from.traffic.sent.messages).toBe(to.traffic.received.messages)
    }
  })

  it('that leaves in one tick shares headers', () => {
    const sim = puppets({ network: { delay } })
    const [a, b] = star(sim, {}, {}) as [PuppetNode, PuppetNode]
    const probe = { type: 'send', to: b.id, data: Uint8Array.of(0x2a, 2, 8, 7) } as const
    act(a, probe, probe)
    expect(a.traffic.sent.of('probes').bytes).toBe(4 + 83 + 4 + 1)
  })

  it('without a timely answer is acknowledged by a separate packet', () => {
    const sim = puppets({ network: { delay } })
    const [a, b] = star(sim, {}, {}) as [PuppetNode, PuppetNode]
    const count = (): number => b.traffic.sent.of('acknowledgements').messages
    const before = count()
    send(a, b, 'one')
    sim.run(20)
    send(b, a, 'answered at once')
    sim.run(1_000)
    expect(count() - before).toBeLessThanOrEqual(1)
    const answered = count()
    send(a, b, 'two')
    sim.run(1_000)
    send(b, a, 'answered late')
    expect(count() - answered).toBe(1)
  })
})
