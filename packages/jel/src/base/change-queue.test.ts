import { describe, expect, it } from 'vitest'
import { FakeOverlay, member } from '../../test/fake-overlay.ts'
import type { Change } from './member.ts'
import { Pool } from '../pool/pool.ts'

const parts = { joins: 'unreliable', elections: 'non-uniform' } as const

function names(changes: readonly Change[]): string[] {
  return changes.map(({ type, member }) => `${type} ${member.id}/${member.incarnation}`)
}

async function take(changes: AsyncIterator<Change, undefined>, count: number): Promise<string[]> {
  const taken: Change[] = []
  while (taken.length < count) {
    const { done, value } = await changes.next()
    if (done === true) break
    taken.push(value)
  }
  return names(taken)
}

describe('changes()', () => {
  it('starts with this node, then all present members, then changes as they happen', async () => {
    const overlay = new FakeOverlay(member('A'), member('C'))
    const changes = new Pool(overlay, parts).changes()
    overlay.tell({ type: 'died', member: member('A') })
    overlay.tell({ type: 'joined', member: member('A', 2) })
    expect(await take(changes, 5)).toEqual(['joined B/1', 'joined A/1', 'joined C/1', 'died A/1', 'joined A/2'])
  })

  it('reports a member that changed within its life, and shows the change from then on', async () => {
    const overlay = new FakeOverlay(member('A'))
    const pool = new Pool(overlay, parts)
    const [early, heard] = [pool.changes(), [] as string[][]]
    pool.addEventListener('updated', ({ detail }) => heard.push([...detail.addresses]))
    const moved = { ...member('A'), addresses: ['/ip4/127.0.0.1/tcp/2/p2p/A'] }
    overlay.tell({ type: 'updated', member: moved })
    expect(await take(early, 3)).toEqual(['joined B/1', 'joined A/1', 'updated A/1'])
    expect(heard).toEqual([moved.addresses])
    const late = pool.changes()
    await late.next()
    expect((await late.next()).value).toEqual({ type: 'joined', member: moved })
  })

  it('gives each reader a snapshot of its own moment', async () => {
    const overlay = new FakeOverlay(member('A'))
    const pool = new Pool(overlay, parts)
    const early = pool.changes()
    overlay.tell({ type: 'left', member: member('A') })
    const late = pool.changes()
    overlay.tell({ type: 'joined', member: member('C') })
    expect(await take(early, 4)).toEqual(['joined B/1', 'joined A/1', 'left A/1', 'joined C/1'])
    expect(await take(late, 2)).toEqual(['joined B/1', 'joined C/1'])
  })

  it('wakes a reader that waits', async () => {
    const overlay = new FakeOverlay()
    const changes = new Pool(overlay, parts).changes()
    await changes.next()
    const next = [changes.next(), changes.next()]
    overlay.tell({ type: 'joined', member: member('A') })
    overlay.tell({ type: 'left', member: member('A') })
    expect((await Promise.all(next)).map(({ value }) => value?.type)).toEqual(['joined', 'left'])
  })

  it('overflows with an error, never with a gap, and does not count the snapshot', async () => {
    const overlay = new FakeOverlay(member('A'), member('C'), member('D'))
    const changes = new Pool(overlay, parts).changes({ limit: 2 })
    overlay.tell({ type: 'left', member: member('A') })
    overlay.tell({ type: 'left', member: member('C') })
    expect(await take(changes, 1)).toEqual(['joined B/1'])
    overlay.tell({ type: 'left', member: member('D') })
    await expect(changes.next()).rejects.toMatchObject({ code: 'CHANGES_OVERFLOW' })
    expect(await changes.next()).toEqual({ done: true, value: undefined })
  })

  it('counts only the changes that wait', async () => {
    const overlay = new FakeOverlay(member('A'))
    const changes = new Pool(overlay, parts).changes({ limit: 1 })
    await take(changes, 2)
    for (let incarnation = 2; incarnation < 5000; incarnation += 1) {
      overlay.tell({ type: 'joined', member: member('A', incarnation) })
      expect(await take(changes, 1)).toEqual([`joined A/${incarnation}`])
    }
  })

  it('gives all queued changes after leave', async () => {
    const overlay = new FakeOverlay()
    const pool = new Pool(overlay, parts)
    const changes = pool.changes()
    overlay.tell({ type: 'joined', member: member('A') })
    await pool.leave()
    const seen: Change[] = []
    for await (const change of changes) seen.push(change)
    expect(names(seen)).toEqual(['joined B/1', 'joined A/1'])
    expect(() => pool.changes()).toThrow(expect.objectContaining({ code: 'POOL_LEFT' }))
  })

  it('throws when the node has failed', async () => {
    const overlay = new FakeOverlay()
    const pool = new Pool(overlay, parts)
    const changes = pool.changes()
    await changes.next()
    const waiting = changes.next()
    const failure = new Error('the identity is in use twice')
    overlay.fail(failure)
    await expect(waiting).rejects.toMatchObject({ code: 'POOL_LEFT', cause: failure })
    expect(await pool.closed).toEqual({ reason: 'failed', error: failure })
  })

  it('ends with the reason of its signal', async () => {
    const pool = new Pool(new FakeOverlay(), parts)
    const controller = new AbortController()
    const changes = pool.changes({ signal: controller.signal })
    await changes.next()
    const waiting = changes.next()
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    expect(() => pool.changes({ signal: controller.signal })).toThrow('enough')
  })

  it('stops collecting when the loop is left', async () => {
    const overlay = new FakeOverlay(member('A'))
    const changes = new Pool(overlay, parts).changes({ limit: 1 })
    for await (const _ of changes) break
    for (let count = 0; count < 3; count += 1) overlay.tell({ type: 'left', member: member('A') })
    expect(await changes.next()).toEqual({ done: true, value: undefined })
  })

  it('is refused with joins off, and nothing is reported then', async () => {
    const overlay = new FakeOverlay(member('A'))
    const pool = new Pool(overlay, { joins: 'off', elections: 'non-uniform' })
    const heard: string[] = []
    for (const type of ['joined', 'left', 'died'] as const) pool.addEventListener(type, () => heard.push(type))
    overlay.tell({ type: 'died', member: member('A') })
    expect(heard).toEqual([])
    expect(() => pool.changes()).toThrow(expect.objectContaining({ code: 'JOINS_OFF' }))
  })
})
