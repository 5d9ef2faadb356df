import { createRandom } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { collectGarbage } from '../../test/garbage.ts'
import { jobSpec } from '../../test/job-spec.ts'
import type { Effect } from './io.ts'
import { Scheduler } from './scheduler.ts'
import { joinShared, type Shared } from './shared-value.ts'

const MIB = 2 ** 20
const spec = jobSpec('job')

function spawn(scheduler: Scheduler, from: number, count: number): Effect[] {
  const input = new Uint8Array(MIB)
  const children = Array.from({ length: count }, (_, each) => ({ step: String(from + each).padStart(10, '0'), fn: 'child', input }))
  return scheduler.handle({ type: 'spawned', job: 'job', path: '', children }, 1)
}

describe('inputs of waiting children', () => {
  it('take at most 64 MiB: beyond that the job fails with JOB_TOO_WIDE', () => {
    const scheduler = new Scheduler({ self: { id: 'self', location: 'here' }, workers: 1, random: createRandom(1) })
    scheduler.handle({ type: 'job', spec }, 0)
    expect(spawn(scheduler, 0, 64).some(({ type }) => type === 'ended')).toBe(false)
    const outcome = { failure: expect.objectContaining({ code: 'JOB_TOO_WIDE', message: expect.stringContaining('64 MiB') }) }
    expect(spawn(scheduler, 64, 1)).toContainEqual(expect.objectContaining({ type: 'ended', entry: expect.objectContaining({ outcome }) }))
  })

  it('are not kept after a cancel', async () => {
    const scheduler = new Scheduler({ self: { id: 'self', location: 'here' }, workers: 1, random: createRandom(1) })
    scheduler.handle({ type: 'job', spec }, 0)
    const inputs = Array.from({ length: 50 }, (_, each) => {
      const input = new Uint8Array(MIB)
      const step = String(each).padStart(10, '0')
      scheduler.handle({ type: 'spawned', job: 'job', path: '', children: [{ step, fn: 'child', input }] }, 1)
      return new WeakRef(input)
    })
    scheduler.handle({ type: 'job', spec: { ...spec, desired: 'cancel' } }, 2)
    // Objects live until the present turn of the event loop ends.
    await new Promise(setImmediate)
    collectGarbage()
    expect(inputs.filter((input) => input.deref() !== undefined)).toEqual([])
  })

  it('no longer count once the children have outcomes', () => {
    const scheduler = new Scheduler({ self: { id: 'self', location: 'here' }, workers: 1, random: createRandom(1) })
    scheduler.handle({ type: 'job', spec }, 0)
    let seen = 0
    for (let each = 0; each < 100; each++) {
      const path = String(each).padStart(10, '0')
      const begun = [...spawn(scheduler, each, 1), ...scheduler.handle({ type: 'idle', slot: 0, seen: ++seen }, 1)]
      expect(begun).toContainEqual(expect.objectContaining({ type: 'run', task: expect.objectContaining({ path }) }))
      const returned = { type: 'returned', job: 'job', path, outcome: { value: new Uint8Array(1) }, shared: new Map(), ran: 1 } as const
      expect(scheduler.handle(returned, 1)).toContainEqual(expect.objectContaining({ type: 'deliver', step: path }))
      scheduler.handle({ type: 'idle', slot: 0, seen: (seen += 1) }, 1)
    }
  })
})

describe('a union', () => {
  it('joins a thousand offers one by one within moments', () => {
    const offers = Array.from(
      { length: 1000 },
      (_, each): Shared => new Map([['s', { rule: 'union', key: 0, values: [Uint8Array.of(each >> 8, each, ...new Uint8Array(53))] }]]),
    )
    const begin = performance.now()
    const joined = offers.reduceRight((all, each) => joinShared(all, each), new Map() as Shared)
    expect(joined.get('s')?.values.length).toBe(1000)
    expect(performance.now() - begin).toBeLessThan(1500)
  })
})
