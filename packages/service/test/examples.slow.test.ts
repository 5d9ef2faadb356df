import { describe, expect, it } from 'vitest'
import type { BrokerResult } from '../examples/broker.ts'
import { create, invoke } from '../examples/instances.ts'
import { killAfterEach, killPrimary, served } from './farm.ts'
import { leaveAfterEach } from './pools.ts'

leaveAfterEach()
killAfterEach()

describe('the broker', () => {
  it('gives 10,000 jobs out and gets each done, though its primary is killed', async () => {
    const farm = await served(`broker-${process.pid}`, 4)
    const { client } = farm
    const jobs = Array.from({ length: 10_000 }, (_, at) => `job${at}`)
    const done: string[] = []
    let isKilled = false
    const machine = async (name: string): Promise<void> => {
      let finished: readonly string[] = []
      for (;;) {
        const result = (await client.call('broker', { getJobs: { machine: name, count: 25, done: finished } })) as BrokerResult
        done.push(...finished)
        finished = result.jobs ?? []
        if (!isKilled && result.done > 4000) {
          isKilled = true
          killPrimary(farm, 'broker')
        }
        if (finished.length === 0) return
      }
    }
    for (let at = 0; at < jobs.length; at += 1000) await client.call('broker', { addJobs: jobs.slice(at, at + 1000) })
    await Promise.all(Array.from({ length: 16 }, async (_, at) => await machine(`m${at}`)))
    expect(isKilled).toBe(true)
    expect(await client.call('broker', { counts: true })).toEqual({ waiting: 0, running: 0, done: 10_000 })
    expect(done.length).toBe(10_000)
    expect(new Set(done).size).toBe(10_000)
  })

  it('loses none of 150 jobs that take a while, and gives those of a failed machine out again', async () => {
    // Experiment 5 of the Job Management Service: its master is killed in the middle.
    const farm = await served(`jobs-${process.pid}`, 4)
    const { client } = farm
    await client.call('broker', { addJobs: Array.from({ length: 150 }, (_, at) => `job${at}`) })
    await client.call('broker', { getJobs: { machine: 'failed', count: 5 } })
    let finished = 0
    const machine = async (name: string): Promise<void> => {
      for (let done: readonly string[] = []; ;) {
        const { jobs = [] } = (await client.call('broker', { getJobs: { machine: name, count: 1, done } })) as BrokerResult
        finished += done.length
        if (finished === 75) killPrimary(farm, 'broker')
        if (finished === 100) await client.call('broker', { deleteMachine: 'failed' })
        if (jobs.length === 0 && finished >= 150) return
        await new Promise((resolve) => setTimeout(resolve, 20))
        done = jobs
      }
    }
    await Promise.all(Array.from({ length: 4 }, async (_, at) => await machine(`m${at}`)))
    expect(finished).toBe(150)
    expect(await client.call('broker', { counts: true })).toEqual({ waiting: 0, running: 0, done: 150 })
  })
})

describe('instances in one service', () => {
  it('number ten thousand, live as long as they are extended, and outlive their primary', async () => {
    const name = `instances-${process.pid}`
    const farm = await served(name, 4)
    const { client } = farm
    const handles: string[] = []
    const lasting = await create(client, name, 'notes', { text: 'kept' }, 60_000)
    const short = await create(client, name, 'notes', { text: 'gone' }, 1500)
    const extended = await create(client, name, 'notes', { text: 'extended' }, 1500)
    for (let at = 0; at < 2; at++) await invoke(client, extended, 'extend', { for: 60_000 })
    expect(lasting).toBe(`service://${name}/notes/1`)
    for (let at = 0; at < 100; at++)
      handles.push(...(await Promise.all(Array.from({ length: 100 }, async () => await create(client, name, 'notes', at, 60_000)))))
    killPrimary(farm, 'notes')
    expect(await invoke(client, handles[9999] as string, 'read')).toBe(99)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    await expect(invoke(client, short, 'read')).rejects.toMatchObject({
      code: 'CALL_FAILED',
      message: expect.stringContaining('lifetime is over'),
    })
    expect(await invoke(client, extended, 'read')).toEqual({ text: 'extended' })
    expect(await client.call('notes', { count: true })).toBe(10_002)
    await invoke(client, lasting, 'destroy')
    await expect(invoke(client, lasting, 'read')).rejects.toThrow('there is no instance 1')
  })
})
