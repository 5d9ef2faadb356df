/**
 * Runs `jel`'s grid, piscina, BullMQ and Dask over the same course, on the same machine, in one
 * run; and the papers' programs on the grid.
 *
 *     pnpm lab compute-field --keep
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { takeChildrenAlong } from '../base/child.ts'
import { writeDraw, type DrawnRow } from '../base/draw.ts'
import { keepFigures, originOf } from '../base/figures.ts'
import { summarizeProfiles } from '../base/profile.ts'
import { chosen, command, positive, UsageError, whole, type Values } from '../base/program.ts'
import { ownNetwork, rerunInOwnNetwork } from '../network/loopback.ts'
import { bullmq } from './bullmq.ts'
import { PARTS, type Contender } from './contender.ts'
import { dask } from './dask.ts'
import { grid } from './grid.ts'
import { kill } from './kills.ts'
import { local } from './local.ts'
import { papers, type PaperRun } from './papers.ts'
import { piscina } from './piscina.ts'
import { isMoreBetter, shown, type ComputeData, type Measured } from './report.ts'
import { kindOf, killRow, type Add, type Figures, type Row } from './rows.ts'
import { measureMany, measureRounds } from './rounds.ts'
import { speed, WORKERS } from './speed.ts'

const PHASES = ['speed', 'rounds', 'many', 'kills', 'papers'] as const
const NAMES = ['jel', 'computeLocal', 'piscina', 'BullMQ', 'Dask'] as const

const USAGE = `pnpm lab compute-field [options]

  --seconds 20           that a job takes whose efficiency is measured
  --kill-seconds 5       that a job takes in which something is killed, if it is not
  --timeout 10           seconds that it may take beyond ideal
  --default-timeout 75  the same after the SIGKILL of a worker, where a contender has a tuned form besides
  --runs 3               times over the course, each contender in turn
  --only ${PHASES.join(',')}
  --contenders ${NAMES.join(',')}
  --kill ${PARTS.join(',')}
  --offline              installs nothing; who is not here is skipped
  --cpu-prof FOLDER      profile our processes that work, with --only speed, and sum up where the processor time went
  --draw FILE            write all values of ours to a file, for pnpm lab compare
  --keep                 write all values to docs/figures/compute.json, and docs/compute-benchmarks.md and docs/compute.svg from there

Needs Linux for byte counts. piscina and BullMQ come from npm; redis-server and python3-distributed are Debian's, and installed where that may be done.
`

const options = {
  seconds: { type: 'string', default: '20' },
  'kill-seconds': { type: 'string', default: '5' },
  timeout: { type: 'string', default: '10' },
  'default-timeout': { type: 'string', default: '75' },
  runs: { type: 'string', default: '3' },
  only: { type: 'string', default: PHASES.join(',') },
  contenders: { type: 'string', default: NAMES.join(',') },
  kill: { type: 'string', default: PARTS.join(',') },
  offline: { type: 'boolean', default: false },
  'cpu-prof': { type: 'string' },
  keep: { type: 'boolean', default: false },
  draw: { type: 'string' },
} as const

/** A contender, with its results so far. */
interface Entrant extends Measured {
  readonly contender: Contender
  readonly add: Add
}

async function main(values: Values<typeof options>): Promise<number> {
  const course = {
    seconds: positive('seconds', values.seconds),
    killSeconds: positive('kill-seconds', values['kill-seconds']),
    timeout: positive('timeout', values.timeout) * 1000,
    defaultTimeout: positive('default-timeout', values['default-timeout']) * 1000,
    runs: whole('runs', values.runs),
    only: new Set(chosen('only', values.only, PHASES)),
    parts: chosen('kill', values.kill, PARTS),
  }
  const names = chosen('contenders', values.contenders, NAMES)
  const profiles = values['cpu-prof']
  const flags = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profiles)}`]
  const all = [grid(flags), local(), piscina(), bullmq(), dask()].filter(({ name }) => names.some((each) => each === name))
  // A network of its own has no way to the package registries.
  const problems = new Map(all.map((contender) => [contender, obstacle(contender, !values.offline && !ownNetwork())]))
  const status = await rerunInOwnNetwork()
  if (status !== undefined) return status
  takeChildrenAlong()
  const origin = originOf()
  const skipped = all.flatMap((contender) => problems.get(contender) ?? [])
  if (!ownNetwork()) skipped.push('traffic: there is no network of its own here, in which nothing else is counted')
  for (const why of skipped) say(`skipped: ${why}`)
  const entrants = all.filter((contender) => problems.get(contender) === undefined).map(enter)
  const folder = mkdtempSync(join(tmpdir(), 'jel-lab-'))
  let ran: PaperRun[] = []
  /** A failure of one contender leaves the figures of the others. */
  const attempt = async (what: string, run: () => Promise<void>): Promise<void> => {
    try {
      await run()
    } catch (error) {
      skipped.push(`${what}, in one run: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`)
      console.error(error)
    }
  }
  try {
    for (let run = 0; run < course.runs; run++) {
      for (const entrant of entrants) {
        if (course.only.has('speed')) await attempt(`${entrant.name}, its speed`, () => measureSpeed(entrant, course, folder))
      }
      const ours = entrants.find(({ name }) => name === 'jel')
      if (ours !== undefined && course.only.has('rounds')) await attempt('rounds', () => measureRounds(folder, ours.add))
      if (ours !== undefined && course.only.has('many')) await attempt('many short tasks', () => measureMany(folder, ours.add))
      for (const entrant of entrants) {
        if (course.only.has('kills')) await attempt(`${entrant.name}, kills`, () => measureKills(entrant, course, folder))
      }
    }
    if (course.only.has('papers')) await attempt("the papers' programs", async () => void (ran = await papers(folder, say)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const tuned = entrants.flatMap(({ contender }) => contender.tuned?.how ?? [])
  const contenders = entrants.map(({ name, form, figures, never }) => ({ name, form, figures, never }))
  const { runs, seconds } = course
  const data: ComputeData = { runs, seconds, contenders, skipped, tuned, papers: ran }
  console.log(shown.text(data))
  if (values.draw !== undefined) writeDraw(values.draw, drawnOf(contenders.find(({ name }) => name === 'jel')?.figures ?? {}))
  if (values.keep) await keepFigures(shown, origin, data)
  if (profiles !== undefined) console.log(`\n${await summarizeProfiles(profiles)}`)
  return 0
}

interface Course {
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
    say(`${name}: ${kindOf(row).what}: ${rounded} ${kindOf(row).unit}`)
  }
  return { name, form: contender.form(), figures, never: {}, contender, add }
}

async function measureSpeed({ contender, add }: Entrant, { seconds }: Course, parent: string): Promise<void> {
  const folder = mkdtempSync(join(parent, 'speed-'))
  mkdirSync(folder, { recursive: true })
  const crew = await contender.start({ workers: WORKERS, folder })
  try {
    await speed(crew, seconds, add)
  } finally {
    await crew.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Skips a contender's part that never ended once. Also skips repeats of a row that takes a minute
 * by a default setting; the tuned row has repeats.
 */
async function measureKills({ contender, add, never, figures }: Entrant, course: Course, folder: string): Promise<void> {
  const { killSeconds: seconds, timeout, defaultTimeout, parts } = course
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

function drawnOf(figures: Figures): DrawnRow[] {
  return (Object.entries(figures) as [Row, number[]][]).map(([row, drawn]) => {
    const { what, unit } = kindOf(row)
    return { name: what, unit, better: isMoreBetter(row) ? 'more' : 'less', values: drawn }
  })
}

function say(text: string): void {
  console.error(text)
}

export const experiment = command(USAGE, options, main)
