import { describe, expect, it } from 'vitest'
import { newFrame } from './frame.ts'
import { ReadyDeque } from './ready-deque.ts'
import { TaskNode } from './task-node.ts'

function waiting(name: string): TaskNode {
  const node = new TaskNode(name, undefined)
  node.frame = newFrame(0)
  return node
}

describe('the deque of waiting tasks', () => {
  it('gives its owner the newest and thieves the oldest', () => {
    const deque = new ReadyDeque()
    for (const name of ['1', '2', '3']) deque.push(waiting(name))
    expect([deque.oldest()?.path, deque.newest()?.path, deque.newest()?.path, deque.newest()]).toEqual(['1', '3', '2', undefined])
    expect(deque.size).toBe(0)
  })

  it('skips dropped tasks and no longer counts them', () => {
    const deque = new ReadyDeque()
    const [first, second] = [waiting('1'), waiting('2')]
    deque.push(first)
    deque.push(second)
    first.frame = undefined
    deque.dropped()
    expect(deque.size).toBe(1)
    expect(deque.oldest()?.path).toBe('2')
    expect(deque.size).toBe(0)
  })

  it('holds thousands of tasks without moving them each time', () => {
    const deque = new ReadyDeque()
    for (let number = 0; number < 5000; number++) deque.push(waiting(String(number)))
    for (let number = 0; number < 5000; number++) expect(deque.oldest()?.path).toBe(String(number))
    expect(deque.oldest()).toBeUndefined()
  })
})
