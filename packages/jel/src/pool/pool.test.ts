import { getEventListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { FakeOverlay, member } from '../../test/fake-overlay.ts'
import { Pool } from './pool.ts'

const parts = { joins: 'unreliable', elections: 'non-uniform' } as const

function setUp(): { overlay: FakeOverlay; pool: Pool } {
  const overlay = new FakeOverlay(member('A'), member('C'))
  return { overlay, pool: new Pool(overlay, parts) }
}

const reign = (id: string, epoch = 1, election = 'master'): { election: string; epoch: number; winner: ReturnType<typeof member> } => ({
  election,
  epoch,
  winner: member(id),
})

describe('records', () => {
  it('are published, reported by an event, and listed by prefix', async () => {
    const { overlay, pool } = setUp()
    const names: unknown[] = []
    pool.addEventListener('record', ({ detail }) => names.push(detail.name))
    const record = await pool.publish('job/1', Uint8Array.of(1), { ttl: 1_000 })
    await pool.unpublish('job/2')
    expect(names).toEqual(['job/1'])
    expect(pool.records('job/')).toEqual([record])
    expect(pool.records('x')).toEqual([])
    expect(overlay.asked).toEqual(['publish job/1 1 1000', 'unpublish job/2'])
  })

  it('that no member would accept are refused, each with the code INVALID_RECORD', async () => {
    const { overlay, pool } = setUp()
    const attempts = [
      () => pool.publish('', Uint8Array.of(1), { ttl: 1 }),
      () => pool.publish('x', 7 as unknown as Uint8Array, { ttl: 1 }),
      () => pool.publish('x', Uint8Array.of(1), {} as { ttl: number }),
      () => pool.publish('x', Uint8Array.of(1), { ttl: -1 }),
      () => pool.publish('x', Uint8Array.of(1), { ttl: 2_678_400_001 }),
      () => pool.publish('x', new Uint8Array(1_025), { ttl: 1 }),
      () => pool.unpublish('a\nb'),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    expect(overlay.asked).toEqual([])
    overlay.end()
    await expect(pool.publish('x', Uint8Array.of(1), { ttl: 1 })).rejects.toMatchObject({ code: 'POOL_LEFT' })
  })
})

describe('waitForMembers()', () => {
  it('resolves at once if the members are here, or as soon as they come', async () => {
    const { overlay, pool } = setUp()
    await pool.waitForMembers(3)
    let isHere = false
    const four = pool.waitForMembers(4).then(() => (isHere = true))
    await setImmediate()
    expect(isHere).toBe(false)
    overlay.tell({ type: 'joined', member: member('D') })
    await four
  })

  it('counts members even if joins are off', async () => {
    const overlay = new FakeOverlay()
    const pool = new Pool(overlay, { ...parts, joins: 'off' })
    const two = pool.waitForMembers(2)
    overlay.tell({ type: 'joined', member: member('D') })
    await two
  })

  it('rejects when its signal aborts, and when the pool ends', async () => {
    const { pool } = setUp()
    const abort = new AbortController()
    const [aborted, left] = [pool.waitForMembers(4, { signal: abort.signal }), pool.waitForMembers(5)]
    abort.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    void pool.leave()
    await expect(left).rejects.toMatchObject({ code: 'POOL_LEFT' })
  })

  it.each([0, -1, 1.5, '2', Number.NaN])('refuses %j members', async (count) => {
    await expect(setUp().pool.waitForMembers(count as number)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  })
})

describe('elections', () => {
  it('elect() makes the node a candidate and resolves with the next reign', async () => {
    const { overlay, pool } = setUp()
    const result = pool.elect('master')
    overlay.tell({ type: 'elected', reign: reign('C', 1, 'other') })
    overlay.tell({ type: 'elected', reign: reign('A') })
    expect(await result).toEqual(reign('A'))
    expect(overlay.asked).toEqual(['elect master'])
  })

  it('a living winner is the result at once', async () => {
    const { overlay, pool } = setUp()
    overlay.tell({ type: 'elected', reign: reign('A', 4) })
    expect(await pool.electionResult('master')).toEqual(reign('A', 4))
    expect(await pool.elect('master')).toEqual(reign('A', 4))
  })

  it('a winner that is gone is no result', async () => {
    const { overlay, pool } = setUp()
    overlay.tell({ type: 'elected', reign: reign('A') })
    overlay.tell({ type: 'died', member: member('A') })
    const result = pool.electionResult('master')
    overlay.tell({ type: 'elected', reign: reign('C', 2) })
    expect(await result).toEqual(reign('C', 2))
    expect(overlay.asked).toEqual([])
  })

  it('an abort before the result withdraws the candidacy, one after it does not', async () => {
    const { overlay, pool } = setUp()
    const controller = new AbortController()
    const given = pool.elect('master', { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(given).rejects.toThrow('enough')
    expect(overlay.asked).toEqual(['elect master', 'withdraw master'])

    const later = new AbortController()
    const kept = pool.elect('master', { signal: later.signal })
    overlay.tell({ type: 'elected', reign: reign('B') })
    await kept
    later.abort()
    expect(overlay.asked).toEqual(['elect master', 'withdraw master', 'elect master'])
  })

  it('an abort does not withdraw the candidacy of another call', async () => {
    const { overlay, pool } = setUp()
    const controller = new AbortController()
    const one = pool.elect('master', { signal: controller.signal })
    const other = pool.elect('master')
    controller.abort()
    await expect(one).rejects.toThrow('abort')
    expect(overlay.asked).not.toContain('withdraw master')
    overlay.tell({ type: 'elected', reign: reign('B') })
    expect(await other).toEqual(reign('B'))
  })

  it('an aborted electionResult() leaves candidacies alone', async () => {
    const { overlay, pool } = setUp()
    const controller = new AbortController()
    const result = pool.electionResult('master', { signal: controller.signal })
    controller.abort()
    await expect(result).rejects.toThrow('abort')
    expect(overlay.asked).toEqual([])
  })

  it('withdraw() ends the candidacy and the calls that wait for it', async () => {
    const { overlay, pool } = setUp()
    const candidate = pool.elect('master')
    const watcher = pool.electionResult('master')
    pool.withdraw('master')
    await expect(candidate).rejects.toMatchObject({ code: 'CANDIDACY_WITHDRAWN' })
    overlay.tell({ type: 'elected', reign: reign('A') })
    expect(await watcher).toEqual(reign('A'))
  })

  it('are refused when off', async () => {
    const overlay = new FakeOverlay()
    const pool = new Pool(overlay, { joins: 'unreliable', elections: 'off' })
    await expect(pool.elect('master')).rejects.toMatchObject({ code: 'ELECTIONS_OFF' })
    await expect(pool.electionResult('master')).rejects.toMatchObject({ code: 'ELECTIONS_OFF' })
    expect(() => pool.withdraw('master')).toThrow(expect.objectContaining({ code: 'ELECTIONS_OFF' }))
    pool.addEventListener('elected', () => expect.unreachable())
    overlay.tell({ type: 'elected', reign: reign('B') })
  })

  it.each(['', 'x'.repeat(5000)])('a bad name is refused and named (%#)', async (name) => {
    const { overlay, pool } = setUp()
    await expect(pool.elect(name)).rejects.toMatchObject({ code: 'INVALID_ELECTION_NAME' })
    expect(overlay.asked).toEqual([])
  })
})

describe('events', () => {
  it('carry plain data and come in order', () => {
    const { overlay, pool } = setUp()
    const heard: unknown[] = []
    for (const type of ['joined', 'left', 'died', 'elected', 'signal', 'health', 'warning'] as const) {
      pool.addEventListener(type, (event: CustomEvent<unknown>) => heard.push([type, structuredClone(event.detail)]))
    }
    overlay.tell({ type: 'joined', member: member('D') })
    overlay.tell({ type: 'elected', reign: reign('D') })
    overlay.tell({ type: 'signal', name: 'go', from: member('A') })
    overlay.tell({ type: 'left', member: member('D') })
    overlay.tell({ type: 'died', member: member('C') })
    overlay.tell({ type: 'health', health: overlay.health() })
    overlay.tell({ type: 'warning', code: 'INTRODUCER_UNREACHABLE', message: 'nobody answers' })
    expect(heard).toEqual([
      ['joined', member('D')],
      ['elected', reign('D')],
      ['signal', { name: 'go', from: member('A') }],
      ['left', member('D')],
      ['died', member('C')],
      ['health', overlay.health()],
      ['warning', { code: 'INTRODUCER_UNREACHABLE', message: 'nobody answers' }],
    ])
  })
})

describe('commands about members', () => {
  it('take a member or an id', async () => {
    const { overlay, pool } = setUp()
    pool.maybeDead(member('A'))
    pool.maybeDead('C')
    await pool.signal('go', member('A'), 'C', 'A')
    await pool.signal('stop', ['C'], { signal: new AbortController().signal })
    await pool.open('A', '/x/1')
    expect(overlay.asked).toEqual(['maybeDead A', 'maybeDead C', 'signal go A C', 'signal stop C abortable', 'open A /x/1'])
  })

  it('name an id that no member has', async () => {
    const { pool } = setUp()
    const unknown = { code: 'UNKNOWN_MEMBER', message: expect.stringContaining('Z') }
    expect(() => pool.maybeDead('Z')).toThrow(expect.objectContaining(unknown))
    await expect(pool.signal('go', 'Z')).rejects.toMatchObject(unknown)
    await expect(pool.open('Z', '/x/1')).rejects.toMatchObject(unknown)
  })

  it('maybeDead() of a member that is gone already is no error', () => {
    const { overlay, pool } = setUp()
    pool.maybeDead(member('Z'))
    expect(overlay.asked).toEqual([])
  })

  it.each(['render', '', '/jel/x', '/jel/query/1.0.0', '/meshsub/1.2.0', '/with space', `/${'x'.repeat(300)}`])(
    'refuse the protocol %j, which no application may use',
    async (protocol) => {
      const { overlay, pool } = setUp()
      for (const call of [() => pool.open('A', protocol), () => pool.handle(protocol, () => {}), () => pool.unhandle(protocol)])
        await expect(call()).rejects.toMatchObject({ code: 'INVALID_PROTOCOL' })
      expect(overlay.asked).toEqual([])
    },
  )

  it.each(['', 'a\nb'])('refuse the signal name %j', async (name) => {
    const { overlay, pool } = setUp()
    await expect(pool.signal(name, 'A')).rejects.toMatchObject({ code: 'INVALID_SIGNAL_NAME' })
    expect(overlay.asked).toEqual([])
  })

  it('handle() ends with its signal', async () => {
    const { overlay, pool } = setUp()
    const controller = new AbortController()
    await pool.handle('/x/1', () => {}, { signal: controller.signal })
    controller.abort()
    expect(overlay.asked).toEqual(['handle /x/1', 'unhandle /x/1'])
  })

  it('handle() rejects, and takes no streams, when its signal comes while the protocol is set up', async () => {
    const { overlay, pool } = setUp()
    const controller = new AbortController()
    const handling = pool.handle('/x/1', () => {}, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(handling).rejects.toThrow('enough')
    expect(overlay.asked).toEqual(['handle /x/1', 'unhandle /x/1'])
  })

  it('handle() rejects, and leaves no listener, when the pool is left while the protocol is set up', async () => {
    const { pool } = setUp()
    const { signal } = new AbortController()
    const handling = pool.handle('/x/1', () => {}, { signal })
    const leaving = pool.leave()
    await expect(handling).rejects.toMatchObject({ code: 'POOL_LEFT' })
    await leaving
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('the signal of a removed handler does not end the next one', async () => {
    const { overlay, pool } = setUp()
    const controller = new AbortController()
    await pool.handle('/x/1', () => {}, { signal: controller.signal })
    await pool.unhandle('/x/1')
    await pool.handle('/x/1', () => {})
    controller.abort()
    expect(overlay.asked).toEqual(['handle /x/1', 'unhandle /x/1', 'handle /x/1'])
  })
})

describe('a node that has ended, before the pool knows', () => {
  it('refuses every call like a pool that was left', async () => {
    const { overlay, pool } = setUp()
    overlay.end()
    const left = { code: 'POOL_LEFT', cause: { code: 'OVERLAY_CLOSED' } }
    for (const call of [
      () => pool.elect('x'),
      () => pool.signal('go', 'A'),
      () => pool.open('A', '/x/1'),
      () => pool.handle('/x/1', () => {}),
      () => pool.unhandle('/x/1'),
    ]) {
      await expect(call()).rejects.toMatchObject(left)
    }
    expect(() => pool.withdraw('x')).toThrow(expect.objectContaining({ code: 'POOL_LEFT' }))
    expect(() => pool.maybeDead('A')).toThrow(expect.objectContaining({ code: 'POOL_LEFT' }))
  })

  it('leaves no pending promise, and no listener in which a signal could throw', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    const { overlay, pool } = setUp()
    const controller = new AbortController()
    const { signal } = controller
    await pool.handle('/x/1', () => {}, { signal })
    const electing = Promise.allSettled([pool.elect('x', { signal })])
    overlay.end()
    await expect(pool.elect('y')).rejects.toMatchObject({ code: 'POOL_LEFT' })
    controller.abort(new Error('enough'))
    expect(await electing).toMatchObject([{ status: 'rejected', reason: { message: 'enough' } }])
    overlay.fail(new Error('the disk is full'))
    await pool.closed
    await setImmediate()
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })
})

describe('leave()', () => {
  it('rejects pending calls, reports no event afterwards, and refuses later calls', async () => {
    const { overlay, pool } = setUp()
    pool.addEventListener('left', () => expect.unreachable())
    const pending = [pool.elect('master'), pool.electionResult('master')]
    const settled = Promise.allSettled(pending)
    await pool.leave()
    for (const one of await settled) expect(one).toMatchObject({ status: 'rejected', reason: { code: 'POOL_LEFT' } })
    expect(overlay.listeners).toBe(0)
    for (const call of [
      () => pool.elect('x'),
      () => pool.signal('go', 'A'),
      () => pool.open('A', '/x/1'),
      () => pool.handle('/x/1', () => {}),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'POOL_LEFT' })
    }
    expect(() => pool.maybeDead('A')).toThrow(expect.objectContaining({ code: 'POOL_LEFT' }))
    expect(await pool.closed).toEqual({ reason: 'left' })
  })

  it('leaves no listener on a signal that outlives the pool', async () => {
    const pool = new Pool(new FakeOverlay(), { ...parts, poolSize: 9 })
    const { signal } = new AbortController()
    pool.answer('load', () => 'idle', { signal })
    await pool.handle('/x/1', () => {}, { signal })
    pool.changes({ signal })
    pool.query('load', '', { signal })
    pool.addEventListener('joined', () => {}, { signal })
    const pending = Promise.allSettled([
      pool.elect('x', { signal }),
      pool.electionResult('y', { signal }),
      pool.waitForMembers(9, { signal }),
      pool.waitForPoolClosed({ signal }),
      pool.waitForTermination({ signal }),
    ])
    expect(getEventListeners(signal, 'abort')).not.toEqual([])
    await pool.leave({ signal })
    await pending
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('is not needed to end a listener with a signal', () => {
    const { overlay, pool } = setUp()
    const controller = new AbortController()
    const heard: string[] = []
    const listener = { handleEvent: ({ detail }: { detail: { id: string } }) => heard.push(detail.id) }
    pool.addEventListener('joined', listener, { signal: controller.signal })
    pool.addEventListener('joined', ({ detail }) => heard.push(`${detail.id} once`), { signal: controller.signal, once: true })
    overlay.tell({ type: 'joined', member: member('D') })
    overlay.tell({ type: 'joined', member: member('E') })
    controller.abort()
    overlay.tell({ type: 'joined', member: member('F') })
    expect(heard).toEqual(['D', 'D once', 'E'])
    expect(pool.listenerCount('joined')).toBe(0)
  })

  it('happens once, however often it is called', async () => {
    const { overlay, pool } = setUp()
    await Promise.all([pool.leave(), pool.leave()])
    await pool[Symbol.asyncDispose]()
    expect(overlay.asked).toEqual(['leave'])
  })

  it('goes on when the wait for it is aborted', async () => {
    const { overlay, pool } = setUp()
    const controller = new AbortController()
    const leaving = pool.leave({ signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(leaving).rejects.toThrow('enough')
    expect(overlay.asked).toEqual(['leave'])
    await pool.leave()
  })
})
