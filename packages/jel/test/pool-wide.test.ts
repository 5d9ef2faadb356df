import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOverlay } from '@jel/overlay'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  InvalidConstantError,
  InvalidEventError,
  InvalidOptionError,
  InvalidProtocolError,
  PoolLeftError,
  TagTooLargeError,
  generateIdentity,
  joinPool as enterPool,
  readOwner,
  type Answer,
  type Pool,
  type PoolOptions,
} from '../src/index.ts'
import { ANSWER_PROTOCOL } from '../src/queries/pending-queries.ts'
import { join as joinPool, poolName, pools } from './pools.ts'

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value)

async function all(answers: AsyncIterable<Answer>): Promise<string[]> {
  const found: string[] = []
  for await (const { from, payload } of answers) found.push(`${from.id}: ${text(payload)}`)
  return found.toSorted()
}

/** Collects the events that a pool gets from now on. */
function eventsOf(pool: Pool): string[] {
  const events: string[] = []
  pool.addEventListener('event', ({ detail }) => events.push(`${detail.name} ${text(detail.payload)} of ${detail.from.id}`))
  return events
}

describe.each(['main', 'worker'] as const)('in a pool with members in thread %s', (thread) => {
  /** One pool for all tests. The first two members are in the thread. */
  let shared: [Pool, Pool, Pool, Pool]

  beforeAll(async () => {
    const name = poolName()
    const enter = async (options: PoolOptions, others: readonly Pool[] = []): Promise<Pool> =>
      await enterPool(name, { listen: ['127.0.0.1:0'], bootstrap: others.flatMap(({ self }) => self.addresses), ...options })
    const first = await enter({ thread, tag: 'before' })
    shared = [first, ...(await Promise.all([enter({ thread }, [first]), enter({}, [first]), enter({}, [first])]))]
    await Promise.all(shared.map((pool) => pool.waitForMembers(4)))
  })

  afterAll(async () => {
    await Promise.all(shared.map((pool) => pool.leave()))
  })

  it('a tag is changed while the member is there, and all get an event', async () => {
    const [one, , two] = shared
    const { incarnation, joinedAt } = one.self
    expect(text(one.self.tag)).toBe('before')
    const updated = once(two as unknown as EventTarget, 'updated') as Promise<[CustomEvent]>
    await one.setTag('after')
    expect(text(one.self.tag)).toBe('after')
    const [{ detail }] = await updated
    expect(detail).toMatchObject({ id: one.self.id, incarnation, joinedAt, tag: bytes('after') })
    await expect(one.setTag('x'.repeat(1_025))).rejects.toThrow(TagTooLargeError)
    await expect(one.setTag(5 as never)).rejects.toThrow(InvalidOptionError)
    expect(text(one.self.tag)).toBe('after')
  })

  it('a constant is set while the member is there, all get an event, and newcomers know it', async () => {
    const [one, , two] = shared
    const updated = once(two as unknown as EventTarget, 'updated') as Promise<[CustomEvent]>
    await one.setConstant('jel.test', 'ten')
    const expected = { id: one.self.id, incarnation: 1, constants: new Map([['jel.test', bytes('ten')]]) }
    expect(one.self).toMatchObject(expected)
    expect((await updated)[0].detail).toMatchObject(expected)
    await expect(one.setConstant('jel.more', 'x'.repeat(512))).rejects.toThrow(InvalidConstantError)
    await expect(one.setConstant('', 'x')).rejects.toThrow(InvalidConstantError)
    await expect(one.setConstant('jel.more', 5 as never)).rejects.toThrow(InvalidOptionError)
    const late = await joinPool(one.name, [two], { thread })
    expect(late.members().find(({ id }) => id === one.self.id)).toMatchObject(expected)
    await one.setConstant('jel.test', undefined)
    expect(one.self.constants.size).toBe(0)
  })

  it('a signature of an owner is valid in this pool alone, and is none of the node', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jel-owner-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const id = await generateIdentity(join(folder, 'owner'))
    const [one, , two] = shared
    const signature = await one.sign(bytes('word'), { owner: readOwner(join(folder, 'owner')) })
    expect(two.isSignedBy(id, bytes('word'), signature)).toBe(true)
    expect(two.isSignedBy(one.self.id, bytes('word'), signature)).toBe(false)
    const [elsewhere] = (await pools(1)) as [Pool]
    expect(elsewhere.isSignedBy(id, bytes('word'), signature)).toBe(false)
  })

  it('an event reaches each present member once, and no later newcomer', async () => {
    const all = [shared[0], shared[2], shared[3]] as const
    const received = all.map(eventsOf)
    const records = vi.fn<() => void>()
    for (const pool of all) pool.addEventListener('record', records)
    await all[0].broadcast('deploy', 'v2')
    await all[1].broadcast('deploy', 'v2')
    const expected = [all[0], all[1]].map(({ self }) => `deploy v2 of ${self.id}`).toSorted()
    await expect.poll(() => received.map((events) => events.toSorted())).toEqual([expected, expected, expected])
    const late = await joinPool(all[0].name, [all[2]], { thread })
    const receivedLate = eventsOf(late)
    await all[2].broadcast('next')
    await expect.poll(() => receivedLate.length).toBeGreaterThan(0)
    expect(receivedLate).toEqual([`next  of ${all[2].self.id}`])
    await expect.poll(() => received.map((events) => events.length)).toEqual([3, 3, 3])
    expect(records).not.toHaveBeenCalled()
    expect(all[0].records()).toEqual([])
  })

  it('a query is answered once by each member that has a handler', async () => {
    const [asker, one, two, mute] = shared
    for (const pool of [asker, one, two]) pool.answer('load', (payload, from) => `${text(payload)} for ${from.id === asker.self.id}`)
    one.answer('silence', () => undefined)
    const started = Date.now()
    const answers = await all(asker.query('load', 'now', { timeout: 2_000 }))
    expect(answers).toEqual([asker, one, two].map(({ self }) => `${self.id}: now for true`).toSorted())
    expect(Date.now() - started).toBeGreaterThan(1_900)
    // When all asked members have answered, the query ends.
    const filtered = await all(asker.query('load', 'you', { timeout: 60_000, filter: { ids: [one.self, two.self.id] } }))
    expect(filtered).toEqual([one, two].map(({ self }) => `${self.id}: you for true`).toSorted())
    expect(await all(asker.query('load', '', { filter: { ids: ['nobody'] } }))).toEqual([])
    expect(await all(mute.query('silence', '', { timeout: 300 }))).toEqual([])
  })

  // Here a member leaves, so this test is the last one.
  it('a signature of a node is valid in this pool alone, and also once the node has left', async () => {
    const [one, , two] = shared
    const { id } = one.self
    const signature = await one.sign(bytes('word'))
    await one.leave()
    expect(signature).toHaveLength(64)
    expect(two.isSignedBy(id, bytes('word'), signature)).toBe(true)
    expect(two.isSignedBy(id, bytes('other'), signature)).toBe(false)
    expect(two.isSignedBy(two.self.id, bytes('word'), signature)).toBe(false)
    const [elsewhere] = (await pools(1)) as [Pool]
    expect(elsewhere.isSignedBy(id, bytes('word'), signature)).toBe(false)
    await expect(two.sign('word' as never)).rejects.toThrow(InvalidOptionError)
    await expect(one.sign(bytes('word'))).rejects.toThrow(PoolLeftError)
  })
})

describe('a query', () => {
  it('goes to the members whose location and tag match', async () => {
    const options = [{ location: 'a@delft@nl', tag: 'gpu=1' }, { location: 'b@delft@nl' }, { location: 'c@paris@fr', tag: 'gpu=1' }]
    const all3 = (await pools(3, (place) => options[place] ?? {})) as [Pool, Pool, Pool]
    const asked = vi.fn<(place: number) => void>()
    for (const [place, pool] of all3.entries())
      pool.answer('who', () => {
        asked(place)
        return 'me'
      })
    const of = (...members: Pool[]): string[] => members.map(({ self }) => `${self.id}: me`).toSorted()
    expect(await all(all3[0].query('who', '', { filter: { location: 'delft@nl' } }))).toEqual(of(all3[0], all3[1]))
    expect(await all(all3[0].query('who', '', { filter: { location: 'delft@nl', tag: '^gpu' } }))).toEqual(of(all3[0]))
    expect(await all(all3[1].query('who', '', { filter: { tag: /gpu=\d/u } }))).toEqual(of(all3[0], all3[2]))
    expect(asked).toHaveBeenCalledTimes(5)
  })

  it('ends with its signal, with the pool, and when the members that were asked are gone', async () => {
    const [asker, other, third] = (await pools(3)) as [Pool, Pool, Pool]
    const controller = new AbortController()
    const aborted = all(asker.query('x', '', { timeout: 60_000, signal: controller.signal }))
    controller.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    const waiting = all(asker.query('x', '', { timeout: 60_000, filter: { ids: [third.self.id] } }))
    await third.leave()
    expect(await waiting).toEqual([])
    const lost = all(asker.query('x', '', { timeout: 60_000 }))
    await Promise.all([expect(lost).rejects.toMatchObject({ code: 'POOL_LEFT' }), asker.leave()])
    await other.leave()
  })

  it('gets no answer from a handler that fails, which gives a warning there', async () => {
    const [asker, one] = (await pools(2)) as [Pool, Pool]
    const warnings: string[] = []
    one.addEventListener('warning', ({ detail }) => warnings.push(`${detail.code}: ${detail.message}`))
    one.answer('fails', () => {
      throw new Error('no luck')
    })
    one.answer('long', () => 'x'.repeat(1_025))
    expect(await all(asker.query('fails', '', { timeout: 500 }))).toEqual([])
    expect(await all(asker.query('long', '', { timeout: 500 }))).toEqual([])
    expect(warnings[0]).toMatch(/^QUERY_UNANSWERED: .*no luck/u)
    expect(warnings[1]).toMatch(/^QUERY_UNANSWERED: .*at most 1024 bytes, not 1025/u)
  })

  it('takes one answer of each asked member, however many are sent, and none that is too long', async () => {
    const [asker] = (await pools(1)) as [Pool]
    const hostile = await startOverlay({ pool: asker.name, listen: ['127.0.0.1:0'], bootstrap: asker.self.addresses })
    onTestFinished(async () => await hostile.leave())
    await asker.waitForMembers(2)
    const send = async (size: number, id: number): Promise<void> => {
      const message = new Uint8Array(4 + size).fill(65)
      new DataView(message.buffer).setUint32(0, id)
      const stream = await hostile.open(asker.self.id, ANSWER_PROTOCOL)
      stream.send(message)
      await stream.close().catch(() => {})
    }
    const flood = async (id: number): Promise<void> => {
      for (const size of [1_025, 3, 4]) await send(size, id)
      await send(3, id + 1)
    }
    hostile.subscribe((news) => void (news.type === 'query' && flood(news.id)))
    const filter = { ids: [hostile.self.id, asker.self] }
    expect(await all(asker.query('x', '', { timeout: 1_500, filter }))).toEqual([`${hostile.self.id}: AAA`])
  })

  it('with an invalid name, payload, time or filter is refused', async () => {
    const [pool] = (await pools(1)) as [Pool]
    expect(() => pool.query('')).toThrow(InvalidEventError)
    expect(() => pool.query('x', 'x'.repeat(1_025))).toThrow(InvalidEventError)
    expect(() => pool.query('x', '', { timeout: 0 })).toThrow(InvalidOptionError)
    expect(() => pool.query('x', '', { timeout: 600_001 })).toThrow(InvalidOptionError)
    expect(() => pool.query('x', '', { filter: { tag: '(' } })).toThrow(InvalidOptionError)
    expect(() => pool.query('x', '', { filter: { where: 'delft' } as never })).toThrow(/filter.where/u)
    pool.answer('x', () => undefined)
    expect(() => pool.answer('x', () => undefined)).toThrow(InvalidOptionError)
    await expect(pool.broadcast('x', 5 as never)).rejects.toThrow(InvalidEventError)
    await expect(pool.broadcast('\n')).rejects.toThrow(InvalidEventError)
    await expect(pool.handle(ANSWER_PROTOCOL, () => {})).rejects.toThrow(InvalidProtocolError)
    await expect(pool.open(pool.self, ANSWER_PROTOCOL)).rejects.toThrow(InvalidProtocolError)
  })
})
