import { describe, expect, it } from 'vitest'
import type { Entry } from './entry.ts'
import { newFrame } from './frame.ts'
import { ROOT } from './path.ts'
import { NOTHING_SHARED } from './shared-value.ts'
import { TaskTree } from './task-tree.ts'

const a = 'aaaaaaaaaa'
const b = 'bbbbbbbbbb'

function entry(path: string, value = 1): Entry {
  return { path, outcome: { value: Uint8Array.of(value) }, shared: NOTHING_SHARED }
}

describe('a task tree', () => {
  it('has an entry for every task below an entry, and for none beside it', () => {
    const tree = new TaskTree()
    tree.put(tree.ensure(a), entry(a))
    expect(tree.entryFor(a + b)?.path).toBe(a)
    expect(tree.entryFor(b)).toBeUndefined()
    expect(tree.entryFor(ROOT)).toBeUndefined()
  })

  it('holds one entry after a parent has replaced its children', () => {
    const tree = new TaskTree()
    tree.put(tree.ensure(a + a), entry(a + a))
    tree.put(tree.ensure(a + b), entry(a + b))
    const before = tree.bytes
    tree.put(tree.ensure(a), entry(a))
    expect([...tree.entries()].map(({ path }) => path)).toEqual([a])
    expect(tree.bytes).toBeLessThan(before)
  })

  it('counts the bytes of its entries', () => {
    const tree = new TaskTree()
    tree.put(tree.ensure(a), entry(a))
    tree.put(tree.ensure(b), entry(b))
    expect(tree.bytes).toBe(2 * 11)
    tree.put(tree.root, entry(ROOT))
    expect(tree.bytes).toBe(1)
  })

  it('forgets only nodes of which nothing is known', () => {
    const tree = new TaskTree()
    const kept = tree.ensure(a)
    kept.frame = newFrame(0)
    tree.prune(tree.ensure(a + b + a))
    expect(tree.find(a + b)).toBeUndefined()
    expect(tree.find(a)).toBe(kept)
  })
  it('resumes a walk where it stopped, or at the entry that has replaced that node', () => {
    const tree = new TaskTree()
    const paths = [b + b, b + a, a + b, a + a, a + a + b]
    for (const path of paths) tree.ensure(path)
    const all = [...tree.within(tree.root)].map(({ path }) => path)
    for (const [at, path] of all.entries())
      expect([...tree.within(tree.root, undefined, path)].map((node) => node.path)).toEqual(all.slice(at + 1))
    tree.put(tree.ensure(b), entry(b))
    expect([...tree.within(tree.root, undefined, b + b)].map(({ path }) => path)).toEqual([b, a, a + b, a + a, a + a + b])
  })
})
