import { afterEach, expect, it, vi } from 'vitest'
import { follow } from './feed.ts'
import { Model, type Told } from './model.ts'

afterEach(() => void vi.unstubAllGlobals())

it('texts of members do not change the direction of the text that follows them', () => {
  const source: { onmessage?: (message: { data: string }) => void } = {}
  vi.stubGlobal('EventSource', function EventSource() {
    return source
  })
  const told: Told[] = []
  follow(
    (event) => told.push(event),
    () => {},
  )
  const evil = '\u202Elive'
  const node = {
    id: 'B',
    reach: 'direct',
    incarnation: 1,
    joinedAt: 0,
    addresses: [`/dns4/${evil}/tcp/1`],
    location: `${evil}@\u0000x`,
    tag: '',
  }
  const event = { event: 'joined', node: { ...node, tag: Buffer.from(evil).toString('base64') } }
  source.onmessage?.({ data: JSON.stringify({ ...event, time: 1, pool: 'p' }) })
  const model = new Model()
  for (const each of told) model.take(each, each.time)
  expect(model.list('', 'id', false)).toMatchObject([{ location: '?live@?x', site: '?x', tag: '?live', address: '?live:1' }])
})
