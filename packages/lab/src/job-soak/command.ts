/**
 * Submits jobs of all kinds, some of which are cancelled or expire, while members with small disks
 * come, leave, are killed and are cut from each other. Checks that no job is lost or hangs, that a
 * member that joined last has every right result, and that memory and disk stay flat.
 *
 *     pnpm lab job-soak --minutes 60
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { takeChildrenAlong } from '../base/child.ts'
import { command, positive, whole, type Values } from '../base/program.ts'
import { rerunInOwnNamespaces } from '../network/namespaces.ts'
import { provide } from '../network/tools.ts'
import { JobSoak } from './soak.ts'
import { mega, problemsOf } from './verdict.ts'

const USAGE = `pnpm lab job-soak [options]

  --minutes 60     how long jobs are submitted
  --members 6      processes jel work, one task at a time each, on two hosts
  --every 12       seconds between two things that happen to members: one is killed, leaves, or the hosts are cut apart for 8 s
  --disk 20        MiB that each may have on its disk

Exit status 1 if a job is lost or hangs, a result is wrong, a process ends by itself, or a disk is over its limit; in twenty minutes
and more also if memory of a member that stays grows. Needs Linux, and root or user namespaces.
`

const options = {
  minutes: { type: 'string', default: '60' },
  members: { type: 'string', default: '6' },
  every: { type: 'string', default: '12' },
  disk: { type: 'string', default: '20' },
} as const

async function main(values: Values<typeof options>): Promise<number> {
  const [minutes, every] = [positive('minutes', values.minutes), positive('every', values.every) * 1000]
  const [members, diskMiB] = [whole('members', values.members, 4), whole('disk', values.disk)]
  provide('network')
  const status = await rerunInOwnNamespaces()
  if (status !== undefined) return status
  takeChildrenAlong()
  const load = loadavg()[0] as number
  const folder = mkdtempSync(join(tmpdir(), 'jel-lab-'))
  mkdirSync(join(folder, 'caches'))
  try {
    const soak = new JobSoak({ folder, members, every, diskMiB })
    await soak.start()
    const over = new AbortController()
    const running = soak.run(over.signal)
    await delay(minutes * 60_000)
    over.abort()
    await running
    const result = await soak.finish()
    const problems = problemsOf({ ...result, minutes, diskLimit: diskMiB * 2 ** 20 })
    const { killed, left, cuts } = soak
    const counts = Map.groupBy(result.jobs, ({ kind }) => kind)
    console.log(`load at the start ${load.toFixed(1)}; ${minutes} minutes, ${members} members, disks of ${diskMiB} MiB`)
    console.log(`${result.jobs.length} jobs (${[...counts].map(([kind, jobs]) => `${jobs.length} ${kind}`).join(', ')})`)
    console.log(`${killed} members killed, ${left} left, ${cuts} cuts; at most ${mega(result.disk)} MB on a disk`)
    for (const samples of result.memory) console.log(`memory of one that stayed: ${samples.map(({ bytes }) => mega(bytes)).join(' ')} MB`)
    for (const problem of problems) console.log(`- ${problem}`)
    console.log(problems.length === 0 ? 'passed' : `failed: ${problems.length} problems`)
    return problems.length === 0 ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const experiment = command(USAGE, options, main)
