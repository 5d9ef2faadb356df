import type { PoolMember } from '@jel/overlay'
import type { Stream } from '@libp2p/interface'
import { describe, expect, it, vi } from 'vitest'
import { FakeOverlay, member } from '../../test/fake-overlay.ts'
import { Pool } from '../pool/pool.ts'
import type { QueryFilter } from './filter.ts'

const parts = { joins: 'unreliable', elections: 'non-uniform' } as const

describe('a query to some of many members', () => {
  it('names no more of them in one event than others accept', async () => {
    const overlay = new FakeOverlay(...Array.from({ length: 600 }, (_, i) => member(`M${i}`)))
    const pool = new Pool(overlay, parts)
    const answers = pool.query('load', '', { filter: { location: 'here' } })
    expect(answers.asked).toBe(601)
    await expect.poll(() => overlay.asked.filter((asked) => asked.startsWith('broadcast')).length).toBe(3)
    const named = overlay.asked.filter((asked) => asked.startsWith('broadcast')).map((asked) => asked.split(' ').length - 4)
    expect(named).toEqual([256, 256, 89])
    // The timeout grows by 10 ms for each asked member.
    expect(overlay.asked.find((asked) => asked.startsWith('broadcast'))).toMatch(/^broadcast load 0 6010 /u)
    await answers.return?.()
  })
})

describe('an asker', () => {
  /** Returns a stream with an answer: the number of a query, then a payload. */
  const answerOf = (id: number, text: string): Stream => {
    const bytes = new Uint8Array(4 + text.length)
    new DataView(bytes.buffer).setUint32(0, id)
    bytes.set(new TextEncoder().encode(text), 4)
    return {
      async *[Symbol.asyncIterator]() {
        yield bytes
      },
      abort: () => {},
      close: () => Promise.resolve(),
    } as unknown as Stream
  }

  /** Asks a query. Returns the answers that it received, and a way to answer it. */
  const ask = async (
    filter?: QueryFilter,
    overlay = new FakeOverlay(...['M1', 'M2', 'M3'].map((id) => member(id))),
  ): Promise<{ received: string[]; ended: Promise<void>; answer: (text: string, from: string, other?: number) => Promise<void> }> => {
    const pool = new Pool(overlay, parts)
    let id = 0
    overlay.broadcast = async (_name, _payload, query) => void (id = query?.id ?? 0)
    const answers = pool.query('load', '', { ...(filter && { filter }) })
    const received: string[] = []
    const read = async (): Promise<void> => {
      for await (const { from, payload } of answers) received.push(`${from.id}: ${new TextDecoder().decode(payload)}`)
    }
    const ended = read()
    await expect.poll(() => id).toBeGreaterThan(0)
    const answer = async (text: string, from: string, other = 0): Promise<void> =>
      await overlay.handlers.at(-1)?.(answerOf(id + other, text), from)
    return { received, ended, answer }
  }

  it('takes answers only from the members that it asked, and waits for no others', async () => {
    const { received, ended, answer } = await ask({ ids: ['M1', 'M2'] })
    await answer('not asked', 'M3')
    await answer('no member', 'M9')
    await answer('another query', 'M1', 1)
    await answer('first', 'M1')
    expect(received).toEqual(['M1: first'])
    await answer('last', 'M2')
    await ended
    expect(received).toEqual(['M1: first', 'M2: last'])
  })

  it('does not walk through the members for an answer to no query', async () => {
    const overlay = new FakeOverlay(member('M1'))
    const { ended, answer } = await ask({ ids: ['M1', 'B'] }, overlay)
    const members = vi.spyOn(overlay, 'members')
    await answer('another query', 'M1', 1)
    expect(members).not.toHaveBeenCalled()
    await answer('first', 'M1')
    expect(members).toHaveBeenCalledOnce()
    await answer('again', 'M1')
    expect(members).toHaveBeenCalledOnce()
    await answer('last', 'B')
    await ended
  })

  it('takes one answer of each member, as long as an answer may be', async () => {
    const { received, ended, answer } = await ask()
    await answer('first', 'M1')
    await answer('again', 'M1')
    await expect(answer('x'.repeat(1_025), 'M2')).rejects.toThrow('at most 1024 bytes')
    for (const id of ['M2', 'M3', 'B']) await answer('last', id)
    await ended
    expect(received).toEqual(['M1: first', 'M2: last', 'M3: last', 'B: last'])
  })
})

describe('a member that is asked', () => {
  it('answers one asker at a limited rate, and no more once it can’t reach that one', async () => {
    const overlay = new FakeOverlay(member('A'))
    const pool = new Pool(overlay, parts)
    const warnings: string[] = []
    pool.addEventListener('warning', ({ detail }) => warnings.push(detail.message))
    const held: ((answer: string) => void)[] = []
    pool.answer('load', () => new Promise((resolve) => held.push(resolve)))
    const from = member('A')
    const ask = (id: number): void =>
      overlay.tell({ type: 'query', name: 'load', payload: new Uint8Array(), from, id, timeout: 60_000, asked: 2 })
    for (let id = 0; id < 10; id++) ask(id)
    expect(held).toHaveLength(8)
    expect(warnings).toHaveLength(2)
    // From now on the asker can't be reached.
    overlay.open = () => Promise.reject(new Error('nobody there'))
    for (const resolve of held.splice(0)) resolve('0.5')
    await expect.poll(() => warnings.filter((warning) => warning.includes('nobody there')).length).toBe(8)
    ask(10)
    expect(held).toHaveLength(0)
    await pool.leave()
  })

  it('answers the next life of an asker that left while its answer waited', async () => {
    const overlay = new FakeOverlay(member('A'))
    const pool = new Pool(overlay, parts)
    const warnings: string[] = []
    pool.addEventListener('warning', ({ detail }) => warnings.push(detail.message))
    const held: ((answer: string) => void)[] = []
    pool.answer('load', () => new Promise((resolve) => held.push(resolve)))
    overlay.open = () => Promise.reject(new Error('no member has this id'))
    const ask = (from: PoolMember): void =>
      overlay.tell({ type: 'query', name: 'load', payload: new Uint8Array(), from, id: 1, timeout: 60_000, asked: 1 })
    ask(member('A'))
    overlay.tell({ type: 'left', member: member('A') })
    held[0]?.('0.5')
    await expect.poll(() => warnings.length).toBe(1)
    overlay.tell({ type: 'joined', member: member('A', 2) })
    ask(member('A', 2))
    expect(held).toHaveLength(2)
    await pool.leave()
  })

  it('gets an abort when nobody waits for its answer any more', async () => {
    const overlay = new FakeOverlay(member('A'))
    const pool = new Pool(overlay, parts)
    const ended = Promise.withResolvers<void>()
    pool.answer('load', (_payload, _from, signal) => {
      signal.addEventListener('abort', () => ended.resolve())
      return new Promise(() => {})
    })
    overlay.tell({ type: 'query', name: 'load', payload: new Uint8Array(), from: member('A'), id: 1, timeout: 50, asked: 2 })
    await ended.promise
    await pool.leave()
  })
})
