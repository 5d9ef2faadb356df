/**
 * Measures `jel`'s grid, piscina, BullMQ and Dask by the same schedule, on the same machine, in one
 * run. Also runs the papers' programs on the grid.
 */
import { resolve } from 'node:path'
import { summarizeProfiles } from '../base/profile.ts'
import { flag, optional, positive, seconds, someOf, UsageError, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { ownNetwork } from '../network/loopback.ts'
import { bullmq } from './bullmq.ts'
import { PARTS, withCluster, type Contender } from './contender.ts'
import { dask } from './dask.ts'
import { grid } from './grid.ts'
import { kill } from './kills.ts'
import { computeLocal, piscina } from './threads.ts'
import { papers, type PaperRun } from './papers.ts'
import { isMoreBetter, shown, type Measured } from './report.ts'
import { kindOf, killRow, type Add, type Row } from './rows.ts'
import { measureMany, measureRounds } from './rounds.ts'
import { speed, WORKERS } from './speed.ts'

const PHASES = ['speed', 'rounds', 'many', 'kills', 'papers'] as const
const NAMES = ['jel', 'computeLocal', 'piscina', 'BullMQ', 'Dask'] as const

/** A contender, with its figures so far. */
interface Entrant extends Measured {
  readonly contender: Contender
  readonly add: Add
}

export const experiment = bench({
  about: 'our grid, piscina, BullMQ and Dask by the same schedule',
  settings: {
    seconds: positive(20, 'planned seconds of each job whose efficiency is measured'),
    killSeconds: positive(5, 'seconds that a job with a kill would take without the kill'),
    timeout: seconds(10, 'most seconds beyond ideal after a kill'),
    defaultTimeout: seconds(75, 'the same after the kill of a worker, for a contender that also has a tuned form'),
    runs: whole(3, 'repeats of the schedule, with the contenders in turn'),
    only: someOf(PHASES),
    contenders: someOf(NAMES),
    kill: someOf(PARTS),
    offline: flag('install nothing, and skip contenders that are not installed'),
    cpuProf: optional('FOLDER', 'profile our worker processes, with --only speed, and sum up the processor time by package and function'),
  },
  notes: `Needs Linux for byte counts. piscina and BullMQ come from npm; redis-server and python3-distributed are packages of Debian, and are
installed if that is allowed. To see how short tasks may be: --only speed --contenders computeLocal.`,
  where: 'network',
  prepare({ contenders: names, offline }) {
    // The separate network does not reach the package registries. So this step installs packages
    // first.
    for (const contender of contendersOf(names, [])) obstacle(contender, !offline && !ownNetwork())
    return undefined
  },
  figures: shown,
  async measure({ contenders: names, only, cpuProf: profiles, kill: parts, ...rest }, { folder }) {
    const schedule = { ...rest, parts }
    const flags = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profiles)}`]
    const all = contendersOf(names, flags).map((contender) => ({ contender, problem: obstacle(contender, false) }))
    const skipped = all.flatMap(({ problem }) => problem ?? [])
    if (!ownNetwork()) skipped.push('traffic: this system has no separate network, in which no foreign traffic is counted')
    for (const why of skipped) console.error(`skipped: ${why}`)
    const entrants = all.flatMap(({ contender, problem }) => (problem === undefined ? [enter(contender)] : []))
    let ran: PaperRun[] = []
    /** If one contender fails, the experiment keeps the figures of the others. */
    const attempt = async (what: string, run: () => Promise<void>): Promise<void> => {
      try {
        await run()
      } catch (error) {
        skipped.push(`${what}, in one run: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`)
        console.error(error)
      }
    }
    for (let run = 0; run < schedule.runs; run++) {
      for (const entrant of entrants) {
        if (only.includes('speed')) await attempt(`${entrant.name}, its speed`, () => measureSpeed(entrant, schedule, folder))
      }
      const ours = entrants.find(({ name }) => name === 'jel')
      if (ours !== undefined && only.includes('rounds')) await attempt('rounds', () => measureRounds(folder, ours.add))
      if (ours !== undefined && only.includes('many')) await attempt('many short tasks', () => measureMany(folder, ours.add))
      for (const entrant of entrants) {
        if (only.includes('kills')) await attempt(`${entrant.name}, kills`, () => measureKills(entrant, schedule, folder))
      }
    }
    if (only.includes('papers')) await attempt("the papers' programs", async () => void (ran = await papers(folder)))
    if (profiles !== undefined) console.log(`${await summarizeProfiles(profiles)}\n`)
    const tuned = entrants.flatMap(({ contender }) => contender.tuned?.how ?? [])
    const contenders = entrants.map(({ name, form, figures, never }) => ({ name, form, figures, never }))
    return { runs: schedule.runs, seconds: schedule.seconds, contenders, skipped, tuned, papers: ran }
  },
  table: shown.text,
  draw: ({ contenders }) =>
    (Object.entries(contenders.find(({ name }) => name === 'jel')?.figures ?? {}) as [Row, number[]][]).map(([row, values]) => {
      const { what, unit } = kindOf(row)
      return { name: what, unit, better: isMoreBetter(row) ? 'more' : 'less', values }
    }),
})

/** `flags`: flags of Node for the worker processes of `jel`. */
function contendersOf(names: readonly string[], flags: readonly string[]): Contender[] {
  return [grid(flags), computeLocal(), piscina(), bullmq(), dask()].filter(({ name }) => names.includes(name))
}

interface Schedule {
  readonly seconds: number
  readonly killSeconds: number
  readonly timeout: number
  readonly defaultTimeout: number
  readonly parts: readonly (typeof PARTS)[number][]
}

function enter(contender: Contender): Entrant {
  const { name } = contender
  const figures: Measured['figures'] = {}
  const add: Add = (row, value) => {
    const rounded = Math.round(value * 1000) / 1000
    ;(figures[row] ??= []).push(rounded)
    console.error(`${name}: ${kindOf(row).what}: ${rounded} ${kindOf(row).unit}`)
  }
  return { name, form: contender.form(), figures, never: {}, contender, add }
}

async function measureSpeed({ contender, add }: Entrant, { seconds }: Schedule, parent: string): Promise<void> {
  await withCluster(contender.start, { workers: WORKERS, parent }, (cluster) => speed(cluster, seconds, add))
}

/**
 * Skips a row if one of its jobs did not survive the kill. Runs a row once if it takes a minute
 * with default settings. The tuned row has repeats.
 */
async function measureKills({ contender, add, never, figures }: Entrant, schedule: Schedule, folder: string): Promise<void> {
  const { killSeconds: seconds, timeout, defaultTimeout, parts } = schedule
  for (const part of parts.filter((each) => contender.parts.includes(each))) {
    const turns = [
      { tuned: false, start: contender.start },
      ...(part === 'worker' && contender.tuned ? [{ tuned: true, start: contender.tuned.start }] : []),
    ]
    for (const { tuned, start } of turns) {
      const row = killRow(part, tuned)
      const takesLong = contender.tuned !== undefined && part === 'worker' && !tuned
      if (never[row] !== undefined || (takesLong && figures[row] !== undefined)) continue
      const problem = await kill(start, { part, tuned, seconds, timeout: takesLong ? defaultTimeout : timeout, folder }, add)
      if (problem !== undefined) (never as Record<string, string>)[row] = problem
    }
  }
}

function obstacle(contender: Contender, install: boolean): string | undefined {
  try {
    return contender.missing(install)
  } catch (error) {
    if (error instanceof UsageError) return `${contender.name}: ${error.message}`
    throw error
  }
}
