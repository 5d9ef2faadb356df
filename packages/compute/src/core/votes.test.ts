import { describe, expect, it } from 'vitest'
import type { Entry } from './entry.ts'
import { Job } from './job.ts'
import { NOTHING_SHARED, type Shared } from './shared-value.ts'
import type { TaskNode } from './task-node.ts'
import { count, givenTo, mayVote } from './votes.ts'

const bound = (key: number): Shared => new Map([['best', { rule: 'min', key, values: [Uint8Array.of(key)] }]])

/**
 * A task with these votes: for each member the bound that it found, and its given shared values.
 */
function votedOn(
  elected: Shared,
  ...votes: readonly (readonly [by: string, found: number, given: Shared])[]
): { job: Job; node: TaskNode } {
  const spec = {
    id: 'job',
    owner: 'owner',
    fn: 'root',
    input: new Uint8Array(),
    submitted: 0,
    desired: 'run',
    trusted: false,
    accepted: true,
    fresh: true,
  } as const
  const job = new Job({ ...spec, votes: 3 }, 0)
  job.join(elected)
  const node = job.tree.ensure('a'.repeat(10))
  for (const [by, found, given] of votes) count(job, node, entry(by, found, given), () => true)
  return { job, node }
}

function entry(by: string, found: number, given: Shared, leaf = true): Entry {
  const votes = [{ by, leaf, signature: new Uint8Array() }]
  return { path: 'a'.repeat(10), outcome: { value: new Uint8Array() }, shared: bound(found), ...(given.size > 0 && { given }), votes }
}

describe('a task that is voted on', () => {
  it('begins at all members with the bound of the first one', () => {
    const { job, node } = votedOn(bound(9), ['a', 20, bound(30)])
    expect(givenTo(job, node)).toEqual(bound(30))
  })

  it('does not begin with a bound that nobody elected', () => {
    const { job, node } = votedOn(bound(9), ['liar', 2, bound(2)])
    expect(givenTo(job, node)).toBe(job.shared)
  })

  it('may be voted on again only by a member that began with another bound than most did', () => {
    const { job, node } = votedOn(bound(9), ['a', 20, bound(30)], ['b', 9, bound(9)], ['c', 20, bound(30)])
    expect(['a', 'b', 'c', 'd'].filter((member) => mayVote(job, node, member))).toEqual(['b', 'd'])
  })

  it('outvotes a member with another outcome for the same bound, and none with another bound', () => {
    const { job, node } = votedOn(
      NOTHING_SHARED,
      ['a', 20, NOTHING_SHARED],
      ['b', 20, NOTHING_SHARED],
      ['liar', 7, NOTHING_SHARED],
      ['c', 8, bound(8)],
    )
    expect(count(job, node, entry('d', 20, NOTHING_SHARED), () => true)).toMatchObject({
      elected: { shared: bound(20) },
      outvoted: ['liar'],
    })
  })

  it('outvotes nobody for an inner task, because bounds may have pruned differently below it', () => {
    const { job, node } = votedOn(NOTHING_SHARED, ['a', 20, NOTHING_SHARED], ['b', 20, NOTHING_SHARED])
    count(job, node, entry('c', 10, NOTHING_SHARED, false), () => true)
    expect(count(job, node, entry('d', 20, NOTHING_SHARED), () => true).outvoted).toEqual([])
  })
})
