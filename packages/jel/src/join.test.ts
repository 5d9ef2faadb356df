import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import * as jel from './index.ts'
import { generatePoolKey, JelError, joinPool, TooFewMembersError, type PoolOptions } from './index.ts'

const loopback = { listen: ['/ip4/127.0.0.1/tcp/0'] }

describe('joinPool()', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['a ledger that nothing asks for', { ledger: { found: true } }, 'INVALID_OPTION'],
    ['two ways to found', { joins: 'reliable', ledger: { found: true, founders: ['x'] } }, 'INVALID_OPTION'],
    ['an even number of voters', { joins: 'reliable', ledger: { voters: 4 } }, 'INVALID_OPTION'],
    ['too many voters', { joins: 'reliable', ledger: { voters: 17 } }, 'INVALID_OPTION'],
    ['founders that are no ids', { elections: 'uniform', ledger: { founders: ['a'] } }, 'INVALID_OPTION'],
    ['an unknown level', { joins: 'sometimes' }, 'INVALID_OPTION'],
    ['a large tag', { tag: new Uint8Array(1025) }, 'TAG_TOO_LARGE'],
    ['a long location', { location: 'x'.repeat(257) }, 'INVALID_OPTION'],
    ['a malformed bootstrap address', { bootstrap: ['example.com'] }, 'INVALID_ADDRESS'],
    ['a malformed key', { key: new Uint8Array(32) }, 'INVALID_POOL_KEY'],
    ['a malformed key in text', { key: 'abc' }, 'INVALID_POOL_KEY'],
    ['a large tag in text', { tag: 'é'.repeat(513) }, 'TAG_TOO_LARGE'],
  ])('refuses %s by name', async (_, options, code) => {
    await expect(joinPool('p', { ...loopback, ...options })).rejects.toMatchObject({ code })
  })

  it.each<[string, unknown, RegExp]>([
    ['lisen', ['127.0.0.1:0'], /lisen: there is no such option; there are .*listen/u],
    ['config', {}, /config: there is no such option/u],
    ['toString', 1, /toString: there is no such option/u],
    ['listen', '127.0.0.1:0', /listen: must be an array of strings, as in/u],
    ['bootstrap', [4001], /bootstrap: must be an array of strings/u],
    ['tag', ['gpu'], /tag: must be a Uint8Array or a string/u],
    ['key', 7, /key: must be a Uint8Array or a string/u],
    ['location', 7, /location: must be a string/u],
    ['identityFile', '', /identityFile: must be a string that is not empty/u],
    ['mdns', 'no', /mdns: must be true or false/u],
    ['found', 1, /found: must be true or false/u],
    ['thread', 'third', /thread: "third" is unknown; offered are 'main' and 'worker'/u],
    ['joins', 7, /joins: a number is unknown; offered are 'reliable' and 'unreliable' and 'off'/u],
    ['elections', null, /elections: null is unknown/u],
    ['requireMembers', 0, /requireMembers: must be a whole number above 0/u],
    ['timeout', 5, /timeout: needs requireMembers, joins: 'reliable' or elections: 'uniform'/u],
    ['web', null, /web: listen: must be an address/u],
    ['web', { listen: '127.0.0.1:0', tls: null }, /web: tls: must have cert and key/u],
    ['signal', {}, /signal: must be an AbortSignal/u],
  ])('refuses %s: %j by name', async (option, value, message) => {
    const refused = joinPool('p', { ...loopback, [option]: value })
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_OPTION', message: expect.stringMatching(message) })
  })

  it.each([null, 'p', 7, []])('refuses %j as options', async (options) => {
    await expect(joinPool('p', options as unknown as PoolOptions)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  })

  it('refuses a timeout that no timer takes', async () => {
    await expect(joinPool('p', { ...loopback, requireMembers: 1, timeout: 2 ** 31 })).rejects.toThrow(/timeout: must be milliseconds/u)
  })

  it('takes tag and key as text, and undefined like an option that is not given', async () => {
    const key = new TextDecoder().decode(generatePoolKey())
    await using pool = await joinPool('p', { ...loopback, key, tag: 'grün', location: undefined } as unknown as PoolOptions)
    expect(new TextDecoder().decode(pool.self.tag)).toBe('grün')
  })

  it.each([undefined, 7])('refuses the pool name %j', async (name) => {
    await expect(joinPool(name as unknown as string)).rejects.toMatchObject({ code: 'INVALID_POOL_NAME' })
  })

  it.each(['', 'x'.repeat(129), 'a\nb'])('refuses the pool name %j', async (name) => {
    const refused = joinPool(name, loopback)
    await expect(refused).rejects.toMatchObject({ name: 'InvalidPoolNameError', code: 'INVALID_POOL_NAME' })
    await expect(refused).rejects.toBeInstanceOf(JelError)
  })

  it('has one base class for all errors', () => {
    const errors = Object.values(jel).filter((each) => typeof each === 'function' && each.prototype instanceof Error)
    expect(errors.length).toBeGreaterThan(25)
    expect(errors.filter((each) => each !== JelError && !((each as { prototype: unknown }).prototype instanceof JelError))).toEqual([])
  })

  it('says how a ledger begins, if none comes in time', async () => {
    const refused = joinPool('p', { ...loopback, joins: 'reliable', timeout: 300 })
    await expect(refused).rejects.toMatchObject({ code: 'LEDGER_MISSING', message: expect.stringMatching(/one member must found it/u) })
  })

  it('rejects with the reason of its signal', async () => {
    await expect(joinPool('p', { ...loopback, signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
  })
})

describe('requireMembers', () => {
  const dead = '127.0.0.1:1'

  it.each(['main', 'worker'] as const)('is met when the members come, with thread %j', async (thread) => {
    await using first = await joinPool('required', loopback)
    const pending = joinPool('required', { ...loopback, thread, bootstrap: first.self.addresses, requireMembers: 3 })
    await first.waitForMembers(2)
    await using third = await joinPool('required', { ...loopback, bootstrap: first.self.addresses })
    await using second = await pending
    expect(second.members().map(({ id }) => id)).toEqual(expect.arrayContaining([first.self.id, second.self.id, third.self.id]))
  })

  it.each(['main', 'worker'] as const)('is an error with the reason if the members do not come, with thread %j', async (thread) => {
    const error = await joinPool('required', { ...loopback, thread, bootstrap: [dead], requireMembers: 2, timeout: 500 }).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(TooFewMembersError)
    expect(error).toMatchObject({
      code: 'TOO_FEW_MEMBERS',
      message: '1 of 2 members were here after 0.5 s; /ip4/127.0.0.1/tcp/1: connection refused',
      members: 1,
      introducers: [{ reason: expect.stringContaining('refused') }],
    })
  })

  it('reports in time an introducer that does not answer', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const joining = joinPool('required', { ...loopback, bootstrap: [`127.0.0.1:${port}`], requireMembers: 2, timeout: 300 })
    await expect(joining).rejects.toThrow(`1 of 2 members were here after 0.3 s; /ip4/127.0.0.1/tcp/${port}: no answer yet`)
    silent.close()
  })

  it('rejects with the reason of the signal', async () => {
    const joining = joinPool('required', { ...loopback, requireMembers: 2, signal: AbortSignal.timeout(300) })
    await expect(joining).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})

describe('a node whose introducers do not answer', () => {
  const bootstrap = ['127.0.0.1:1']

  it('stands in no election unless it has the option to found the pool', async () => {
    await using waiting = await joinPool('founding', { ...loopback, bootstrap })
    await expect(waiting.elect('master', { signal: AbortSignal.timeout(2_500) })).rejects.toMatchObject({ name: 'TimeoutError' })
    await using founder = await joinPool('founding', { ...loopback, bootstrap, found: true })
    expect((await founder.elect('master')).winner.id).toBe(founder.self.id)
  })

  it('founds the pool if its introducer is itself', async () => {
    // The system gives no port of this range to others.
    const own = `127.0.0.1:${10_000 + (process.pid % 20_000)}`
    await using pool = await joinPool('itself', { listen: [own], bootstrap: [own] })
    expect((await pool.elect('master')).winner.id).toBe(pool.self.id)
    expect(pool.health()).toMatchObject({ alone: false, introducers: [] })
  })
})

describe('a pool of real hosts', () => {
  it('reports joins, elects, signals, carries streams, and reports leaves', async () => {
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
