import { describe, expect, it } from 'vitest'
import type { NodeJson } from '../../events/events.ts'
import { layOut } from './layout.ts'
import { Model, type Told } from './model.ts'
import { eventText, healthText, troubleText } from './text.ts'
import { niceAbove, timeAxisOf } from './charts.ts'

const node = (id: string, more: Partial<NodeJson> = {}): NodeJson => ({
  id,
  reach: 'direct',
  incarnation: 1,
  joinedAt: 0,
  addresses: [`/ip4/127.0.0.1/tcp/4001/p2p/${id}`],
  location: `${id}@rack@delft`,
  tag: '',
  ...more,
})
const health = { links: 1, members: 2, suspectedShare: 0, relayed: 0, alone: false, minority: false, introducers: [] }

/** Returns a model that got a snapshot at 1,000,000. The snapshot has A, the node itself, and B. */
function setUp(more: object = {}): { model: Model; tell: (time: number, event: object) => void } {
  const model = new Model()
  const tell = (time: number, event: object): void => void model.take({ time, pool: 'p', ...event } as Told, time)
  const here = ['A', 'B'].map((id, i) => ({ ...node(id), state: 'here', since: 900_000 + i }))
  const reigns = [{ election: 'master', epoch: 3, node: node('B') }]
  const snapshot = { version: '1', started: 800_000, node: node('A'), members: here, reigns, health }
  tell(1_000_000, { event: 'snapshot', ...snapshot, reports: [], sizes: [], detections: [], events: [], ...more })
  return { model, tell }
}

const ids = (model: Model, search = ''): string[] => model.list(search, 'id', false).map(({ id, state }) => `${id} ${state}`)

describe('the model of the page', () => {
  it('has the state of the snapshot, and the events that follow', () => {
    const { model, tell } = setUp()
    expect(ids(model)).toEqual(['A here', 'B here'])
    expect(model.rolesOf('B')).toEqual(['master'])
    tell(1_001_000, { event: 'joined', node: node('C', { tag: btoa('gpu') }) })
    tell(1_003_000, { event: 'died', node: node('B') })
    tell(1_003_500, { event: 'detection', member: 'B', seconds: 1.5 })
    tell(1_004_000, { event: 'elected', election: 'master', epoch: 4, node: node('C') })
    expect(ids(model)).toEqual(['A here', 'C here', 'B died'])
    expect(model.here).toBe(2)
    expect(model.roles).toMatchObject([{ election: 'master', epoch: 4, node: { id: 'C' } }])
    expect(model.history.past.sizes).toEqual([
      [1_001_000, 3],
      [1_003_000, 2],
    ])
    expect(model.history.past.detections).toEqual([[1_003_500, 1.5]])
    expect(model.history.past.events.map((event) => `${event.event} ${eventText(event)}`)).toEqual([
      'joined …C (C@rack@delft)',
      'died …B (B@rack@delft)',
      'elected master: …C (C@rack@delft), epoch 4',
    ])
  })

  it('follows the ledger, and has its last entry without news of each', () => {
    const ledger = { id: '1-ab', generation: 1, state: 'ready', term: 1, leader: 'A', voters: [], index: 3 }
    const { model, tell } = setUp({ ledger })
    expect(model.ledger).toMatchObject(ledger)
    tell(1_001_000, { event: 'ledger', ...ledger, index: 9 })
    expect(model.ledger?.index).toBe(9)
    expect(model.history.past.events).toEqual([])
    tell(1_002_000, { event: 'ledger', ...ledger, state: 'no-majority', leader: null, index: 9 })
    expect(model.history.past.events.map(eventText)).toEqual(['no majority, term 1, no leader, 0 voters, index 9'])
    expect(setUp().model.ledger).toBeUndefined()
  })

  it('forgets departed members after a while, and keeps a later life of the same id', () => {
    const { model, tell } = setUp()
    tell(1_000_100, { event: 'joined', node: node('B', { incarnation: 2 }) })
    tell(1_000_200, { event: 'died', node: node('B') })
    expect(ids(model)).toEqual(['A here', 'B here'])
    tell(1_000_300, { event: 'left', node: node('B', { incarnation: 2 }) })
    model.sweep(1_060_000)
    expect(ids(model)).toEqual(['A here', 'B left'])
    model.sweep(1_200_000)
    expect(ids(model)).toEqual(['A here'])
  })

  it('begins anew where the node answers again', () => {
    const { model, tell } = setUp()
    tell(1_001_000, { event: 'joined', node: node('C') })
    tell(1_002_000, { event: 'stopped' })
    expect(model.stopped).toBe(true)
    const members = [{ ...node('A'), state: 'here', since: 1 }]
    tell(1_003_000, {
      event: 'snapshot',
      version: '1',
      started: 1,
      node: node('A'),
      members,
      reigns: [],
      health,
      reports: [],
      sizes: [],
      detections: [],
      events: [],
    })
    expect(ids(model)).toEqual(['A here'])
    expect(model.stopped).toBe(false)
    expect(model.roles).toEqual([])
  })

  it('has the latest figures of each present member', () => {
    const { model, tell } = setUp()
    const figures = { workers: 2, busy: 1, memory: 9e7, traffic: 5 }
    tell(1_001_000, { event: 'neighbours', of: 'B', links: [], figures })
    expect(model.figuresOf('B')).toEqual(figures)
    // An answer without figures leaves the earlier ones.
    tell(1_001_100, { event: 'neighbours', of: 'B', links: [] })
    tell(1_001_200, { event: 'neighbours', of: 'B', links: [], figures: { ...figures, busy: 2 } })
    expect(model.figuresOf('B')).toMatchObject({ busy: 2 })
    expect(model.figuresOf('A')).toBeUndefined()
    tell(1_002_000, { event: 'left', node: node('B') })
    expect(model.figuresOf('B')).toBeUndefined()
  })

  it('draws no work of members that are not there', () => {
    const { model, tell } = setUp()
    const workers = ['B', 'invented'].map((member) => ({ member, begun: 1, finished: 0, running: 1, waiting: 0, ran: 0 }))
    const job = {
      job: 'j',
      name: 'j',
      owner: 'A',
      state: 'active',
      reason: '',
      covered: 0,
      members: 2,
      begun: 2,
      finished: 0,
      rate: 0,
    } as const
    tell(1_001_000, { event: 'jobs', jobs: [{ ...job, submitted: 0, tasks: [], functions: [], workers }], more: 0 })
    expect(model.stream.view(1_002_000).strips.map(({ member }) => member)).toEqual(['B'])
  })

  it('finds members by all words of a filter, in any field', () => {
    const { model, tell } = setUp()
    tell(1_001_000, { event: 'joined', node: node('C', { tag: btoa('gpu=2'), location: 'n3@leiden' }) })
    expect(ids(model, 'gpu')).toEqual(['C here'])
    expect(ids(model, 'leiden GPU')).toEqual(['C here'])
    expect(ids(model, 'master')).toEqual(['B here'])
    expect(ids(model, 'delft gpu')).toEqual([])
    expect(ids(model, ':4001 here')).toHaveLength(3)
  })

  it('sorts by each column, both ways', () => {
    const { model, tell } = setUp()
    tell(1_001_000, { event: 'neighbours', of: 'A', links: [['B', 7]] })
    tell(1_001_000, { event: 'joined', node: node('C') })
    tell(1_001_000, { event: 'neighbours', of: 'C', links: [['A', 2]] })
    const by = (key: 'age' | 'roundTrip', down: boolean): string[] => model.list('', key, down).map(({ id }) => id)
    expect(by('age', false)).toEqual(['C', 'B', 'A'])
    expect(by('age', true)).toEqual(['A', 'B', 'C'])
    expect(by('roundTrip', false)).toEqual(['C', 'B', 'A'])
  })

  it('lists members that are gone last, however it sorts, and locations as people count', () => {
    const { model, tell } = setUp()
    for (const id of ['C', 'D', 'E'])
      tell(1_001_000, { event: 'joined', node: node(id, { location: `site ${{ C: 10, D: 2, E: 1 }[id]}` }) })
    tell(1_002_000, { event: 'died', node: node('E', { location: 'site 1' }) })
    const by = (key: 'location' | 'id', down: boolean): string =>
      model
        .list('', key, down)
        .map(({ id }) => id)
        .join('')
    expect([by('location', false), by('location', true), by('id', true)]).toEqual(['ABDCE', 'CDBAE', 'DCBAE'])
  })

  it('has each link between present members once, whichever end reported it', () => {
    const { model, tell } = setUp()
    tell(1_001_000, { event: 'neighbours', of: 'A', links: [['B'], ['gone', 1]] })
    tell(1_001_000, { event: 'neighbours', of: 'B', links: [['A', 4]] })
    expect(model.edges).toEqual([{ from: 'B', to: 'A', roundTrip: 4 }])
    expect(model.roundTrip('B')).toBe(4)
    tell(1_002_000, { event: 'died', node: node('B') })
    expect(model.edges).toEqual([])
  })

  it('has one line for the links between two sites that are a full mesh, as long as they are', () => {
    const { model, tell } = setUp()
    const all = Array.from({ length: 6 }, (_, i) => `${i}`)
    const locationOf = (id: string): string => `${id}@${Number(id) < 3 ? 'delft' : 'leiden'}`
    for (const id of all) tell(1_001_000, { event: 'joined', node: node(id, { location: locationOf(id) }) })
    for (const id of all) tell(1_001_000, { event: 'neighbours', of: id, links: all.filter((to) => to !== id).map((to) => [to, 1]) })
    expect(model.lines.bundles).toEqual([{ sites: ['delft', 'leiden'], links: 9 }])
    expect(model.lines.singles).toHaveLength(6)
    for (const id of ['0', '1']) tell(1_002_000, { event: 'died', node: node(id, { location: locationOf(id) }) })
    expect([model.lines.bundles, model.lines.singles.length]).toEqual([[], 6])
  })

  it('has the jobs of the last report, which is no event of its log, and none of a node before', () => {
    const { model, tell } = setUp()
    tell(1_001_000, {
      event: 'jobs',
      jobs: [{ job: 'a', name: 'queens', state: 'done', finished: 3, functions: [], workers: [] }],
      more: 4,
    })
    expect([model.jobs.rows.map(({ name, done }) => [name, done]), model.jobs.more]).toEqual([[['queens', 3]], 4])
    expect(model.history.past.events).toEqual([])
    model.clear()
    expect(model.jobs.rows).toEqual([])
  })

  it('has the work of the last minute, also after its stream of events broke', () => {
    const { model, tell } = setUp()
    const jobs = (ran: number): object => ({
      event: 'jobs',
      jobs: [{ job: 'a', state: 'active', begun: 1, functions: [], workers: [{ member: 'B', finished: ran / 10, ran, running: 1 }] }],
      more: 0,
    })
    for (const second of [1, 2, 3]) tell(1_000_000 + second * 1000, jobs(second * 900))
    model.clear()
    expect(model.stream.view(1_003_000).strips).toMatchObject([{ member: 'B', workers: expect.closeTo(0.9) }])
  })

  it('keeps no more events and samples than it shows', () => {
    const { model, tell } = setUp()
    for (let i = 0; i < 2_000; i += 1) tell(1_000_000 + i * 2_000, { event: 'joined', node: node(`N${i}`) })
    expect(model.history.past.events.length).toBeLessThanOrEqual(300)
    expect(model.history.past.sizes.length).toBeLessThanOrEqual(500)
    expect(model.here).toBe(2_002)
  })
})

it('members stand on a circle, those of a site side by side, each at a place of its own', () => {
  const members = Array.from({ length: 1_000 }, (_, i) => ({ id: `m${i}`, site: `s${i % 7}`, location: `n${i}@s${i % 7}` }))
  const { places, sites } = layOut(members)
  expect(sites).toHaveLength(7)
  expect(new Set([...places.values()].map(({ x, y }) => `${x.toFixed(6)} ${y.toFixed(6)}`)).size).toBe(1_000)
  expect([...places.values()].every(({ x, y }) => Math.hypot(x, y) <= 1.000_001)).toBe(true)
  const { places: same } = layOut(members.toReversed())
  expect(same).toEqual(places)
  expect(layOut([]).places.size).toBe(0)
})

it('sites stand around the circle as people count', () => {
  const members = ['site 10', 'site 2'].map((site) => ({ id: site, site, location: `n@${site}` }))
  expect(layOut(members).sites).toEqual(['site 2', 'site 10'])
})

it('figures are put in words', () => {
  expect(healthText(health)).toBe('well')
  expect(healthText({ ...health, alone: true, minority: true })).toBe('reaches nobody, in a minority')
  expect(troubleText({ ...health, suspectedShare: 0.25 })).toBe('25 % suspected or lost')
  expect([0.3, 1, 3, 17, 950].map(niceAbove)).toEqual([expect.closeTo(0.4), 1, 4, 20, 1_000])
})

it('all charts begin with the first sample of any of them, and show a minute at least', () => {
  const now = 1_000_000
  const [early, late] = [[[400_000, 3] as const, [990_000, 4] as const], [[700_000, 1.5] as const]]
  expect(timeAxisOf([early, late], now)).toEqual({ begin: 400_000, now })
  expect(timeAxisOf([late, early], now)).toEqual({ begin: 400_000, now })
  expect(timeAxisOf([[], late], now)).toEqual({ begin: 700_000, now })
  expect(timeAxisOf([[], [[990_000, 1]]], now)).toEqual({ begin: 940_000, now })
})
