import { describe, expect, it } from 'vitest'
import { generatePoolKey, joinPool, type PoolOptions } from './index.ts'

const loopback = { listen: ['/ip4/127.0.0.1/tcp/0'] }

describe('joinPool()', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['reliable joins', { joins: 'reliable' }, 'UNSUPPORTED_CONSISTENCY'],
    ['uniform elections', { elections: 'uniform' }, 'UNSUPPORTED_CONSISTENCY'],
    ['an unknown level', { joins: 'sometimes' }, 'INVALID_OPTION'],
    ['a large tag', { tag: new Uint8Array(1025) }, 'TAG_TOO_LARGE'],
    ['a long location', { location: 'x'.repeat(257) }, 'INVALID_OPTION'],
    ['a malformed bootstrap address', { bootstrap: ['example.com'] }, 'INVALID_ADDRESS'],
    ['a malformed key', { key: new Uint8Array(32) }, 'INVALID_POOL_KEY'],
  ])('refuses %s by name', async (_, options, code) => {
    await expect(joinPool('p', { ...loopback, ...options })).rejects.toMatchObject({ code })
  })

  it.each(['', 'x'.repeat(129), 'a\nb'])('refuses the pool name %j', async (name) => {
    await expect(joinPool(name, loopback)).rejects.toMatchObject({ code: 'INVALID_POOL_NAME' })
  })

  it('names the level that is refused, and what is offered', async () => {
    await expect(joinPool('p', { joins: 'reliable' } as unknown as PoolOptions)).rejects.toThrow(
      /joins: "reliable".*'unreliable' and 'off'/u,
    )
  })

  it('is given up with its signal', async () => {
    await expect(joinPool('p', { ...loopback, signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
  })
})

describe('a pool of real hosts', () => {
  it('tells of joins, elects, signals, carries streams, and tells of leaves', async () => {
    const key = generatePoolKey()
    await using first = await joinPool('facade', { ...loopback, key, location: 'a@rack', tag: new TextEncoder().encode('gpu') })
    const second = await joinPool('facade', { ...loopback, key, bootstrap: first.self.addresses })
    const changes = first.changes()
    const seen = [(await changes.next()).value, (await changes.next()).value]
    expect(seen.map((change) => [change?.type, change?.member.id])).toEqual([
      ['joined', first.self.id],
      ['joined', second.self.id],
    ])
    for await (const { member } of second.changes({ signal: AbortSignal.timeout(10_000) })) if (member.id === first.self.id) break
    expect(second.members().find(({ id }) => id === first.self.id)).toEqual(first.self)

    const reigns = await Promise.all([first.elect('master'), second.electionResult('master')])
    expect(reigns[1]).toEqual(reigns[0])
    expect(reigns[0].winner.id).toBe(first.self.id)

    const signalled = new Promise((resolve) => second.addEventListener('signal', ({ detail }) => resolve(detail), { once: true }))
    await first.signal('go', second.self)
    expect(await signalled).toEqual({ name: 'go', from: first.self })

    await second.handle('/echo/1.0.0', async (stream, from) => {
      expect(from).toBe(first.self.id)
      for await (const chunk of stream) stream.send(chunk)
      await stream.close()
    })
    const stream = await first.open(second.self, '/echo/1.0.0')
    stream.send(Uint8Array.of(1, 2, 3))
    for await (const echo of stream) {
      expect([...echo.subarray()]).toEqual([1, 2, 3])
      break
    }
    stream.abort(new Error('enough'))

    expect(first.health()).toMatchObject({ members: 2, links: 1, alone: false })
    await second.leave()
    expect((await changes.next()).value).toMatchObject({ type: 'left', member: { id: second.self.id } })
  })
})
