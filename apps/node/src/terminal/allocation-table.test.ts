import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { LeasesJson, ServiceJson } from '../events/events.ts'
import { Controls } from './controls.ts'
import { cellWidth } from './line.ts'
import { draw } from './picture.ts'
import { PoolView } from './view.ts'

const members: LeasesJson[] = [
  {
    member: 'member-0001',
    totals: { cpus: 8, ranks: 1 },
    leases: [
      { number: 1, holder: 'member-0002', background: false, startsIn: 0, endsIn: 60_000, amounts: { cpus: 2 } },
      { number: 2, holder: 'member-0002', background: true, startsIn: 30_000, endsIn: 90_000, amounts: { cpus: 5.5 } },
      { number: 3, holder: 'member-0001', background: false, startsIn: 0, endsIn: 3_600_000, amounts: { ranks: 1 }, group: 'a7a7a7a7a7a7' },
    ],
    ranks: [
      { group: 'a7a7a7a7a7a7', program: 'solve', starter: 'member-0002', state: 'running', rank: 0, of: 1, groups: [], leases: [] },
      { group: 'b8b8b8b8b8b8', program: 'other', starter: 'member-0002', state: 'waits', groups: ['a7a7a7a7a7a7'], leases: [] },
    ],
  },
  {
    member: 'member-0002',
    totals: {},
    leases: [],
    starts: [{ group: 'b8b8b8b8b8b8', program: 'other', state: 'holding', count: 1, held: 0, waits: 1, refused: 0, ended: 0 }],
  },
  { member: 'member-0003', reason: 'no answer\u001B[2J' },
]
const services: ServiceJson[] = [
  { name: 'echo', version: '2.0.0', replicas: undefined, instances: ['member-0003'], standing: [], primary: undefined },
  {
    name: 'counter',
    version: '1.0.0',
    replicas: 3,
    instances: ['member-0001', 'member-0002'],
    standing: ['member-0001', 'member-0002'],
    primary: 'member-0001',
    status: { epoch: 4, backups: ['member-0002'], operations: 17, refusal: undefined },
  },
]

function lines(columns: number, rows: number, controls = new Controls(), isKnown = true, now = 10_000): string[] {
  const view = new PoolView('p')
  if (isKnown) for (const event of [{ event: 'leases', members } as const, { event: 'services', services } as const]) view.take(event, 0)
  controls.table = 'leases'
  return draw(view, controls, now, { columns, rows }, 'q quit').map((line) => stripVTControlCharacters(line).trimEnd())
}

describe('leases, groups and services in a terminal', () => {
  it('show who holds what until when, where a group waits and why, and the state of services', () => {
    expect(lines(110, 40).slice(2, 24)).toEqual([
      '',
      'GROUPS',
      'other b8b8b8b8    holding: 0 of 1 held, 1 waits, started by …ber-0002',
      '  …ber-0001       waits for solve a7a7a7a7 (running)',
      'solve a7a7a7a7    running: 1 rank on 1 member, started by …ber-0002',
      '  …ber-0001       rank 0 of 1, running',
      'LEASES',
      '…ber-0001         offers cpus=8 ranks=1',
      '  lease 1         cpus=2, …ber-0002, ends in 50.0 s',
      '  lease 2         cpus=5.5 of what others leave, …ber-0002, begins in 20.0 s, ends in 1 min 20 s',
      '  lease 3         ranks=1, group a7a7a7a7, ends in 59 min 50 s',
      '…ber-0003         no answer',
      'SERVICES',
      'echo 2.0.0        1 instance',
      'counter 1.0.0     2 of 3 replicas of 2 instances, 17 operations; 1 of 2 backups',
      '  …ber-0001       primary, epoch 4',
      '  …ber-0002       backup',
      '',
      '',
      '',
      '',
      '',
    ])
  })

  it.each([
    [40, 12],
    [20, 6],
    [1, 1],
  ])('fit a terminal of %i columns and %i lines, and scroll', (columns, rows) => {
    const controls = new Controls()
    const shown = lines(columns, rows, controls)
    expect(shown.length).toBeLessThanOrEqual(rows)
    for (const line of shown) expect(cellWidth(line)).toBeLessThanOrEqual(columns)
    if (rows < 10) return
    controls.take({ name: 'end' }, [])
    expect(lines(columns, rows, controls).join('\n')).toContain('…ber-0002')
  })

  it('say that members are asked, and that there is nothing', () => {
    expect(lines(80, 12, new Controls(), false)).toContain('  asking the members …')
    const view = new PoolView('p')
    view.take({ event: 'leases', members: [] }, 0)
    const controls = Object.assign(new Controls(), { table: 'leases' as const })
    expect(draw(view, controls, 0, { columns: 80, rows: 12 }, '').join('\n')).toContain('no member offers a capacity')
  })
})
