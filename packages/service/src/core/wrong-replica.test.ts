import { describe, expect, it } from 'vitest'
import { start } from '../../test/promises.ts'

describe('replicas of which one is wrong, or asks too much', () => {
  it('do not count one whose results are wrong, and never take its state while another lives', () => {
    for (const isKilled of [true, false]) {
      let [wrong, made] = [0, 0]
      const initial = Array.from({ length: 10 }, () => 'x'.repeat(300_000))
      const world = start({
        members: 3,
        seed: 3,
        initial,
        apply: (state, operation, _, self) => {
          if (self === 'm1' && operation === 'bad' && wrong++ === 0) return [[...(state as string[]), 'WRONG'], -1]
          return [[...(state as string[]), operation as string], (state as string[]).length + 1]
        },
      })
      world.onSent = ({ type }) => void (type === 'fetch' && made++)
      const bad = world.operate('c', 'bad')
      world.pass(20_000, () => world.notices.includes('DIVERGED'))
      expect(world.primaries[0]?.replica.backups).toContain('m2')
      if (isKilled) world.kill((world.primaries[0] as { id: string }).id)
      world.pass(10_000)
      for (let at = 0; at < 3; at++) world.operate('c', `k${at}`)
      world.pass(10_000)
      expect(bad.answer).toEqual({ result: '11' })
      expect(wrong).toBe(1)
      expect(made).toBeLessThan(100)
      for (const { replica } of world.alive) expect((replica.state as string[]).slice(10).toSorted()).toEqual(['bad', 'k0', 'k1', 'k2'])
      expect(world.primaries[0]?.replica.backups.length).toBe(isKilled ? 1 : 2)
    }
  })

  it('take rarer and rarer snapshots if one is always wrong, and do not wait for it', () => {
    let begun = 0
    const world = start({
      members: 3,
      seed: 3,
      apply: (state, operation, _, self) => [
        [...(state as string[]), operation as string],
        self === 'm2' ? -1 : (state as string[]).length,
      ],
    })
    world.onSent = (message) => void (message.type === 'fetch' && message.offset === 0 && begun++)
    const all = Array.from({ length: 200 }, (_, at) => at)
    for (const at of all) world.after(at * 100, () => void world.operate('c', `k${at}`))
    world.pass(21_000)
    expect(world.operations.filter(({ answer }) => answer === undefined)).toEqual([])
    expect(world.notices).not.toContain('SLOW_REPLICA')
    expect(begun).toBeGreaterThan(1)
    expect(begun).toBeLessThan(8)
  })

  it('send one that asks for snapshots all the time two in a second', () => {
    const world = start({ members: 4, seed: 3 })
    const [primary] = world.primaries
    let pieces = 0
    world.onSent = ({ type }) => void (type === 'piece' && pieces++)
    const reign = primary?.replica.reign
    for (let at = 0; at < 300; at++)
      world.after(at * 10, () =>
        world.feed(primary as never, { type: 'message', from: 'm3', message: { type: 'fetch', reign: reign as never, offset: 0 } }),
      )
    world.pass(3000)
    expect(pieces).toBeGreaterThan(0)
    expect(pieces).toBeLessThanOrEqual(8)
  })
})
