import { describe, expect, it } from 'vitest'
import { constantDelay } from './index.ts'
import { puppets, send, texts, type PuppetNode } from '../test/puppet.ts'
import { arrival, star } from '../test/star.ts'

const delay = constantDelay(10)

describe('the path between two nodes', () => {
  it('that is cut one way goes on carrying the other way', () => {
    const sim = puppets({ network: { delay } })
    const [a, b] = star(sim, {}, {}) as [PuppetNode, PuppetNode]
    sim.cut(a, b)
    send(a, b, 'there')
    send(b, a, 'back')
    sim.run(5_000)
    expect([texts(a), texts(b)]).toEqual([['back'], []])
  })

  it('that flaps carries some frames while it is up, and all of them after the flapping', () => {
    const sim = puppets({ network: { delay } })
    const [a, b] = star(sim, {}, {}) as [PuppetNode, PuppetNode]
    sim.flap(a, b, { down: 1_000, up: 500, duration: 10_000 })
    const heard: number[] = []
    for (let second = 0; second < 12; second++) {
      sim.run(1_000)
      send(a, b, String(second))
      heard.push(texts(b).length)
    }
    expect(heard[0]).toBe(0)
    expect(heard.at(-3)).toBeGreaterThan(2)
    sim.run(5_000)
    expect(texts(b)).toEqual(Array.from({ length: 12 }, (_, second) => String(second)))
    send(a, b, 'calm')
    expect(arrival(sim, b, 13)).toBeCloseTo(10)
  })

  it('on a bad line has more loss and lag than others', () => {
    const sim = puppets({ network: { delay } })
    const [a, bad, good] = star(sim, {}, {}, {}) as [PuppetNode, PuppetNode, PuppetNode]
    sim.impair(bad, { loss: 0.8, lag: 100 })
    send(a, good, 'x')
    send(a, bad, 'x')
    expect(arrival(sim, good)).toBeCloseTo(10)
    sim.run(60_000)
    for (let i = 0; i < 50; i++) send(a, bad, 'x')
    expect(arrival(sim, bad, 51)).toBeGreaterThan(1_000)
    sim.impair(bad, {})
    send(a, bad, 'x')
    expect(arrival(sim, bad, 52)).toBeCloseTo(10)
  })
})
