import { describe, expect, it } from 'vitest'
import type { HeldTask } from '../core/messages.ts'
import { Replies } from './replies.ts'

const task: HeldTask = { path: '', fn: 'main', holder: 'm', age: 1, still: 0, progress: 0, leaf: true }

describe('replies', () => {
  it('reach all callers for the same job after one request', async () => {
    const replies = new Replies<readonly HeldTask[]>([])
    let asked = 0
    const both = [1, 2].map(async () => await replies.of('job', 60_000, () => asked++))
    replies.answered('job', [task])
    expect(await Promise.all(both)).toEqual([[task], [task]])
    expect(asked).toBe(1)
  })

  it('may arrive during the request, as from a member that is a replica itself', async () => {
    const replies = new Replies<readonly HeldTask[]>([])
    expect(await replies.of('job', 60_000, () => replies.answered('job', [task]))).toEqual([task])
  })

  it('are empty if nobody answers in time, or the member closes', async () => {
    const replies = new Replies<readonly HeldTask[]>([])
    expect(await replies.of('job', 1, () => {})).toEqual([])
    const last = replies.of('job', 60_000, () => {})
    replies.close()
    expect(await last).toEqual([])
  })

  it('of a job that nobody asked about are ignored, later as well', async () => {
    const replies = new Replies<readonly HeldTask[]>([])
    replies.answered('job', [task])
    expect(await replies.of('job', 1, () => {})).toEqual([])
  })

  it('can be requested again after a failed request', async () => {
    const replies = new Replies<readonly HeldTask[]>([])
    const failing = replies.of('job', 60_000, () => {
      throw new Error('closed')
    })
    await expect(failing).rejects.toThrow('closed')
    expect(await replies.of('job', 60_000, () => replies.answered('job', [task]))).toEqual([task])
  })
})
