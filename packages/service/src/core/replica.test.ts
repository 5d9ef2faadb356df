import { describe, expect, it } from 'vitest'
import { SEEDS, check, keysIn, load, start } from '../../test/promises.ts'
import { World } from '../../test/world.ts'

describe('the replicas of a service', () => {
  it.each(SEEDS)('lose no acknowledged operation and apply each once when members are killed, seed %i', (seed) => {
    const world = start({ members: 5, seed, doubleWinners: 0.5 })
    load(world, 40, 6000)
    for (let at = 0; at < 3; at++) {
      world.pass(world.between(200, 2500))
      const standing = world.alive.filter(({ replica }) => replica.role !== 'spare')
      const victim = world.random() < 0.6 ? world.primaries[0] : standing[world.between(0, standing.length)]
      if (victim !== undefined) world.kill(victim.id)
      if (world.random() < 0.3) world.join()
    }
    world.pass(30_000)
    check(world)
    expect(world.operations.filter(({ answer }) => answer === undefined || !('result' in answer))).toEqual([])
    // Nothing was cut, so nothing is applied in another order than was answered.
    const keys = keysIn(world)
    const kept = world.operations.filter(({ having }) => having.some((id) => world.node(id).isAlive))
    for (const { key, answer } of kept) expect([key, answer]).toEqual([key, { result: String(keys.indexOf(key) + 1) }])
  })

  it('lose nothing wherever in the exchange of messages a member is killed', () => {
    for (const victims of [['m0'], ['m1'], ['m0', 'm1']]) {
      for (let boundary = 1, isOver = false; !isOver; boundary++) {
        const world = start({ members: 4, seed: 7 })
        const before = world.delivered
        load(world, 6, 60)
        world.onDelivered = () => {
          if (world.delivered === before + boundary) for (const id of victims) world.kill(id)
        }
        world.pass(10_000)
        isOver = world.delivered < before + boundary || boundary > 60
        expect(world.operations.map(({ answer }) => answer)).toEqual(world.operations.map(() => ({ result: expect.any(String) })))
        check(world)
      }
    }
  })

  it('give a service one time, whatever their calendars say', () => {
    const times: number[] = []
    const world = new World({
      members: 4,
      seed: 5,
      apply: (state, operation, { now }) => {
        times.push(now)
        return [state, now]
      },
    })
    world.pass(20_000, () => world.primaries.some(({ replica }) => replica.backups.length === 2))
    const results: number[] = []
    for (let at = 0; at < 6; at++) {
      const operation = world.operate('c', `k${at}`)
      world.pass(5000, () => operation.answer !== undefined)
      results.push(Number((operation.answer as { result: string }).result), world.now)
      if (at % 2 === 1 && at < 4) world.kill((world.primaries[0] as { id: string }).id)
      world.pass(1000)
    }
    // The service's time passes as fast as the clock, though calendars are up to two hours apart.
    for (let at = 2; at < results.length; at += 2) {
      const [passed, should] = [(results[at] as number) - (results[0] as number), (results[at + 1] as number) - (results[1] as number)]
      expect(Math.abs(passed - should)).toBeLessThan(700)
    }
  })

  it('refuse operations without a backup, in a minority if the service says so, and answer a known key', () => {
    const world = new World({ members: 1, seed: 1 })
    world.pass(3000)
    expect(world.primaries.length).toBe(1)
    const refused = world.operate('c', 'k')
    world.pass(1000)
    expect(refused.answer).toMatchObject({ error: { code: 'DEGRADED' } })
    const cut = start({ members: 3, seed: 2, refusesInMinority: true })
    const first = cut.operate('c', 'k')
    cut.pass(1000)
    const [primary] = cut.primaries
    cut.feed(primary as never, { type: 'minority', minority: true })
    const [again, second] = [cut.operate('c', 'k'), cut.operate('c', 'other')]
    cut.pass(1000)
    expect(again.answer).toEqual(first.answer)
    expect(second.answer).toMatchObject({ error: { code: 'IN_MINORITY' } })
  })

  it('do not wait for one that is alive and silent for longer than five seconds', () => {
    const world = start({ members: 3, seed: 4 })
    const silent = world.node('m2')
    world.stop(silent.id)
    const operation = world.operate('c', 'k')
    world.pass(3000)
    expect(operation.answer).toBeUndefined()
    world.pass(4000)
    expect(operation.answer).toEqual({ result: '1' })
    expect(world.notices).toContain('SLOW_REPLICA')
    world.stop(silent.id, false)
    world.pass(2000)
    expect(silent.replica.state).toEqual(['k'])
    expect(world.primaries[0]?.replica.backups.length).toBe(2)
  })

  it('wake for nothing at rest, and then wait for a silent one as long as ever', () => {
    const world = start({ members: 4, seed: 4 })
    world.operate('c', 'k')
    world.pass(5000)
    expect(world.nodes.map(({ wake }) => wake)).toEqual([Infinity, Infinity, Infinity, Infinity])
    world.pass(60_000)
    world.stop('m2')
    const operation = world.operate('c', 'other')
    world.pass(3000)
    expect(operation.answer).toBeUndefined()
    world.pass(4000)
    expect(operation.answer).toEqual({ result: '2' })
    world.stop('m2', false)
    world.pass(5000)
    expect(world.primaries[0]?.replica.backups.length).toBe(2)
    expect(world.nodes.map(({ wake }) => wake)).toEqual([Infinity, Infinity, Infinity, Infinity])
  })

  it('refuse a call without another input once its backup has been gone for five seconds', () => {
    const world = new World({ members: 2, seed: 4 })
    world.pass(60_000)
    const { replica } = world.primaries[0] as (typeof world.nodes)[number]
    world.kill(replica.backups[0] as string)
    world.pass(1000)
    const begin = world.now
    let now = begin
    let effects = replica.handle({ type: 'call', call: 1, caller: 'c', key: 'k', operation: 'k' }, now)
    for (let count = 0; count < 100 && !effects.some(({ type }) => type === 'answer'); count++) {
      now = effects.find((effect) => effect.type === 'timer')?.at ?? Infinity
      effects = replica.handle({ type: 'timer' }, now)
    }
    expect(effects).toContainEqual(expect.objectContaining({ answer: { error: expect.objectContaining({ code: 'DEGRADED' }) } }))
    expect(now - begin).toBeLessThan(6000)
  })

  it('wait for the next backup after one has ended its service', () => {
    const world = new World({ members: 3, seed: 4, replicas: 2 })
    world.pass(60_000)
    const [primary] = world.primaries
    const [backup] = primary?.replica.backups ?? []
    expect(backup).toBeDefined()
    const ended = world.node(backup as string)
    // The last instance gets the state a little later.
    world.stop('m2')
    world.feed(ended, { type: 'close' })
    for (const node of world.nodes) {
      node.view.delete(ended.id)
      world.feed(node, { type: 'instances', ids: [...node.view] })
    }
    ended.isAlive = false
    const operation = world.operate('c', 'k')
    world.pass(1000)
    expect(operation.answer).toBeUndefined()
    world.stop('m2', false)
    world.pass(3000)
    expect(operation.answer).toEqual({ result: '1' })
  })

  it('answer others after an operation that throws a value without a text', () => {
    const world = start({
      members: 3,
      seed: 3,
      apply: (state, operation) => {
        if (operation === 'bad') throw Object.create(null)
        return [state, operation]
      },
    })
    const [bad, good] = [world.operate('c', 'bad'), world.operate('c', 'good')]
    world.pass(3000)
    expect(bad.answer).toMatchObject({ error: { code: 'CALL_FAILED' } })
    expect(good.answer).toEqual({ result: '"good"' })
  })

  it('bring a newcomer up to date while operations go on', () => {
    // A snapshot has many pieces, and takes longer than an acknowledgement.
    const world = start({ members: 3, seed: 8, initial: Array.from({ length: 10 }, () => 'x'.repeat(1_000_000)) })
    let count = 0
    const more = (): void => {
      world.operate('c', `k${count++}`)
      if (count < 1500) world.after(2, more)
    }
    more()
    world.pass(300)
    world.kill('m2', false)
    const next = world.join()
    world.pass(2000)
    expect(count).toBeLessThan(1500)
    expect(world.primaries[0]?.replica.backups).toContain(next)
  })
})
