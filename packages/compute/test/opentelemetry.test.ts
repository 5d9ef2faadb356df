import { join } from 'node:path'
import { prometheusName } from '@jel/jel/metrics'
import type { Meter, Observable } from '@opentelemetry/api'
import { expect, it } from 'vitest'
import { gridInstruments, taskTimes } from '../src/metrics.ts'
import { observeGrid } from '../src/opentelemetry.ts'
import { testPool } from './test-pool.ts'

type Callback = Parameters<Meter['addBatchObservableCallback']>[0]

const various = join(import.meta.dirname, 'programs/various.ts')
const test = testPool()

/** The part of an OpenTelemetry SDK that reads instruments. */
function fakeMeter(): { meter: Meter; callbacks: Set<Callback>; recorded: number[]; collect: () => Promise<Record<string, number>> } {
  const callbacks = new Set<Callback>()
  const recorded: number[] = []
  const create = (name: string): { name: string } => ({ name })
  const meter = {
    createObservableGauge: create,
    createObservableCounter: create,
    createHistogram: () => ({ record: (value: number) => void recorded.push(value) }),
    addBatchObservableCallback: (callback: Callback) => void callbacks.add(callback),
    removeBatchObservableCallback: (callback: Callback) => void callbacks.delete(callback),
  }
  const collect = async (): Promise<Record<string, number>> => {
    const read: Record<string, number> = {}
    const observe = (observable: Observable, value: number): void => {
      read[(observable as unknown as { name: string }).name] = value
    }
    for (const callback of callbacks) await callback({ observe })
    return read
  }
  return { meter: meter as unknown as Meter, callbacks, recorded, collect }
}

it('OpenTelemetry reads the work of a grid, and the time of each task, until the grid ends', async () => {
  const grid = await test.member({ workers: 1 })
  const { meter, callbacks, recorded, collect } = fakeMeter()
  observeGrid(grid, meter)
  await (
    await grid.submit(various, 'flat', { tasks: 3, ms: 20 })
  ).result
  expect(await collect()).toMatchObject({ 'jel.workers': 1, 'jel.tasks.run': 4, 'jel.tasks.failed': 0, 'jel.jobs.kept': 1 })
  expect(recorded.filter((seconds) => seconds >= 0.02 && seconds < 1)).toHaveLength(3)
  expect(recorded).toHaveLength(4)
  await grid.close()
  expect(await collect()).toEqual({})
  expect(callbacks.size).toBe(0)
  expect(grid.listenerCount('measured')).toBe(0)
})

it('the function that it returns ends the registration', async () => {
  const grid = await test.member({ workers: 1 })
  const { meter, callbacks } = fakeMeter()
  observeGrid(grid, meter)()
  expect(callbacks.size).toBe(0)
  expect(grid.listenerCount('measured')).toBe(0)
})

it('every metric of a grid has a name of its own, with its unit for Prometheus alone', () => {
  const all = [...gridInstruments, taskTimes]
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
  for (const { name } of all) expect(name).toMatch(/^jel(?:\.(?!seconds|bytes|total)[a-z]+)+$/u)
  expect(all.map(prometheusName)).toEqual(expect.arrayContaining(['jel_blobs_bytes', 'jel_task_duration_seconds', 'jel_tasks_run_total']))
})
