import { joinPool, type Pool } from '@jel/jel'
import { monitor } from '@jel/monitor'
import { afterEach, describe, expect, it } from 'vitest'
import { allocator, type Allocator, type Group } from '../src/index.ts'

const pools: Pool[] = []
afterEach(async () => void (await Promise.all(pools.splice(0).map(async (pool) => await pool.leave()))))

let count = 0
async function allocators(number: number, sites = 2, suffix = ''): Promise<Allocator[]> {
  const name = `grouped-${process.pid}-${count++}`
  const made: Allocator[] = []
  for (let at = 0; at < number; at++) {
    const bootstrap = pools.slice(0, 1).flatMap(({ self }) => self.addresses)
    const location = `n${at}@site${at % sites}${suffix}`
    const pool = await joinPool(name, { listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, bootstrap, location })
    pools.push(pool)
    made.push(await allocator(pool, await monitor(pool)))
  }
  for (const pool of pools) await expect.poll(() => pool.members().length).toBe(number)
  return made
}

const sum = (a: number, b: number): number => a + b

describe('a group', () => {
  it('starts on all of its members, which talk as one program', async () => {
    const all = await allocators(6)
    for (const each of all)
      each.program('talk', async (group, input) => {
        const { rank, size } = group
        await group.send((rank + 1) % size, new TextEncoder().encode(`from ${rank}`), 7)
        const { from, bytes } = await group.receive({ tag: 7 })
        await group.barrier()
        return {
          rank,
          input,
          from,
          text: new TextDecoder().decode(bytes),
          sum: await group.allReduce(rank, sum),
          order: await group.reduce(`${rank}`, (a, b) => a + b, 2),
          all: await group.gather(rank * rank, 1),
          array: await group.broadcast(rank === 3 ? Float64Array.of(1.5, -2) : undefined, 3),
        }
      })
    const run = await (all[0] as Allocator).group('talk', { count: 5, input: { n: 1 } })
    const outcomes = await run.ended
    expect(run.members).toHaveLength(5)
    // Ranks of a site are neighbours.
    const sites = run.members.map((id) => pools.findIndex(({ self }) => self.id === id) % 2)
    expect(sites).toEqual(sites.toSorted((a, b) => a - b))
    expect(outcomes).toEqual(
      outcomes.map((_, rank) => ({
        value: {
          rank,
          input: { n: 1 },
          from: (rank + 4) % 5,
          text: `from ${(rank + 4) % 5}`,
          sum: 10,
          ...(rank === 2 && { order: '01234' }),
          ...(rank === 1 && { all: [0, 1, 4, 9, 16] }),
          array: { 0: 1.5, 1: -2 },
        },
      })),
    )
    // All give back what they held.
    for (const pool of pools) await expect.poll(async () => (await all[1]?.leasesOf(pool.self))?.leases).toEqual([])
  })

  it('has several ranks on a member that takes so many, which talk and end as others do', async () => {
    const all = await allocators(2)
    for (const each of all) {
      each.offer('ranks', 3)
      each.program('p', async (group) => {
        const { rank, size } = group
        await group.send((rank + 1) % size, Uint8Array.of(rank))
        const { from, bytes } = await group.receive()
        const all = await group.allReduce([rank], (a, b) => [...a, ...b])
        if (rank === 1) throw new Error('broken')
        await group.receive({ from: 1 }).catch(() => {})
        const rest = await group.shrink()
        return [from, bytes[0], all, await rest.allReduce(`${rank}`, (a, b) => a + b)]
      })
    }
    const run = await (all[0] as Allocator).group('p', { count: 6 })
    const [first, last] = [run.members[0], run.members[5]]
    expect(run.members).toEqual([first, first, first, last, last, last])
    expect(await run.ended).toEqual(
      [0, 1, 2, 3, 4, 5].map((rank) =>
        rank === 1 ? { error: 'broken' } : { value: [(rank + 5) % 6, (rank + 5) % 6, [0, 1, 2, 3, 4, 5], '02345'] },
      ),
    )
    for (const pool of pools) await expect.poll(async () => (await all[1]?.leasesOf(pool.self))?.leases).toEqual([])
    await expect((all[1] as Allocator).group('p', { count: 7 })).rejects.toMatchObject({
      message: '7 ranks wanted, the members can take 6',
    })
  })

  it('grows: newcomers join when all ranks ask for it, and begin with the group', async () => {
    const all = await allocators(4)
    const [first] = all as [Allocator]
    /** Takes steps until there are enough ranks, and gives what it has to newcomers. */
    const program = async (group: Group, input: unknown): Promise<unknown> => {
      let now = group
      let steps = 0
      for (;;) {
        steps = ((await now.broadcast(steps)) as number) + 1
        await new Promise((resolve) => setTimeout(resolve, 20))
        if ((await now.allReduce(now.size, Math.max)) === input) break
        now = await now.regroup()
      }
      return [now.rank, now.size, group.rank, group.epoch > 0, steps > 5, await now.allReduce(now.rank, sum)]
    }
    for (const each of all.slice(0, 2)) each.program('p', program)
    const run = await first.group('p', { count: 4, grow: true, input: 4 })
    expect(run.members).toHaveLength(2)
    setTimeout(() => all.slice(2).forEach((each) => each.program('p', program)), 300)
    expect(await run.ended).toEqual([
      { value: [0, 4, 0, false, true, 6] },
      { value: [1, 4, 1, false, true, 6] },
      { value: [2, 4, 2, true, true, 6] },
      { value: [3, 4, expect.any(Number), true, true, 6] },
    ])
    expect(new Set(run.members).size).toBe(4)
    for (const pool of pools) await expect.poll(async () => (await first.leasesOf(pool.self)).leases).toEqual([])
  })

  it('has the same tree at all ranks, also at one that has not yet heard of the sites of others', async () => {
    const all = await allocators(5)
    for (const each of all) each.program('p', async (group) => await group.allReduce(group.rank, sum))
    const last = pools[4] as Pool
    const { members } = last
    Object.assign(last, { members: () => members.call(last).map((each) => ({ ...each, location: '' })) })
    const run = await (all[0] as Allocator).group('p', { count: 5 })
    const hang = setTimeout(() => run.stop(), 4000)
    expect(await run.ended).toEqual([0, 1, 2, 3, 4].map(() => ({ value: 10 })))
    clearTimeout(hang)
  })

  it('regroups with the same ranks if it does not grow, and ends no call of others meanwhile', async () => {
    const all = await allocators(3)
    for (const each of all)
      each.program('p', async (group) => {
        if (group.rank === 0) {
          const next = group.regroup()
          await new Promise((resolve) => setTimeout(resolve, 200))
          await group.send(1, Uint8Array.of(7))
          return (await next).epoch
        }
        if (group.rank === 1) await group.receive({ from: 0 })
        return (await group.regroup()).epoch
      })
    expect(await (await (all[0] as Allocator).group('p', { count: 3 })).ended).toEqual([{ value: 1 }, { value: 1 }, { value: 1 }])
  })

  it('starts with an input that is full of quotes, which a message about the group doubles', async () => {
    const all = await allocators(2)
    for (const each of all) each.program('p', (_, input) => (input as string).length)
    const run = await (all[0] as Allocator).group('p', { count: 2, input: '"'.repeat(520_000) })
    expect(await run.ended).toEqual([{ value: 520_000 }, { value: 520_000 }])
  })

  it('starts at sites with long names', async () => {
    const all = await allocators(2, 2, '"'.repeat(240))
    for (const each of all) each.program('p', (group) => group.members.length)
    const run = await (all[0] as Allocator).group('p', { count: 2 })
    expect(await run.ended).toEqual([{ value: 2 }, { value: 2 }])
  })

  it('rejects output that is too long for a message, and goes on', async () => {
    const all = await allocators(2)
    for (const each of all)
      each.program('p', async (_group, _input, { output }) => {
        await output('stdout', 'x'.repeat(65_536))
        await output('stdout', 'y'.repeat(65_537)).catch(async (error: unknown) => await output('stderr', String(error)))
      })
    const run = await (all[0] as Allocator).group('p', { count: 1, ids: [pools[1]?.self.id as string] })
    const got: string[] = []
    run.onOutput(({ stream, text }) => got.push(stream === 'stderr' ? text : `${text.length}`))
    await run.ended
    expect(got).toEqual(['65536', 'RangeError: the output has 65537 characters; at most 65536 are allowed'])
  })

  it('names the reason if too few members can take a rank', async () => {
    const all = await allocators(3)
    for (const each of all.slice(0, 2)) each.program('p', () => 1)
    await expect((all[2] as Allocator).group('p', { count: 2, where: 'gpus >= 1' })).rejects.toMatchObject({
      code: 'NEVER',
      message: '2 wanted, 0 match (gpus >= 1: 0 of 3, unknown of 3)',
    })
    await expect((all[2] as Allocator).group('p', { count: 3 })).rejects.toMatchObject({
      code: 'NEVER',
      message: '3 ranks wanted, the members can take 2 (1: takes no ranks of p from this member)',
    })
  })

  it('waits for a group that has its members, and starts after it', async () => {
    const all = await allocators(3)
    for (const each of all) each.program('p', async (_, input) => await new Promise((resolve) => setTimeout(() => resolve(input), 300)))
    const runs = await Promise.all(all.map(async (each, at) => await (await each.group('p', { count: 2, input: at })).ended))
    expect(runs).toEqual([0, 1, 2].map((value) => [{ value }, { value }]))
  })

  it('rejects the calls of all ranks when one dies, and goes on without it', async () => {
    const all = await allocators(5)
    const groups: Group[] = []
    for (const each of all)
      each.program('p', async (group) => {
        groups.push(group)
        if (group.rank === 0) await new Promise(() => {})
        const pending = [group.receive({ from: 0 }), group.receive(), group.allReduce(1, sum)]
        const codes = (await Promise.allSettled(pending)).map((each) =>
          each.status === 'rejected' ? (each.reason as { code: string }).code : 'ok',
        )
        const next = await group.shrink()
        await expect(group.send(1, new Uint8Array(1))).rejects.toMatchObject({ code: 'REVOKED' })
        return { codes, epoch: next.epoch, sum: await next.allReduce(next.rank, sum), size: next.size }
      })
    const run = await (all[4] as Allocator).group('p', { count: 4, ids: pools.slice(0, 4).map(({ self }) => self.id) })
    await expect.poll(() => groups.length).toBe(4)
    const first = pools.find(({ self }) => self.id === run.members[0]) as Pool
    await first.leave()
    const [lost, ...rest] = await run.ended
    expect(lost).toEqual({ error: 'RANK_LOST: it left' })
    for (const each of rest) expect(each).toEqual({ value: { codes: ['RANK_LOST', 'RANK_LOST', 'RANK_LOST'], epoch: 1, sum: 3, size: 3 } })
  })

  it.each([0, 1, 2, 3])('goes on without rank %i, whose program has ended although its member lives', async (broken) => {
    const all = await allocators(4)
    for (const each of all)
      each.program('p', async (group) => {
        try {
          await group.barrier()
          if (group.rank === broken) throw new Error('broken')
          await new Promise((resolve) => setTimeout(resolve, group.rank * 20))
          return await group.allReduce(1, sum)
        } catch (error) {
          if (group.rank === broken) throw error
          const rest = await group.shrink()
          return await rest.allReduce(1, sum)
        }
      })
    const outcomes = await (await (all[0] as Allocator).group('p', { count: 4 })).ended
    expect(outcomes).toEqual([0, 1, 2, 3].map((rank) => (rank === broken ? { error: 'broken' } : { value: 3 })))
  })

  it('rejects calls that wait for a rank whose program has ended', async () => {
    const all = await allocators(2)
    for (const each of all)
      each.program('p', async (group) => {
        if (group.rank === 1) throw new Error('broken')
        await group.receive({ from: 1 })
      })
    const run = await (all[0] as Allocator).group('p', { count: 2 })
    expect(await run.ended).toEqual([{ error: expect.stringMatching(/^RANK_LOST: rank 1 .* its program has ended/u) }, { error: 'broken' }])
  })

  it('takes the last message of a rank whose program has ended, however late it comes', async () => {
    const all = await allocators(2)
    for (const pool of pools) {
      const open = pool.open.bind(pool)
      pool.open = async (...args) => {
        if (args[1].includes('group-data')) await new Promise((resolve) => setTimeout(resolve, 2500))
        return await open(...args)
      }
    }
    for (const each of all)
      each.program('p', async (group) => {
        if (group.rank === 0) {
          await group.send(1, Uint8Array.of(7))
          return undefined
        }
        const { bytes } = await group.receive({ from: 0 })
        return [bytes[0], await group.receive({ from: 0 }).catch((error: unknown) => (error as { code: string }).code)]
      })
    const run = await (all[0] as Allocator).group('p', { count: 2 })
    expect(await run.ended).toEqual([{ value: null }, { value: [7, 'RANK_LOST'] }])
  })

  it('can be stopped, and can be given up before it starts', async () => {
    const all = await allocators(2)
    for (const each of all) each.program('p', async (group) => await group.receive())
    const run = await (all[0] as Allocator).group('p', { count: 2 })
    await expect((all[1] as Allocator).group('p', { count: 2, timeout: 200 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    const giving = (all[1] as Allocator).group('p', { count: 2, signal: AbortSignal.timeout(100) })
    await expect(giving).rejects.toMatchObject({ code: 'STOPPED' })
    run.stop()
    expect(await run.ended).toEqual([{ error: 'STOPPED: the group was stopped' }, { error: 'STOPPED: the group was stopped' }])
    const next = await (all[1] as Allocator).group('p', { count: 2 })
    next.stop()
    await next.ended
  })

  it('carries large messages to a rank that reads slowly', async () => {
    const all = await allocators(2)
    for (const each of all)
      each.program('p', async (group) => {
        if (group.rank === 0) for (let at = 0; at < 20; at++) await group.send(1, new Uint8Array(2_000_000).fill(at))
        else {
          await new Promise((resolve) => setTimeout(resolve, 300))
          for (let at = 0; at < 20; at++) {
            const { bytes } = await group.receive({ from: 0 })
            if (bytes.length !== 2_000_000 || bytes.some((each) => each !== at)) throw new Error(`message ${at} is wrong`)
          }
        }
        return group.rank
      })
    expect(await (await (all[0] as Allocator).group('p', { count: 2 })).ended).toEqual([{ value: 0 }, { value: 1 }])
  })

  it('carries several of the largest messages at once', async () => {
    const all = await allocators(2)
    for (const each of all)
      each.program('p', async (group) => {
        const sizes: number[] = []
        if (group.rank === 0) await Promise.all([1, 2, 3].map(async (tag) => await group.send(1, new Uint8Array(8 * 1_048_576), tag)))
        else for (let at = 0; at < 3; at++) sizes.push((await group.receive({ from: 0 })).bytes.length)
        return sizes
      })
    const run = await (all[0] as Allocator).group('p', { count: 2 })
    expect(await run.ended).toEqual([{ value: [] }, { value: [8_388_608, 8_388_608, 8_388_608] }])
  })

  it('goes on in the next epoch although a rank reads nothing of the former one', async () => {
    const all = await allocators(3)
    for (const each of all)
      each.program('p', async (group) => {
        if (group.rank === 2) return 'gone'
        const large = new Uint8Array(4 * 1_048_576)
        // The other rank never receives these.
        if (group.rank === 0) void Promise.all([1, 2, 3, 4, 5, 6, 7].map(async () => await group.send(1, large))).catch(() => {})
        await group.receive({ from: 2 }).catch(() => {})
        const next = await group.shrink()
        if (next.rank === 0) await next.send(1, new TextEncoder().encode('next'))
        return next.rank === 0 ? next.epoch : new TextDecoder().decode((await next.receive({ from: 0 })).bytes)
      })
    const run = await (all[0] as Allocator).group('p', { count: 3 })
    expect(await run.ended).toEqual([{ value: 1 }, { value: 'next' }, { value: 'gone' }])
  })

  it('ends at a member that closes its allocator, which says so', async () => {
    const all = await allocators(2)
    let [begun, ended] = [0, 0]
    for (const each of all)
      each.program('p', async (group) => {
        begun++
        await group.receive().finally(() => ended++)
      })
    const run = await (all[0] as Allocator).group('p', { count: 2 })
    await expect.poll(() => begun).toBe(2)
    await (all[1] as Allocator).close()
    expect(await run.ended).toContainEqual({ error: 'STOPPED: this member has left the group' })
    expect(ended).toBe(2)
  })
})
