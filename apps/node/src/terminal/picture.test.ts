import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { NodeJson } from '../events/events.ts'
import { Controls } from './controls.ts'
import { cellWidth } from './line.ts'
import { draw } from './picture.ts'
import { PoolView } from './view.ts'

const ID = '12D3KooWRhabzwWhqGKPhYMqEuNLYGwGNKded4wc8XiRKrkcixUP'

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

function viewOf(count: number): PoolView {
  const view = new PoolView('render-farm')
  view.take({ event: 'started', node: node(ID) }, 0)
  view.take({ event: 'joined', node: node(ID, { tag: Buffer.from('gpu=2').toString('base64') }) }, 0)
  for (let index = 1; index < count; index += 1)
    view.take({ event: 'joined', node: node(`peer${index}`, { location: `node${index}@delft` }) }, 0)
  return view
}

function picture(view: PoolView, columns: number, rows: number, controls = new Controls(), now = 20_000): string[] {
  return draw(view, controls, now, { columns, rows }, 'q quit').map((line) => stripVTControlCharacters(line))
}

describe('the picture', () => {
  it('shows members with tag, address and epoch, this node marked, and recent events', () => {
    const view = viewOf(2)
    view.take({ event: 'elected', election: 'master', epoch: 7, node: node('peer1') }, 1000)
    view.take({ event: 'links', links: [{ id: 'peer1', roundTrip: 3.26 }, { id: ID }] }, 1000)
    const lines = picture(view, 100, 24)
    expect(lines).toHaveLength(24)
    expect(lines[0]).toBe('render-farm  2 members  for 20 s')
    expect(lines).toContainEqual('elected   master: …peer1, epoch 7')
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}NODE +STATE +FOR +RTT +LOCATION +TAG +ADDRESS +ELECTED/u))
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}…peer1 +here +20 s +3\.3 ms +node1@delft +192\.0\.2\.1:4001 +master \(7\)/u))
    expect(lines).toContainEqual(expect.stringMatching(/^\* …KrkcixUP +here +20 s +here +gpu=2 +192\.0\.2\.1:4001/u))
    expect(lines).toContainEqual(expect.stringMatching(/elected master: …peer1 \(here\), epoch 7$/u))
    expect(lines.at(-1)).toBe('q quit')
  })

  it('shows the ledger where there is one, and its last entry', () => {
    const view = viewOf(2)
    expect(picture(view, 100, 24).join('\n')).not.toContain('ledger')
    const ledger = { id: '1-ab', generation: 1, state: 'ready', term: 2, leader: ID, voters: [], index: 4 } as const
    view.take({ event: 'ledger', ...ledger }, 1000)
    view.take({ event: 'ordered', index: 9, name: 'row', payload: 'aGk=', node: node('peer1') }, 1000)
    const lines = picture(view, 100, 24)
    expect(lines).toContainEqual('ledger    ready, term 2, leader …KrkcixUP, 0 voters, index 9')
    expect(lines).toContainEqual(expect.stringMatching(/ordered 9: row from …peer1 \(here\): hi$/u))
  })

  it.each([
    [60, 20],
    [80, 24],
    [200, 50],
    [20, 5],
    [1, 1],
  ])('fits a terminal of %i columns and %i lines, however many members there are', (columns, rows) => {
    const view = viewOf(1000)
    view.take(
      { event: 'joined', node: node('wide', { location: '東京'.repeat(40), tag: Buffer.from('x'.repeat(900)).toString('base64') }) },
      0,
    )
    const controls = new Controls()
    for (const settings of [{}, { details: true, selected: 'wide' }, { help: true }, { typing: true, filter: 'delft' }]) {
      const lines = picture(view, columns, rows, Object.assign(controls, settings))
      expect(lines.length).toBeLessThanOrEqual(rows)
      for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(columns)
    }
  })

  it('leaves columns out where there is no room, and shows whole ids where there is', () => {
    const view = viewOf(3)
    const head = (columns: number): string => picture(view, columns, 24).find((line) => line.includes('NODE')) as string
    expect(head(60)).toMatch(/^ {2}NODE +STATE +FOR +(RTT +)?LOCATION +TAG +ELECTED/u)
    expect(head(30)).toMatch(/^ {2}NODE +STATE/u)
    expect(picture(view, 200, 24).some((line) => line.startsWith(`* ${ID}  here`))).toBe(true)
  })

  it('shows the position in the list, and scrolls to the selected member', () => {
    const view = viewOf(1000)
    const controls = new Controls()
    expect(picture(view, 100, 24, controls).join('\n')).toMatch(/ {2}1–\d+ of 1000/u)
    controls.take({ name: 'end' }, controls.choose(view.rows(20_000)))
    const lines = picture(view, 100, 24, controls).join('\n')
    expect(lines).toMatch(/ {2}\d+–1000 of 1000/u)
    expect(lines).toContain(`…${(controls.selected as string).slice(-8)}`)
  })

  it('shows the details of the selected member in place of recent events', () => {
    const view = viewOf(2)
    const controls = Object.assign(new Controls(), { details: true, selected: ID })
    expect(picture(view, 100, 24, controls)).toEqual(
      expect.arrayContaining([`id        ${ID}`, 'tag       gpu=2', `address   /ip4/192.0.2.1/tcp/4001/p2p/${ID}`]),
    )
  })

  it('shows problems, and why no introducer lets this node in', () => {
    const view = viewOf(4)
    const introducers = [{ address: '/ip4/192.0.2.9/tcp/4001', reason: 'refused' }]
    view.take({ event: 'health', links: 0, members: 4, suspectedShare: 1, relayed: 0, alone: true, minority: true, introducers }, 1000)
    const lines = picture(view, 100, 24)
    expect(lines).toContainEqual('health    alone: none of the other 3 members can be reached, in a minority')
    expect(lines).toContainEqual('          /ip4/192.0.2.9/tcp/4001: refused')
  })
})
