import { describe, expect, it } from 'vitest'
import type { NodeJson } from '../events/events.ts'
import { PoolView, type Row } from './view.ts'

function node(id: string, more: Partial<NodeJson> = {}): NodeJson {
  return {
    id,
    reach: 'direct',
    incarnation: 1,
    joinedAt: 0,
    addresses: [`/ip4/192.0.2.1/tcp/4001/p2p/${id}`],
    location: 'here',
    tag: '',
    ...more,
  }
}

function viewOf(...ids: string[]): PoolView {
  const view = new PoolView('render-farm')
  view.take({ event: 'started', node: node(ids[0] ?? 'self') }, 0)
  for (const id of ids) view.take({ event: 'joined', node: node(id) }, 0)
  return view
}

function rowOf(view: PoolView, id: string, now: number): Row | undefined {
  return view.rows(now).find((row) => row.node.id === id)
}

describe('the view of a pool', () => {
  it('knows location, tag, address and reigns of each member', () => {
    const view = viewOf('self')
    view.take({ event: 'joined', node: node('peer', { location: 'a@b', tag: Buffer.from('gpu=2').toString('base64') }) }, 1000)
    view.take({ event: 'elected', election: 'master', epoch: 3, node: node('peer') }, 2000)
    expect(rowOf(view, 'peer', 3000)).toMatchObject({
      state: 'here',
      since: 1000,
      location: 'a@b',
      tag: 'gpu=2',
      address: '192.0.2.1:4001',
      elected: [{ election: 'master', epoch: 3 }],
    })
    // The next incarnation of the same id was not elected.
    view.take({ event: 'joined', node: node('peer', { incarnation: 2 }) }, 4000)
    expect(rowOf(view, 'peer', 4000)?.elected).toEqual([])
  })

  it('keeps members that are gone for a while, and counts them', () => {
    const view = viewOf('self', 'one', 'other')
    view.take({ event: 'left', node: node('one') }, 1000)
    view.take({ event: 'died', node: node('other') }, 2000)
    expect(view).toMatchObject({ here: 1, left: 1, died: 1 })
    expect(view.rows(11_000).map(({ state }) => state)).toEqual(['here', 'left', 'died'])
    expect(view.rows(11_500).map(({ state }) => state)).toEqual(['here', 'died'])
    expect(view.rows(20_000).map(({ state }) => state)).toEqual(['here'])
  })

  it('keeps the arrival time of a member that changes its location', () => {
    const view = viewOf('self')
    view.take({ event: 'updated', node: node('self', { location: 'there' }) }, 5000)
    expect(rowOf(view, 'self', 6000)).toMatchObject({ since: 0, location: 'there' })
    expect(view.self?.location).toBe('there')
  })

  it('takes from a list the arrival times of members, and the members that went just before', () => {
    const view = viewOf('self', 'peer')
    const listed = (id: string, state: 'here' | 'died', since: number) => ({ ...node(id), state, since })
    const nodes = [
      listed('self', 'here', -60_000),
      listed('peer', 'died', -5000),
      listed('lately', 'died', -5000),
      listed('long ago', 'died', -50_000),
    ]
    view.take({ event: 'members', nodes }, 0)
    // Later events take precedence over the list.
    expect(view.rows(0).map(({ node: { id }, state, since }) => [id, state, since])).toEqual([
      ['self', 'here', -60_000],
      ['peer', 'here', 0],
      ['lately', 'died', -5000],
    ])
    expect(view.died).toBe(0)
  })

  it('lets no escape sequence of others through', () => {
    const view = viewOf('self')
    const evil = '\u001B[2J\u001B]0;owned\u0007a\nb\u009B'
    view.take({ event: 'joined', node: node('evil', { location: evil, tag: Buffer.from(evil).toString('base64'), addresses: [evil] }) }, 0)
    view.take({ event: 'elected', election: evil, epoch: 1, node: node('evil') }, 0)
    view.note(evil, 0)
    const { location, tag, address, elected } = rowOf(view, 'evil', 0) as Row
    const texts = [location, tag, address, ...elected.map(({ election }) => election), ...view.happenings.map(({ text }) => text)]
    expect(texts.length).toBeGreaterThan(7)
    for (const text of texts) expect(text).not.toMatch(/\p{Cc}/u)
    expect(location).toContain('a b')
  })

  it('shows events and notes, but no records of jobs and no answers', () => {
    const view = viewOf('self')
    const before = view.happenings.length
    const record = { owner: 'o', version: 1, expires: 2, value: 'aGk=' }
    view.take({ event: 'record', name: 'jel.compute/job/wide', ...record }, 1000)
    view.take({ event: 'record', name: 'weather', ...record }, 1000)
    view.take({ event: 'done', re: 1 }, 1000)
    view.note('works for job wide of …NsmTEj48', 1000)
    expect(view.happenings.slice(before).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^record weather of o/u),
      'works for job wide of …NsmTEj48',
    ])
  })

  it('bounds the numbers of made-up elections and of events that it keeps', () => {
    const view = viewOf('self')
    for (let index = 0; index < 3000; index += 1) view.take({ event: 'elected', election: `e${index}`, epoch: 1, node: node('self') }, 0)
    expect(view.reigns.size).toBe(1024)
    expect([...view.reigns.values()].at(-1)?.election).toBe('e2999')
    expect(view.happenings.length).toBeLessThanOrEqual(256)
  })
})
