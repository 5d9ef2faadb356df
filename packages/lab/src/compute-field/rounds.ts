/**
 * Measures two jobs on `jel`'s grid only. One job has rounds with a barrier after each. In this job
 * a few tasks take ten times as long as the others. The other job has many short tasks. The command
 * line submits it.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { keep } from '../base/child.ts'
import { readExecutions } from '../base/job-log.ts'
import { jelBin } from '../base/paths.ts'
import { treeOf, usageOfAll } from '../base/usage.ts'
import { NeverError, within } from '../base/wait.ts'
import { sumOf } from './programs/client.ts'
import { withCluster } from './contender.ts'
import { startGrid } from './grid.ts'
import type { Rounds } from './programs/grid-program.ts'
import type { Add } from './rows.ts'

const PROGRAM = fileURLToPath(new URL('programs/grid-program.ts', import.meta.url))

/**
 * Rounds like those of an iterative solver, with tasks a fifth as long. Tasks only wait, so more
 * members than cores do not disturb each other.
 */
export const ROUNDS = { rounds: 12, width: 40, ms: 200, every: 50, times: 10 } as const
const MEMBERS = 8

/** Many tasks, too short for a separate message each. */
const MANY = { tasks: 20_000, ms: 5, workers: 2 }
/**
 * Longest time of a job: `LATE` times its ideal time, and `GRACE` ms. A later job counts as
 * stopped.
 */
const LATE = 4
const GRACE = 60_000

/**
 * The ideal time of the rounds, ms: members wait for nothing but tasks. A round takes as long as
 * its longest task, or its work divided by the members, whichever is longer.
 */
export function idealOf({ rounds, width, ms, every, times }: Omit<Rounds, 'log'>, members: number): number {
  let ideal = 0
  for (let round = 0; round < rounds; round++) {
    const lengths = Array.from({ length: width }, (_, place) => ((round * width + place) % every === 0 ? ms * times : ms))
    ideal += Math.max(...lengths, lengths.reduce((sum, each) => sum + each, 0) / members)
  }
  return ideal
}

export async function measureRounds(parent: string, add: Add): Promise<void> {
  await withCluster(startGrid, { workers: MEMBERS, parent }, async ({ client }, folder) => {
    const log = join(folder, 'log')
    const ideal = idealOf(ROUNDS, MEMBERS)
    const took = await within(LATE * ideal + GRACE, 'rounds', client.rounds({ ...ROUNDS, log }))
    const tasks = ROUNDS.rounds * ROUNDS.width
    add('roundsIdeal', ideal / 1000)
    add('rounds', (ideal * 100) / took)
    add('roundsTwice', ((readExecutions(log).length - tasks) * 100) / tasks)
  })
}

export async function measureMany(parent: string, add: Add): Promise<void> {
  await withCluster(startGrid, { workers: MANY.workers, parent }, async ({ pool, owner, bootstrap, pids }) => {
    const ideal = (MANY.tasks * MANY.ms) / MANY.workers
    const input = JSON.stringify({ tasks: MANY.tasks, ms: MANY.ms, busy: true })
    const args = ['submit', pool, PROGRAM, 'wide', input, '--json', '--owner', owner, '--listen', '127.0.0.1:0', '--bootstrap', bootstrap]
    const began = performance.now()
    const child = keep(spawn(process.execPath, [jelBin, ...args], { stdio: ['ignore', 'pipe', 'inherit'] }))
    const said = await within(LATE * ideal + GRACE, 'many short tasks', text(child.stdout))
    const took = performance.now() - began
    if (!said.includes(`"result":${sumOf(MANY.tasks)}`)) throw new NeverError('many short tasks: the command ended without their result')
    add('many', took / 1000)
    add('manyBusy', (ideal * 100) / took)
    for (const pid of pids) add('manyMemory', usageOfAll(treeOf(pid)).memory / 1e6)
  })
}
