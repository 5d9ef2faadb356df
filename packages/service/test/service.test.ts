import { describe, expect, it } from 'vitest'
import { service, serviceClient } from '../src/index.ts'
import { leaveAfterEach, poolsOf } from './pools.ts'

leaveAfterEach()

describe('a stateless service', () => {
  it('is answered by the nearest instance, and by the next one after that', async () => {
    const [a, b, c] = await poolsOf(3)
    const third = c as typeof a
    const seen: unknown[] = []
    const serve = async (pool: typeof a) =>
      await service(pool, 'echo', { call: (input, { from, key }) => (seen.push([input, from, key]), { input, at: pool.self.location }) })
    const onB = await serve(b)
    await serve(third)
    const client = serviceClient(a)
    await expect.poll(() => client.services()[0]?.instances.length).toBe(2)
    expect(await client.call('echo', { x: 1 }, { key: 'k' })).toEqual({ input: { x: 1 }, at: 'n2@site0' })
    expect(seen).toEqual([[{ x: 1 }, a.self.id, 'k']])
    expect(await onB.call('hello')).toEqual({ input: 'hello', at: 'n1@site1' })
    const pending = Array.from({ length: 50 }, async (_, at) => await client.call('echo', at))
    await third.leave()
    for (const [at, each] of (await Promise.all(pending)).entries()) expect(each).toMatchObject({ input: at })
    expect(await client.call('echo', null)).toEqual({ input: null, at: 'n1@site1' })
  })

  it('lives on when a former one of its name is closed twice, and beside one that only states replicas', async () => {
    const [a, b] = await poolsOf(2)
    const former = await service(a, 'echo', { call: () => 'former' })
    await Promise.all([former.close(), former.close()])
    await service(a, 'echo', { call: () => 'later' })
    await former.close()
    const client = serviceClient(b)
    await expect.poll(() => client.services().length).toBe(1)
    await b.setConstant('jel.service', new TextEncoder().encode('{"echo":{"version":"1","replicas":3}}'))
    await expect.poll(() => client.services()[0]?.instances.length).toBe(2)
    expect(await client.call('echo', 1)).toBe('later')
  })

  it('gets the same input from its own member as from another one', async () => {
    const [a, b] = await poolsOf(2)
    const seen: unknown[] = []
    await service(a, 'echo', { call: (input) => void seen.push(input) })
    const client = serviceClient(b)
    await expect.poll(() => client.services().length).toBe(1)
    for (const input of [Number.NaN, Infinity, -0, undefined, 'text'])
      for (const each of [client, serviceClient(a)]) await each.call('echo', input)
    expect(seen).toEqual([null, null, null, null, 0, 0, null, null, 'text', 'text'])
  })

  it('that nobody has is refused at once, with the names that are like it', async () => {
    const [a, b] = await poolsOf(2)
    const client = serviceClient(a)
    await expect(client.call('ecko', 1)).rejects.toMatchObject({
      code: 'NO_SERVER',
      message: expect.stringContaining('no member has a service'),
    })
    await service(b, 'echo', { call: (input) => input })
    await expect.poll(() => client.services().length).toBe(1)
    await expect(client.call('ecko', 1)).rejects.toThrow('known are echo')
  })

  it('hands over errors, times out, and tells the service of callers that give up', async () => {
    const [a, b] = await poolsOf(2)
    let aborted = 0
    await service(b, 'slow', {
      call: async (input, { signal }) => {
        if (input === 'bad') throw new Error('it is bad')
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        aborted++
      },
    })
    const client = serviceClient(a)
    await expect.poll(() => client.services().length).toBe(1)
    await expect(client.call('slow', 'bad')).rejects.toMatchObject({ code: 'CALL_FAILED', message: 'it is bad' })
    await expect(client.call('slow', 1, { timeout: 100 })).rejects.toMatchObject({ code: 'CALL_TIMEOUT' })
    await expect.poll(() => aborted).toBe(1)
    const controller = new AbortController()
    const call = client.call('slow', 1, { signal: controller.signal })
    controller.abort(new Error('no longer'))
    await expect(call).rejects.toThrow('no longer')
    await expect(client.call('slow', 'x'.repeat(1_048_577))).rejects.toThrow('at most 1048576 are allowed')
    await a.leave()
    await expect(client.call('slow', 1)).rejects.toMatchObject({ code: 'POOL_LEFT' })
    await expect(client.call('no name', 1)).rejects.toMatchObject({ code: 'INVALID_SERVICE' })
  })
})
