import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { driver, flat, tree, type TaskTime } from './job-program.ts'
import { readExecutions } from '../base/job-log.ts'

const folder = mkdtempSync(join(tmpdir(), 'jel-lab-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A context that runs tasks of the program in this process. */
const context = {
  run: (definition: { run: (input: unknown, context: unknown) => unknown }, input: unknown) => definition.run(input, context),
}

const call = async (definition: object, input: object): Promise<unknown> =>
  await (definition as { run: (given: object, by: object) => unknown }).run(input, context)

const times: readonly TaskTime[] = [
  { type: 'constant', length: 1 },
  { type: 'range', min: 0, max: 2 },
  { type: 'exponential', mean: 1 },
  { type: 'pareto', min: 1, shape: 3 },
]

it.each(times)('each shape runs each task once and returns the sum of the numbers of the tasks, $type', async (time) => {
  const log = join(folder, time.type)
  const tasks = { time, seed: 3, busy: false, log }
  expect(await call(flat, { ...tasks, first: 0, count: 12 })).toBe(66)
  expect(await call(tree, { ...tasks, first: 0, count: 50, branching: 4 })).toBe(1225)
  expect(await call(driver, { ...tasks, width: 3, rounds: 4 })).toBe(66)
  const executions = readExecutions(log)
  expect(executions).toHaveLength(74)
  expect(executions.every(({ begun, ended = 0, pids }) => ended >= begun && pids[0] === process.pid)).toBe(true)
})
