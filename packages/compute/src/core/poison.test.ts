import { describe, expect, it } from 'vitest'
import type { Context } from './context.ts'
import type { Job } from './job.ts'
import { poisonOf } from './poison.ts'
import { TaskNode } from './task-node.ts'
import type { Tries } from './tries.ts'

/** Whether a member sets a task with these tries apart. */
function isPoison({ crashes = [], holders = [] }: Partial<Tries>, living: readonly string[], votesNeeded = 1): boolean {
  const node = new TaskNode('', undefined)
  node.tries = { crashes, holders }
  const members = { size: living.length, has: (id: string) => living.includes(id), knew: (id: string) => id !== 'stranger' }
  return poisonOf({ self: 'self', members } as unknown as Context, { votesNeeded } as Job, node) !== undefined
}

const all = ['self', 'a', 'b', 'c', 'd', 'e', 'f']

describe('a task that ends containers', () => {
  it('is set apart after its third crash, at two members', () => {
    expect(isPoison({ crashes: ['a', 'b'] }, all)).toBe(false)
    expect(isPoison({ crashes: ['a', 'a', 'a'] }, all)).toBe(false)
    expect(isPoison({ crashes: ['a', 'a', 'b'] }, all)).toBe(true)
    expect(isPoison({ crashes: ['self', 'self', 'self'] }, ['self'])).toBe(true)
  })

  it('is set apart only for crashes at this member where members vote', () => {
    expect(isPoison({ crashes: ['a', 'b', 'c'] }, all, 3)).toBe(false)
    expect(isPoison({ crashes: ['self', 'self', 'self'] }, all, 3)).toBe(true)
  })
})

describe('a task whose holders are lost', () => {
  it('is set apart after five losses', () => {
    const lost = ['l1', 'l2', 'l3', 'l4', 'l5']
    expect(isPoison({ holders: lost.slice(1) }, all)).toBe(false)
    expect(isPoison({ holders: lost }, all)).toBe(true)
  })

  it('is not set apart because of living holders', () => {
    expect(isPoison({ holders: all }, all)).toBe(false)
  })

  it('is set apart after as many losses as members are left, at least three', () => {
    expect(isPoison({ holders: ['l1', 'l2'] }, ['self'])).toBe(false)
    expect(isPoison({ holders: ['l1', 'l2', 'l3'] }, ['self'])).toBe(true)
  })
})
