/**
 * Runs a job while the pool is cut in two. Reports whether both halves go on, whether there is one
 * result, and the tasks that both sides computed.
 *
 *     pnpm lab compute-cut --members 20 --tasks 8000 --ms 200 --seconds 60
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { keep, takeChildrenAlong } from '../base/child.ts'
import { inCheckout, jelBin } from '../base/paths.ts'
import { command, positive, type Values, whole } from '../base/program.ts'
import type { LabHost } from '../network/host.ts'
import { rerunInOwnNamespaces } from '../network/namespaces.ts'
import { LabNetwork } from '../network/network.ts'
import { provide } from '../network/tools.ts'
import { startNode } from '../swarm/node-process.ts'

const USAGE = `pnpm lab compute-cut [options]

  --members 20     each a process in a network namespace of its own, one task at a time
  --tasks 8000     of the job; each waits, and takes no processor
  --ms 200         each
  --seconds 60     that half of the members do not hear the other half; the cut begins after 10 s

Exit status 1 if the members do not all have the right result, a side stood still, or a member that saw all others again began a task that either side had told its replicas of.
`

const BEFORE = 10_000
/**
 * Time within which a member has sent a completed task to the replicas, ms: a second, and the way.
 */
const TOLD = 2000
const LIMIT = 300_000

const options = {
  members: { type: 'string', default: '20' },
  tasks: { type: 'string', default: '8000' },
  ms: { type: 'string', default: '200' },
  seconds: { type: 'string', default: '60' },
} as const

interface Execution {
  readonly task: number
  /** The process. */
  readonly pid: number
  readonly side: number
  readonly begun: number
  ended: number | undefined
}

async function main(values: Values<typeof options>): Promise<number> {
  provide('network')
  const status = await rerunInOwnNamespaces()
  if (status !== undefined) return status
  takeChildrenAlong()
  const folder = mkdtempSync(join(tmpdir(), 'jel-lab-'))
  try {
    return await measure(values, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(values: Values<typeof options>, folder: string): Promise<number> {
  const [members, tasks, ms] = [whole('members', values.members), whole('tasks', values.tasks), whole('ms', values.ms)]
  const [owner, log, load] = [join(folder, 'owner'), join(folder, 'log'), (loadavg()[0] as number).toFixed(1)]
  writeFileSync(log, '')
  const network = new LabNetwork(members)
  await network.ready
  const pool = `cut-${process.pid}`
  const half = Math.ceil(members / 2)
  const sideOf = new Map<number, number>()
  const pidOf = new Map<string, number>()
  const changes: Change[] = []
  const enter = (host: LabHost, first?: string): string[] => {
    const bootstrap = first === undefined ? [] : ['--bootstrap', first]
    return ['--listen', `/ip4/${host.address}/tcp/0`, '--owner', owner, ...bootstrap]
  }
  const start = async (host: LabHost, first?: string): Promise<string> => {
    const node = await startNode(
      { bin: jelBin, command: 'work', pool, within: network.within(host), args: ['--workers', '1', ...enter(host, first)] },
      {
        line: (id, { event, time, node: other }) => void (event === 'joined' && changes.push({ id, other: other?.id ?? '', time })),
        complaint: () => {},
        ended: () => {},
      },
    )
    sideOf.set(node.child.pid as number, host.number <= half ? 0 : 1)
    pidOf.set(node.id, node.child.pid as number)
    return node.address
  }
  const [firstHost, ...others] = network.hosts as [LabHost, ...LabHost[]]
  const first = await start(firstHost)
  await Promise.all(others.map((host) => start(host, first)))
  await delay(3000)
  const ask = (host: LabHost, ...args: readonly string[]): Promise<string> => jel(network.within(host), ...args, ...enter(host, first))
  const input = JSON.stringify({ tasks, ms, log })
  await ask(firstHost, 'submit', pool, inCheckout('packages/lab/src/compute-cut/program.ts'), 'waiting', input, '--name', 'cut', '--detach')
  await delay(BEFORE)
  network.part(network.hosts.slice(0, half), network.hosts.slice(half))
  const cutAt = Date.now()
  await delay(positive('seconds', values.seconds) * 1000)
  const healedAt = Date.now()
  network.heal()
  const [one, other] = await Promise.all(
    [firstHost, network.hosts.at(-1) as LabHost].map((host) =>
      Promise.race([ask(host, 'job', pool, 'cut', '--result'), delay(LIMIT).then(() => 'nothing')]),
    ),
  )
  const doneAt = Date.now()
  return report({ executions: read(log, sideOf), changes, pidOf, tasks, ms, results: [one, other], load, cutAt, healedAt, doneAt, members })
}

/** A member begins to see another. */
interface Change {
  readonly id: string
  /** The member that it sees. */
  readonly other: string
  readonly time: number
}

interface Run {
  readonly changes: readonly Change[]
  readonly pidOf: ReadonlyMap<string, number>
  readonly executions: readonly Execution[]
  readonly tasks: number
  readonly ms: number
  readonly results: readonly (string | undefined)[]
  readonly load: string
  readonly cutAt: number
  readonly healedAt: number
  readonly doneAt: number
  readonly members: number
}

function report({ executions, changes, pidOf, tasks, ms, results, load, cutAt, healedAt, doneAt, members }: Run): number {
  const during = executions.filter(({ ended, begun }) => ended !== undefined && begun >= cutAt && ended <= healedAt)
  const sides = [0, 1].map((side) => new Set(during.filter((each) => each.side === side).map(({ task }) => task)))
  const [left, right] = sides as [Set<number>, Set<number>]
  const both = [...left].filter((task) => right.has(task)).length
  const told = new Set(executions.filter(({ ended }) => ended !== undefined && ended <= healedAt - TOLD).map(({ task }) => task))
  const again = executions.filter(({ task, begun }) => begun > healedAt && told.has(task))
  const returns = changes.filter(({ other, time }) => pidOf.has(other) && time > healedAt)
  const wholeAt = new Map(returns.map(({ id, time }) => [pidOf.get(id), time]))
  const late = again.filter(({ pid, begun }) => begun > (wholeAt.get(pid) ?? Infinity)).length
  const expected = String((tasks * (tasks - 1)) / 2)
  const seconds = (time: number): string => (time / 1000).toFixed(1)
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  say(`load at the start ${load}; ${members} members, ${tasks} tasks of ${ms} ms, cut in two for ${seconds(healedAt - cutAt)} s`)
  say(
    `results on the two sides: ${results.map((each) => each?.trim()).join(' and ')}, expected ${expected}; done ${seconds(doneAt - healedAt)} s after the heal`,
  )
  const united = returns.map(({ time }) => time - healedAt).toSorted((a, b) => a - b)
  say(
    `after the heal members saw others again after ${seconds(united[united.length >> 1] ?? Number.NaN)} s (median), ${seconds(united.at(-1) ?? Number.NaN)} s (last)`,
  )
  say(`while cut: ${left.size} and ${right.size} tasks, ${both} of them on both sides (${seconds(both * ms)} s of work twice)`)
  say(
    `begun after the heal, though a side had told its replicas of it: ${again.length}, ${late} of them by members that saw all others again`,
  )
  const before = executions.filter(({ begun }) => begun < cutAt).length
  say(
    `executions in all: ${executions.length}; before the cut ${before}, after the heal ${[0, 1].map((side) => executions.filter((each) => each.side === side && each.begun > healedAt).length).join(' and ')}`,
  )
  const isRight = results.every((each) => each?.trim() === expected)
  return isRight && left.size > 0 && right.size > 0 && late === 0 ? 0 : 1
}

function read(log: string, sideOf: ReadonlyMap<number, number>): Execution[] {
  const open = new Map<string, Execution>()
  const executions: Execution[] = []
  for (const line of readFileSync(log, 'utf8').trim().split('\n')) {
    const [what, task, time, pid] = line.split(' ')
    const key = `${task} ${pid}`
    if (what === 'begin') {
      const execution: Execution = {
        task: Number(task),
        pid: Number(pid),
        side: sideOf.get(Number(pid)) ?? -1,
        begun: Number(time),
        ended: undefined,
      }
      executions.push(execution)
      open.set(key, execution)
    } else {
      const execution = open.get(key)
      if (execution !== undefined) execution.ended = Number(time)
    }
  }
  return executions
}

/** The output of a command about jobs. */
async function jel([program, ...before]: readonly string[], ...args: readonly string[]): Promise<string> {
  const child = keep(spawn(program as string, [...before, process.execPath, jelBin, ...args], { stdio: ['ignore', 'pipe', 'inherit'] }))
  return await text(child.stdout)
}

export const experiment = command(USAGE, options, main)
