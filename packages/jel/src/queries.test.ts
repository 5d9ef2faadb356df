import { describe, expect, it } from 'vitest'
import { FakeOverlay, member } from '../test/fake-overlay.ts'
import { Pool } from './pool.ts'

const parts = { joins: 'unreliable', elections: 'non-uniform' } as const

describe('a query to some of many members', () => {
  it('names no more of them in one event than others accept', async () => {
    const overlay = new FakeOverlay(...Array.from({ length: 600 }, (_, i) => member(`M${i}`)))
    const pool = new Pool(overlay, parts)
    const answers = pool.query('load', '', { filter: { location: 'here' } })
    await expect.poll(() => overlay.asked.filter((asked) => asked.startsWith('broadcast')).length).toBe(3)
    const named = overlay.asked.filter((asked) => asked.startsWith('broadcast')).map((asked) => asked.split(' ').length - 4)
    expect(named).toEqual([256, 256, 89])
    // The time grows with their number: 10 ms for each.
    expect(overlay.asked.find((asked) => asked.startsWith('broadcast'))).toMatch(/^broadcast load 0 6010 /u)
    await answers.return?.()
  })
})

describe('whoever is asked', () => {
  it('answers only so much of one member at a time, and what it can’t reach not again', async () => {
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
    // The fake gives no stream.
    overlay.open = () => Promise.reject(new Error('nobody there'))
    for (const resolve of held.splice(0)) resolve('0.5')
    await expect.poll(() => warnings.filter((warning) => warning.includes('nobody there')).length).toBe(8)
    ask(10)
    expect(held).toHaveLength(0)
    await pool.leave()
  })

  it('is told when nobody waits for its answer any more', async () => {
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
