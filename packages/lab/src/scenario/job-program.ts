/**
 * The program of a scenario's jobs. Its tasks wait or keep a processor busy, and write to a log.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { task } from '@jel/compute/program'

/** The duration of a task, as in a scenario file, ms. */
export type TaskTime =
  | { readonly type: 'range'; readonly min: number; readonly max: number }
  | { readonly type: 'exponential'; readonly mean: number }
  | { readonly type: 'pareto'; readonly min: number; readonly shape: number }
  | { readonly type: 'constant'; readonly length: number }

export interface Tasks {
  readonly time: TaskTime
  readonly seed: number
  /** True if a task keeps a processor busy; otherwise it waits. */
  readonly busy: boolean
  /**
   * File to which each execution appends a line when it begins and when it ends: event, task, time,
   * processes.
   */
  readonly log: string
}

type Numbers = Tasks & { readonly first: number; readonly count: number }

const LINEAGE = lineage(process.pid).join(' ')

/**
 * Returns the pids of a process and its ancestors (Linux). The log needs the ancestors, because a
 * node starts programs through a shell.
 */
function lineage(pid: number): number[] {
  const parent = Number(/^PPid:\s+(\d+)$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  return parent > 1 ? [pid, ...lineage(parent)] : [pid]
}

/** One task with all other tasks as children. All jobs return the sum of their tasks' numbers. */
export const flat = task(async ({ first, count, ...tasks }: Numbers, { run }) =>
  sum(await Promise.all(Array.from({ length: count }, (_, number) => run(one, { ...tasks, number: first + number })))),
)

/** A tree of tasks, whose inner tasks divide their leaves unevenly. */
export const tree = task(async ({ branching, ...given }: Numbers & { readonly branching: number }, { run }): Promise<number> => {
  const { first, count, ...tasks } = given
  if (count === 1) return await run(one, { ...tasks, number: first })
  const parts = Math.min(branching, count)
  const cuts = Array.from({ length: parts - 1 }, (_, part) => 1 + Math.floor(draw(tasks.seed, first * 7 + count * 31 + part) * (count - 1)))
  const ends = [...new Set(cuts), count].sort((a, b) => a - b)
  return sum(
    await Promise.all(
      ends.map((end, part) => {
        const start = ends[part - 1] ?? 0
        return run(tree, { ...tasks, branching, first: first + start, count: end - start })
      }),
    ),
  )
})

/**
 * Runs `width` tasks at once. The result of each task requests the next task, until the last round.
 */
export const driver = task(async ({ width, rounds, ...tasks }: Tasks & { readonly width: number; readonly rounds: number }, { run }) => {
  const line = async (from: number): Promise<number> => {
    let total = 0
    for (let round = 0; round < rounds; round++) total += await run(one, { ...tasks, number: from + round * width })
    return total
  }
  return sum(await Promise.all(Array.from({ length: width }, (_, from) => line(from))))
})

export const one = task(async ({ number, time, seed, busy, log }: Tasks & { readonly number: number }) => {
  const ms = lengthOf(time, draw(seed, number))
  const write = (event: string): void => appendFileSync(log, `${event} ${number} ${Date.now()} ${LINEAGE}\n`)
  write('begin')
  if (busy) for (const end = performance.now() + ms; performance.now() < end;);
  else await sleep(ms)
  write('end')
  return number
})

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function lengthOf(time: TaskTime, share: number): number {
  switch (time.type) {
    case 'range':
      return time.min + (time.max - time.min) * share
    case 'exponential':
      return -Math.log(1 - share) * time.mean
    case 'pareto':
      return time.min / (1 - share) ** (1 / time.shape)
    case 'constant':
      return time.length
  }
}

/**
 * Returns a number from 0 up to 1 that depends only on the arguments (the finalizer of
 * MurmurHash3).
 */
function draw(seed: number, number: number): number {
  let hash = Math.imul(seed, 0x9e3779b1) ^ number
  for (const [shift, factor] of [
    [16, 0x85ebca6b],
    [13, 0xc2b2ae35],
  ] as const)
    hash = Math.imul(hash ^ (hash >>> shift), factor)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
