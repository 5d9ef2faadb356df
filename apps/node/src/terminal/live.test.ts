import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { NodeJson } from '../agent/events.ts'
import { LiveView } from './live.ts'

function node(id: string, location = 'here'): NodeJson {
  return { id, incarnation: 1, addresses: [], location, tag: '' }
}

function view(count: number): LiveView {
  const view = new LiveView('render-farm')
  view.take({ event: 'started', node: node('self') }, 0)
  for (let index = 0; index < count; index += 1) view.take({ event: 'joined', node: node(index === 0 ? 'self' : `peer${index}`) }, 0)
  return view
}

function draw(view: LiveView, now: number, columns = 100, rows = 30): string[] {
  return stripVTControlCharacters(view.draw(now, columns, rows)).split('\n')
}

describe('the live view', () => {
  it('shows members, their state and their roles', () => {
    const pool = view(3)
    pool.take({ event: 'elected', election: 'master', epoch: 1, node: node('peer1') }, 1000)
    pool.take({ event: 'died', node: node('peer2') }, 1000)
    const lines = draw(pool, 5000)
    expect(lines[0]).toBe('render-farm  2 members')
    expect(lines.some((line) => /^\* +…self +here +0:05/u.test(line))).toBe(true)
    expect(lines.some((line) => /…peer1 +here .* master$/u.test(line))).toBe(true)
    expect(lines.some((line) => /…peer2 +died/u.test(line))).toBe(true)
  })

  it('forgets who is gone after a while', () => {
    const pool = view(2)
    pool.take({ event: 'left', node: node('peer1') }, 0)
    expect(draw(pool, 5000).join('\n')).toMatch(/peer1 +left/u)
    expect(draw(pool, 11_000).join('\n')).not.toMatch(/peer1 +left/u)
  })

  it('fits the terminal however large the pool is, and keeps itself in sight', () => {
    const pool = view(500)
    const lines = draw(pool, 0, 60, 24)
    expect(lines.length).toBeLessThanOrEqual(24)
    expect(lines.join('\n')).toMatch(/\* +…self/u)
    expect(lines.join('\n')).toMatch(/… and \d+ more/u)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60)
  })

  it('lets no escape sequence of others through', () => {
    const pool = view(1)
    pool.take({ event: 'joined', node: node('evil', '\u001B[2J\u001B]0;owned\u0007a\nb\u009B') }, 0)
    const picture = pool.draw(0, 100, 30)
    for (const evil of ['\u001B[2J', '\u001B]0', '\u0007', '\u009B']) expect(picture).not.toContain(evil)
    expect(draw(pool, 0).some((line) => line.includes('a b'))).toBe(true)
  })

  it('shows what else is noted, and no records of jobs', () => {
    const pool = view(1)
    const record = { owner: 'o', version: 1, expires: 2, value: 'aGk=' }
    pool.take({ event: 'record', name: 'jel.compute/job/wide', ...record }, 1000)
    pool.take({ event: 'record', name: 'weather', ...record }, 1000)
    pool.note('works for job wide of …NsmTEj48', 1000)
    const lines = draw(pool, 1000).filter((line) => /record|works/u.test(line))
    expect(lines).toEqual([expect.stringMatching(/record weather of o/u), expect.stringMatching(/works for job wide of …NsmTEj48$/u)])
  })
})
