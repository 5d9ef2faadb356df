import { describe, expect, it } from 'vitest'
import type { NodeEvent } from '../events/events.ts'
import { logEvent } from './entry.ts'
import { Log, type Format, type Level } from './log.ts'

function logOf(level: Level | 'silent', format: Format = 'json'): { log: Log; lines: string[] } {
  const lines: string[] = []
  return { log: new Log({ level, format, pool: 'p', write: (line) => lines.push(line) }), lines }
}

const node = {
  id: '12D3KooWpeer',
  reach: 'direct' as const,
  incarnation: 2,
  joinedAt: 0,
  addresses: ['/ip4/192.0.2.1/tcp/1'],
  location: 'a b@c',
  tag: '',
}

describe('a log', () => {
  it.each([
    ['debug', ['D', 'I', 'W', 'E']],
    ['warn', ['W', 'E']],
    ['error', ['E']],
    ['silent', []],
  ] as const)('of level %s has lines of that level and above', (level, codes) => {
    const { log, lines } = logOf(level)
    log.debug('D', '')
    log.info('I', '')
    log.warn('W', '')
    log.error('E', '')
    expect(lines.map((line) => (JSON.parse(line) as { code: string }).code)).toEqual(codes)
  })

  it('is JSON, one object a line, whatever the texts of others contain', () => {
    const { log, lines } = logOf('info')
    log.info('CODE', 'what\nhapp\u009B2J\u202Eened', { member: 'x', count: 3, alone: false })
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(JSON.parse(lines[0] as string)).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u),
      level: 'info',
      code: 'CODE',
      message: 'what\nhapp\u009B2J\u202Eened',
      pool: 'p',
      member: 'x',
      count: 3,
      alone: false,
    })
  })

  it('is text, one line each, whatever the texts of others contain', () => {
    const { log, lines } = logOf('info', 'text')
    log.warn('CODE', 'evil\u001B[2J\nhere', { location: 'a "b"\n', addresses: ['1', '2'], empty: '' })
    expect(lines).toEqual([expect.stringMatching(/^\S+Z warn {2}CODE evil here location="a \\"b\\"" addresses=1,2 empty=""$/u)])
  })
})

it.each([
  [
    { event: 'joined', node },
    { level: 'info', code: 'MEMBER_JOINED', member: node.id, incarnation: 2, location: 'a b@c' },
  ],
  [
    { event: 'died', node },
    { level: 'warn', code: 'MEMBER_DIED', member: node.id },
  ],
  [
    { event: 'elected', election: 'master', epoch: 3, node },
    { level: 'info', code: 'ELECTED', election: 'master', epoch: 3, member: node.id },
  ],
  [
    { event: 'error', code: 'INTRODUCER_UNREACHABLE', message: 'refused' },
    { level: 'warn', code: 'INTRODUCER_UNREACHABLE', message: 'refused' },
  ],
  [
    { event: 'error', code: 'INTERNAL', message: 'a fault' },
    { level: 'error', code: 'INTERNAL' },
  ],
  [
    { event: 'health', links: 0, members: 3, suspectedShare: 1, relayed: 0, alone: true, minority: true, introducers: [] },
    { level: 'warn', code: 'HEALTH', alone: true },
  ],
  [
    { event: 'health', links: 2, members: 3, suspectedShare: 0, relayed: 0, alone: false, minority: false, introducers: [] },
    { level: 'info', code: 'HEALTH', links: 2 },
  ],
] as const satisfies readonly (readonly [NodeEvent, object])[])('an event of a node is logged: %j', (event, entry) => {
  const { log, lines } = logOf('debug')
  logEvent(log, event)
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([expect.objectContaining(entry)])
})
