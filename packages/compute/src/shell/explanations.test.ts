import { describe, expect, it } from 'vitest'
import type { HeldTask, JobExplanation } from '../core/messages.ts'
import { Explanations } from './explanations.ts'

const task: HeldTask = { path: '', fn: 'main', holder: 'm', age: 1, still: 0, progress: 0, leaf: true }
const told: JobExplanation = { tasks: [task], functions: [], members: [] }
const nothing: JobExplanation = { tasks: [], functions: [], members: [] }

describe('explanations', () => {
  it('reach all callers for the same job after one request', async () => {
    const explanations = new Explanations()
    let asked = 0
    const both = [1, 2].map(async () => await explanations.of('job', 60_000, () => asked++))
    explanations.answered('job', told)
    expect(await Promise.all(both)).toEqual([told, told])
    expect(asked).toBe(1)
  })

  it('may arrive during the request, as from a member that is a replica itself', async () => {
    const explanations = new Explanations()
    expect(await explanations.of('job', 60_000, () => explanations.answered('job', told))).toEqual(told)
  })

  it('are empty if nobody answers in time, or the member closes', async () => {
    const explanations = new Explanations()
    expect(await explanations.of('job', 1, () => {})).toEqual(nothing)
    const last = explanations.of('job', 60_000, () => {})
    explanations.close()
    expect(await last).toEqual(nothing)
  })

  it('of a job that nobody asked about are ignored, later as well', async () => {
    const explanations = new Explanations()
    explanations.answered('job', told)
    expect(await explanations.of('job', 1, () => {})).toEqual(nothing)
  })

  it('can be requested again after a failed request', async () => {
    const explanations = new Explanations()
    const failing = explanations.of('job', 60_000, () => {
      throw new Error('closed')
    })
    await expect(failing).rejects.toThrow('closed')
    expect(await explanations.of('job', 60_000, () => explanations.answered('job', told))).toEqual(told)
  })
})
