import { describe, expect, it } from 'vitest'
import { SEEDS, check, keysIn, load, start } from '../../test/promises.ts'
import { World } from '../../test/world.ts'

describe('the replicas on two sides of a partition', () => {
  it.each(SEEDS)('have one state after a partition, and report each operation whose result is another one, seed %i', (seed) => {
    const world = start({ members: 6, seed, doubleWinners: 0.3 })
    load(world, 60, 8000, () => world.between(0, 2))
    world.pass(world.between(300, 1500))
    for (let at = 0; at < 2; at++) {
      const ids = world.alive.map(({ id }) => id).filter(() => world.random() < 0.5)
      world.cut(ids)
      world.pass(world.between(100, 3000))
      if (world.random() < 0.4 && world.primaries.length > 1) world.kill((world.primaries[0] as { id: string }).id)
      world.pass(world.between(0, 1000))
      world.heal()
      world.pass(world.between(50, 2000))
    }
    world.pass(40_000)
    check(world)
  })

  it('that began on two sides at once take the state of one, and apply the operations of the other again', () => {
    const world = new World({ members: 4, seed: 3, alone: true })
    world.cut(['m1', 'm3'])
    world.pass(15_000, () => world.primaries.length === 2)
    for (let at = 0; at < 10; at++) world.operate('c', `k${at}`, at % 2)
    world.pass(3000)
    expect(world.operations.every(({ answer }) => answer !== undefined && 'result' in answer)).toBe(true)
    world.heal()
    world.pass(5000)
    check(world)
    expect(new Set(keysIn(world)).size).toBe(10)
    expect(world.reapplied.length).toBeGreaterThan(0)
  })

  it('tell each caller, wherever after the heal a primary is killed', () => {
    let told = 0
    for (const victim of [0, -1])
      for (let boundary = 1; boundary <= 60; boundary++) {
        const world = start({ members: 6, seed: 7 })
        world.cut(['m1', 'm4', 'm5'])
        world.pass(8000, () => world.primaries.length === 2 && world.primaries.every(({ replica }) => replica.backups.length > 1))
        for (let at = 0; at < 8; at++) world.operate(`c${at}`, `k${at}`, at % 2)
        world.pass(3000)
        const before = world.delivered
        world.onDelivered = () => {
          const dying = world.delivered === before + boundary ? world.primaries.at(victim) : undefined
          if (dying !== undefined) world.kill(dying.id)
        }
        world.heal()
        world.pass(20_000)
        check(world)
        told += world.reapplied.length
      }
    expect(told).toBeGreaterThan(0)
  })

  it('refuse nothing if a partition ends soon, though one has no backup meanwhile', () => {
    const world = start({ members: 3, seed: 9 })
    const [primary] = world.primaries
    world.cut(world.alive.filter((each) => each !== primary).map(({ id }) => id))
    world.pass(500)
    const operation = world.operate('c', 'k')
    world.pass(1500)
    expect(operation.answer).toBeUndefined()
    world.heal()
    world.pass(5000)
    expect(operation.answer).toEqual({ result: expect.any(String) })
    check(world)
  })

  it('wait five seconds after the death of all others, and from then on refuse at once', () => {
    const world = start({ members: 3, seed: 9 })
    const [primary] = world.primaries
    world.operate('c', 'before')
    world.pass(1000)
    for (const { id } of world.alive) if (id !== primary?.id) world.kill(id)
    world.pass(500)
    const first = world.operate('c', 'first')
    world.pass(4000)
    expect(first.answer).toBeUndefined()
    world.pass(2000)
    expect(first.answer).toMatchObject({ error: { code: 'DEGRADED' } })
    world.pass(5000)
    const second = world.operate('c', 'second')
    world.pass(50)
    expect(second.answer).toMatchObject({ error: { code: 'DEGRADED' } })
    // A newcomer will be a backup soon.
    const newcomer = world.join()
    world.stop(newcomer)
    world.pass(400)
    const third = world.operate('c', 'third')
    world.pass(3000)
    expect(third.answer).toBeUndefined()
    world.stop(newcomer, false)
    world.pass(5000)
    expect(third.answer).toEqual({ result: expect.any(String) })
  })

  it('tell a caller of the operation that it sent, though the program has changed it', () => {
    const world = new World({
      members: 4,
      seed: 3,
      alone: true,
      apply: (state, operation) => {
        const [keys, { list }] = [state as string[], operation as { list: string[] }]
        keys.push(list.splice(0).join())
        return [keys, keys.length]
      },
    })
    world.cut(['m1', 'm3'])
    world.pass(15_000, () => world.primaries.length === 2)
    for (let at = 0; at < 4; at++) world.operate('c', `k${at}`, at % 2, { list: ['x'] })
    world.pass(3000)
    world.heal()
    world.pass(5000)
    expect(world.reapplied.length).toBeGreaterThan(0)
    for (const { operation } of world.reapplied) expect(operation).toEqual({ list: ['x'] })
  })

  it.each(SEEDS.slice(0, 20))('join their states after a partition if the service can, seed %i', (seed) => {
    const merge = (ours: unknown, theirs: unknown): string[] => [...new Set([...(ours as string[]), ...(theirs as string[])])]
    const world = start({ members: 6, seed, merge })
    load(world, 30, 3000, () => world.between(0, 2))
    world.cut(['m0', 'm4', 'm5'])
    world.pass(4000)
    world.heal()
    world.pass(20_000)
    expect(world.primaries.length).toBe(1)
    for (const { replica } of world.alive) if (replica.role === 'backup') expect(replica.state).toEqual(keysIn(world))
    for (const { key, answer } of world.operations) if (answer !== undefined) expect(keysIn(world)).toContain(key)
    expect(world.notices).toContain('MERGED')
    expect(world.reapplied).toEqual([])
  })

  it('displace nobody for a newcomer, and let go those that are too many after a partition', () => {
    const world = start({ members: 6, seed: 6 })
    const [primary] = world.primaries
    world.join()
    world.pass(3000)
    expect(world.primaries[0]).toBe(primary)
    world.cut(['m3', 'm4', 'm5'])
    world.pass(6000)
    expect(world.alive.filter(({ replica }) => replica.role !== 'spare').length).toBe(6)
    world.operate('c', 'k')
    world.heal()
    world.pass(20_000)
    expect(world.alive.filter(({ replica }) => replica.role !== 'spare').length).toBeLessThanOrEqual(4)
    check(world)
  })

  it.each([true, false])('keep all operations if a merge fails, in a takeover: %s', (isTakeover) => {
    const merge = (ours: unknown, theirs: unknown): unknown => {
      ;(ours as string[]).length = 0
      ;(theirs as string[]).length = 0
      throw new Error('merge broke')
    }
    let failed = 0
    for (let seed = 1; seed <= 8; seed++) {
      const world = start({ members: 4, seed, alone: true, merge })
      world.cut(['m2'])
      world.pass(2000)
      world.kill('m0')
      world.pass(8000)
      for (let at = 0; at < 12; at++) world.operate('c', `k${at}`, at % 3 === 0 ? 1 : 0)
      world.pass(2000)
      if (isTakeover) world.kill('m1')
      world.heal()
      world.pass(20_000)
      failed += world.notices.filter((code) => code === 'MERGE_FAILED').length
      expect(world.notices).not.toContain('OPERATIONS_LOST')
      check(world)
    }
    expect(failed).toBeGreaterThan(2)
  })
})
