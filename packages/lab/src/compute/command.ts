/**
 * Runs a job of many short tasks. It kills a process every so often, the submitter first, and
 * starts a new one for each. Checks that a member that joined last has the right result, and counts
 * the tasks begun in vain.
 *
 *     pnpm lab compute --processes 20 --tasks 2000 --ms 20 --every 2
 *     pnpm lab compute --seconds 600 --ms 2000 --every 0  # ten minutes of full load: false deaths
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { keep, takeChildrenAlong } from '../base/child.ts'
import { inCheckout, jelBin } from '../base/paths.ts'
import { command, positive, UsageError, type Values, whole } from '../base/program.ts'
import { startNode, type NodeProcess } from '../swarm/node-process.ts'

const USAGE = `pnpm lab compute [options]

  --processes 20   that work, one task at a time each
  --tasks 2000     of the job
  --ms 20          each, in which it keeps a processor busy
  --seconds N      instead of --tasks: as many as keep all processes at work for so long
  --every 2        seconds between two kills; after each a newcomer starts; 0: nobody is killed

Exit status 1 if the result is wrong, more than 4 % of the tasks were begun in vain, or a running member was pronounced dead.
`

/** Share of the tasks that may be begun in vain. */
const MOST_IN_VAIN = 0.04
/** Longest that the job may take, ms; more where it is meant to take longer. */
const LIMIT = 300_000
/** Longest until a newcomer has the result, ms. A guess. */
const READ = 60_000
/** Most children of one task (`JOB_TOO_WIDE`). */
const MOST_TASKS = 65_536

const options = {
  processes: { type: 'string', default: '20' },
  tasks: { type: 'string', default: '2000' },
  ms: { type: 'string', default: '20' },
  seconds: { type: 'string' },
  every: { type: 'string', default: '2' },
} as const

async function main(values: Values<typeof options>): Promise<number> {
  const [processes, ms] = [whole('processes', values.processes), whole('ms', values.ms)]
  const length = values.seconds === undefined ? undefined : positive('seconds', values.seconds) * 1000
  const tasks = length === undefined ? whole('tasks', values.tasks) : Math.ceil((length * processes) / ms)
  const every = values.every === '0' ? undefined : positive('every', values.every) * 1000
  if (tasks > MOST_TASKS) throw new UsageError(`${tasks} tasks are more than the ${MOST_TASKS} that one job may have: take a greater --ms`)
  takeChildrenAlong()
  const folder = mkdtempSync(join(tmpdir(), 'jel-lab-'))
  try {
    return await measure({ processes, tasks, ms, every, folder, limit: LIMIT + 2 * (length ?? 0) })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Given {
  readonly processes: number
  readonly tasks: number
  readonly ms: number
  /** Time between two kills, ms; undefined: there are none. */
  readonly every: number | undefined
  readonly folder: string
  readonly limit: number
}

async function measure({ processes, tasks, ms, every, folder, limit }: Given): Promise<number> {
  const [owner, log] = [join(folder, 'owner'), join(folder, 'log')]
  writeFileSync(log, '')
  const load = (loadavg()[0] as number).toFixed(1)
  const pool = `lab-${process.pid}`
  let started = 0
  const diedFalsely: string[] = []
  const [killed, works] = [new Set<string>(), new Set<string>()]
  const start = async (bootstrap: readonly string[]): Promise<NodeProcess> => {
    const args = ['--listen', '/ip4/127.0.0.1/tcp/0', '--workers', '1', '--owner', owner, '--location', `node${started++}@here`]
    const node = await startNode(
      { bin: jelBin, command: 'work', pool, args: [...args, ...bootstrap.flatMap((address) => ['--bootstrap', address])] },
      {
        line: (_, { event, node }) => {
          if (event === 'died' && node !== undefined && works.has(node.id) && !killed.has(node.id)) diedFalsely.push(node.id)
        },
        complaint: () => {},
        ended: () => {},
      },
    )
    works.add(node.id)
    return node
  }
  const first = await start([])
  const running = [first, ...(await Promise.all(Array.from({ length: processes - 1 }, () => start([first.address]))))]
  await delay(2000)

  const enter = ['--listen', '/ip4/127.0.0.1/tcp/0', '--owner', owner, '--bootstrap', first.address, '--json']
  const input = JSON.stringify({ tasks, ms, log })
  const submitter = jel('submit', pool, inCheckout('packages/lab/src/compute/program.ts'), 'wide', input, '--name', 'wide', ...enter)
  await submitter.until('progress')
  const begin = Date.now()
  let kills = 0
  const ended = new AbortController()
  const coming: Promise<void>[] = []
  const churn = async (): Promise<void> => {
    if (every === undefined) return
    submitter.child.kill('SIGKILL')
    kills++
    while (!ended.signal.aborted) {
      await delay(every, undefined, { signal: ended.signal }).catch(() => {})
      if (ended.signal.aborted) return
      // Newcomers join through the first one.
      const victim = running.splice(1 + Math.floor(Math.random() * (running.length - 1)), 1)[0] as NodeProcess
      killed.add(victim.id)
      victim.child.kill('SIGKILL')
      kills++
      coming.push(start([first.address]).then((newcomer) => void running.push(newcomer)))
    }
  }
  const churning = churn()
  const watcher = jel('job', pool, 'wide', '--follow', ...enter)
  await Promise.race([watcher.until('done'), delay(limit)])
  const seconds = (Date.now() - begin) / 1000
  ended.abort()
  await churning
  await Promise.all(coming)
  const newest = jel('job', pool, 'wide', '--result', ...enter)
  await Promise.race([newest.until('done'), delay(READ)])
  const { result } = newest.last('done') as { result?: number }
  const expected = (tasks * (tasks - 1)) / 2
  const vain = statSync(log).size - tasks
  process.stdout.write(
    `load at the start ${load}; ${processes} processes, ${tasks} tasks of ${ms} ms, ${kills} killed${kills > 0 ? ', the submitter first' : ''}\n`,
  )
  process.stdout.write(`done after ${seconds.toFixed(1)} s; a member that joined last reads ${result}, expected ${expected}\n`)
  process.stdout.write(
    `begun in vain: ${vain} (${((vain / tasks) * 100).toFixed(2)} %); running members pronounced dead: ${diedFalsely.length}\n`,
  )
  return result === expected && vain <= tasks * MOST_IN_VAIN && diedFalsely.length === 0 ? 0 : 1
}

/** A command about jobs, and the events that it prints. */
function jel(...args: readonly string[]) {
  const child = keep(spawn(process.execPath, [jelBin, ...args], { stdio: ['ignore', 'pipe', 'inherit'] }))
  const events = new Map<string, unknown>()
  let wake = Promise.withResolvers<void>()
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) events.set((JSON.parse(line) as { event: string }).event, JSON.parse(line))
    wake.resolve()
    wake = Promise.withResolvers()
  })
  const exited = once(child, 'exit')
  return {
    child,
    last: (event: string) => events.get(event) ?? {},
    async until(event: string): Promise<void> {
      while (!events.has(event) && child.exitCode === null && child.signalCode === null) await Promise.race([wake.promise, exited])
    },
  }
}

export const experiment = command(USAGE, options, main)
