import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { JobOverview } from '../events/job-messages.ts'
import { Controls } from './controls.ts'
import { cellWidth } from './line.ts'
import { draw } from './picture.ts'
import { PoolView } from './view.ts'

const job: JobOverview = {
  job: 'a',
  name: 'queens\u001B[2J of a very long name that no column has room for',
  owner: 'o',
  submitted: 0,
  state: 'active',
  reason: '',
  covered: 0.42,
  begun: 12_345,
  finished: 12_345,
  members: 2,
  functions: [{ fn: 'place', finished: 12_345, failed: 7, ran: 18_455_775 }],
  workers: [{ member: 'member-0001', begun: 60, finished: 50, running: 2, waiting: 30, ran: 5000 }],
  tasks: [],
}

function lines(columns: number, rows: number, jobs: readonly JobOverview[] | undefined, controls = new Controls()): string[] {
  const view = new PoolView('p')
  if (jobs !== undefined) view.take({ event: 'jobs', jobs, more: 0 }, 0)
  controls.table = 'jobs'
  return draw(view, controls, 20_000, { columns, rows }, 'q quit').map((line) => stripVTControlCharacters(line).trimEnd())
}

describe('the jobs in a terminal', () => {
  it('have a line each, and below it a line for each function and member, and the reason for their state', () => {
    const shown = lines(120, 24, [job])
    expect(shown.find((line) => line.startsWith('JOB'))).toMatch(/^JOB +DONE +TASKS +FAILED +TASKS\/S +MEAN +RUNNING +WAITING$/u)
    expect(shown).toContainEqual(expect.stringMatching(/^queens of a very long name .*… +42 % +12\.3 k +7 +1\.5 s +2 +30$/u))
    expect(shown).toContainEqual('  active for 20.0 s, 1 of 2 members at work')
    expect(shown).toContainEqual(expect.stringMatching(/^ {2}place +12\.3 k +7 +1\.5 s$/u))
    expect(shown).toContainEqual(expect.stringMatching(/^ {2}…ber-0001 +50 +100 ms +2 +30$/u))
  })

  it.each([
    [100, [/^ {2}…ber-0001 +50 .* 30 {2}n1@site 2$/u]],
    [60, [/^ {2}…ber-0001 +50 .* 30$/u, /^ {4}n1@site 2$/u]],
  ])('have the location of a member on its line if there is room, at %i columns', (columns, patterns) => {
    const view = new PoolView('p')
    const node = { id: 'member-0001', incarnation: 1, addresses: [], location: 'n1@site 2', tag: '', reach: 'direct' as const, joinedAt: 0 }
    view.take({ event: 'joined', node }, 0)
    view.take({ event: 'jobs', jobs: [job], more: 0 }, 0)
    const controls = Object.assign(new Controls(), { table: 'jobs', events: false })
    const shown = draw(view, controls, 0, { columns, rows: 24 }, '').map((line) => stripVTControlCharacters(line).trimEnd())
    for (const pattern of patterns) expect(shown).toContainEqual(expect.stringMatching(pattern))
  })

  it('do not let the name of a job move the cursor', () => {
    const view = new PoolView('p')
    view.take({ event: 'jobs', jobs: [job], more: 0 }, 0)
    const controls = Object.assign(new Controls(), { table: 'jobs' })
    expect(draw(view, controls, 0, { columns: 100, rows: 24 }, '').join('\n')).not.toContain('\u001B[2J')
  })

  it.each([40, 60, 80, 200])('never cut a number at %i columns: a column without room is left out', (columns) => {
    const failure = { code: 'TASK_THREW', message: `b is ${'0'.repeat(20)} `.repeat(9), member: 'm' }
    const shown = lines(columns, 60, [job, { ...job, job: 'b', state: 'failed', ended: 1495, failure }])
    for (const line of shown) expect(cellWidth(line)).toBeLessThanOrEqual(columns)
    expect(shown.filter((line) => /\d…/u.test(line))).toEqual([])
    expect(shown.join(' ').match(/\b0{20}\b/gu)).toHaveLength(9)
    expect(shown.some((line) => /TASKS\/S/u.test(line))).toBe(true)
  })

  it('say that they are not known yet, or that there are none', () => {
    expect(lines(80, 24, undefined)).toContain('  asking for the jobs …')
    expect(lines(80, 24, [])).toContain('  the pool has no jobs')
  })

  it('replace the members at a key, scroll to their end and not beyond, and a key goes back', () => {
    const controls = new Controls()
    controls.take({ name: 'tab', sequence: '\t' }, [])
    expect(controls.table).toBe('jobs')
    const many = Array.from({ length: 30 }, (_, i) => ({ ...job, job: `${i}`, name: `job ${i}` }))
    expect(lines(80, 24, many, controls).some((line) => line.startsWith('job 0 '))).toBe(true)
    controls.take({ name: 'end' }, [])
    const last = lines(80, 24, many, controls)
    expect(last.some((line) => line.startsWith('job 29 '))).toBe(true)
    expect(last).toHaveLength(24)
    expect(controls.take({ name: 'q' }, [])).toBe('quit')
    controls.take({ name: 's' }, [])
    expect(controls.sort).toBe('state')
    controls.take({ name: 'escape' }, [])
    expect(controls.table).toBe('members')
  })
})
