import { createRandom, type Effect, type Input, type Milliseconds } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { cheapScheme, ed25519Scheme, forge, SimulationTimeoutError } from '../index.ts'
import { Puppet, puppets } from '../../test/puppet.ts'

/** Opens links, sends and publishes at random. */
class Chatterbox extends Puppet {
  readonly #linked: string[] = []

  override handle(input: Input, now: Milliseconds): Effect[] {
    const { random } = this.parts.services
    if (input.type === 'connected') this.#linked.push(input.peer)
    if (input.type === 'start') {
      return [
        ...input.introducers.map(({ address }): Effect => ({ type: 'connect', peer: undefined, addresses: [address] })),
        { type: 'timer', at: now + 10 },
      ]
    }
    if (input.type !== 'timer') return []
    const peer = this.#linked[Math.floor(random() * this.#linked.length)]
    const effects: Effect[] = [
      { type: 'timer', at: now + random() * 50 },
      { type: 'broadcast', data: Uint8Array.of(random() * 256, random() * 256) },
    ]
    if (peer !== undefined) effects.push({ type: 'send', to: peer, data: Uint8Array.of(random() * 256) })
    return effects
  }
}

function history(seed: number): { hash: string; events: number } {
  const sim = puppets({ seed, network: { loss: 0.05 }, gossip: { loss: 0.1 }, createProtocol: (parts) => new Chatterbox(parts) })
  const first = sim.spawn()
  const nodes = [first, ...Array.from({ length: 15 }, () => sim.spawn({ introducers: [first] }))]
  sim.run(300)
  for (const node of nodes.slice(3, 6)) sim.kill(node)
  sim.partition(nodes.slice(0, 8), nodes.slice(8))
  for (const node of nodes.slice(6, 8)) sim.stall(node, 400)
  sim.run(1_000)
  sim.heal()
  sim.run(1_000)
  return { hash: sim.traceHash, events: sim.events }
}

describe('a history', () => {
  it('follows from its seed', () => {
    const one = history(1)
    expect(one.events).toBeGreaterThan(1_000)
    expect(history(1)).toEqual(one)
    expect(history(2).hash).not.toBe(one.hash)
  })

  it('is the same on every machine', () => {
    expect(history(7)).toEqual({ hash: '57b4ff7bfdff540d', events: 6240 })
  })

  it('names its seed if an awaited event does not happen', () => {
    const sim = puppets({ seed: 5 })
    expect(() => sim.runUntil(() => false, 100, 'a miracle')).toThrow(SimulationTimeoutError)
    expect(() => sim.runUntil(() => false, 100, 'a miracle')).toThrow('seed 5: a miracle did not happen within 100 ms')
    expect(sim.now).toBe(200)
    expect(() => sim.runUntil(() => false, 15)).toThrow('within 15 ms')
  })
})

describe.each([
  ['cheap', cheapScheme],
  ['Ed25519', ed25519Scheme()],
])('%s signatures', (_name, scheme) => {
  it('hold for their signer and message only, and are the same for the same seed', () => {
    const [one, other] = [scheme.identity(1), scheme.identity(2)]
    const message = new TextEncoder().encode('so be it')
    const signature = one.sign(message)
    expect(signature).toHaveLength(64)
    expect(scheme.identity(1)).toMatchObject({ id: one.id })
    expect(one.id).toMatch(/^12D3KooW/)
    expect(scheme.verify(one.id, message, signature)).toBe(true)
    expect(scheme.verify(other.id, message, signature)).toBe(false)
    expect(scheme.verify('nobody', message, signature)).toBe(false)
    expect(scheme.verify(one.id, message.subarray(1), signature)).toBe(false)
    expect(scheme.verify(one.id, message, signature.subarray(1))).toBe(false)
    for (let i = 0; i < 64; i++)
      expect(
        scheme.verify(
          one.id,
          message,
          signature.map((byte, at) => (at === i ? byte ^ 1 : byte)),
        ),
      ).toBe(false)
  })
})

it('a cheap signature can be forged where a test needs a liar', () => {
  const { id } = cheapScheme.identity(3)
  const random = createRandom(1)
  const message = Uint8Array.from({ length: 33 }, () => random() * 256)
  expect(cheapScheme.verify(id, message, forge(id, message))).toBe(true)
})
