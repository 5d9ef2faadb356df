/** Benchmarks a swarm of real nodes while nodes come, leave and crash. */
import { quantile } from '../base/quantiles.ts'
import { rates } from '../base/rates.ts'
import { NeverError } from '../base/wait.ts'
import { loopbackBytes } from '../network/loopback.ts'
import { HostSwarm } from '../swarm/host-swarm.ts'
import { ProcessSwarm } from '../swarm/process-swarm.ts'
import { benchElections } from './elections.ts'
import type { Measures } from './measure.ts'
import { TIMEOUT, type Add, type Plan } from './plan.ts'

/** Number of event loops that all hosts of a swarm share. */
const WORKERS = 2

/** The names of the rows, each with its target if it has one. */
const ROWS = {
  hosts: {
    flash: ['flash join: last host up until all know all', 3000],
    whole: ['flash join: first call until all know all'],
    headers: ['flash join: with IP and TCP headers'],
    processor: ['flash join: processor time a node'],
    join: ['one join: entered until known by all', 300],
    leave: ['leave: call until known by all', 300],
    idleHeaders: ['idle: with IP and TCP headers', 0.3],
    idleProcessor: ['idle: processor a node'],
  },
  processes: {
    flash: ['flash join: last "started" until all know all', 1500],
    whole: ['flash join: first process started until all know all'],
    headers: ['flash join: bytes a node, headers included', 40],
    processor: ['flash join: processor time a node, start-up included'],
    join: ['one join: "started" until known by all', 300],
    leave: ['leave: SIGTERM until known by all', 300],
    idleHeaders: ['idle: bytes a node, headers included', 0.3],
    idleProcessor: ['idle: processor a process', 0.2],
  },
} as const satisfies Record<string, Record<string, readonly [name: string, target?: number]>>
type Row = keyof (typeof ROWS)['hosts']

interface Bench {
  readonly swarm: HostSwarm | ProcessSwarm
  readonly nodes: number
  readonly plan: Plan
  readonly add: Add
  /** Adds a value to a row that both kinds of swarm have. */
  readonly record: (row: Row, unit: Parameters<Add>[1], value: number) => void
}

export async function benchSwarm(kind: keyof typeof ROWS, nodes: number, plan: Plan, measures: Measures): Promise<void> {
  const { phases, runs, flags, bin } = plan
  for (let run = 1; run <= runs; run++) {
    console.error(`${nodes} ${kind}, run ${run} of ${runs}`)
    const swarm =
      kind === 'hosts' ? new HostSwarm(WORKERS, flags) : new ProcessSwarm({ bin, flags, name: `bench-${process.pid}-${Date.now()}` })
    const add: Add = (...row) => measures.add(kind, nodes, ...row)
    const record: Bench['record'] = (row, unit, value) => {
      const [name, target]: readonly [string, number?] = ROWS[kind][row]
      add(name, unit, value, target)
    }
    const bench: Bench = { swarm, nodes, plan, add, record }
    const isIdle = phases.has('idle') && run === runs
    try {
      await flash(bench)
      // The order depends on the kind, so that figures stay comparable with older figures.
      if (isIdle && kind === 'processes') await idle(bench)
      if (phases.has('join') || phases.has('leave')) await comeAndGo(bench)
      if (isIdle && kind === 'hosts') await idle(bench)
      if (swarm instanceof ProcessSwarm) await benchElections(swarm, plan, add)
      if (swarm instanceof ProcessSwarm && phases.has('kill')) await kills(swarm, bench)
    } catch (error) {
      // Further measurements of this swarm would also time out.
      if (!(error instanceof NeverError)) throw error
      console.error(`  given up: ${error.message}`)
    } finally {
      try {
        const { deaths, repeats } = await swarm.wrongs()
        add('living nodes said to be dead', 'count', deaths, 0)
        add('notifications said twice', 'count', repeats, 0)
        if (swarm instanceof ProcessSwarm) {
          add('processes that ended by themselves', 'count', swarm.lost, 0)
          for (const complaint of new Set(swarm.complaints)) console.error(`  said: ${complaint}`)
        }
      } finally {
        await swarm.stop()
      }
    }
  }
}

async function flash({ swarm, nodes, plan, add, record }: Bench): Promise<void> {
  const isShown = plan.phases.has('flash')
  // The cost of processes includes their start-up. Hosts start in processes that already run.
  const empty = swarm instanceof HostSwarm ? swarm.usage() : { processor: 0, memory: 0 }
  await swarm.start(1)
  const [wire, payload] = [loopbackBytes(), await payloadOf(swarm)]
  const started = await swarm.start(nodes - 1)
  const known = await swarm.knownByAll('joined', swarm.ids, TIMEOUT.flash)
  const full = swarm.usage()
  const spent = (await payloadOf(swarm)) - payload
  const last = Math.max(...started.map(({ entered }) => entered))
  if (isShown) {
    record('flash', 'ms', known - last)
    record('whole', 'ms', known - Math.min(...started.map(({ called }) => called)))
    if (swarm instanceof HostSwarm) add('flash join: TCP payload a node', 'KB', spent / nodes / 1000, 70)
    record('headers', 'KB', (loopbackBytes() - wire) / nodes / 1000)
    record('processor', 'ms', (full.processor - empty.processor) / nodes)
  }
  console.error(`  all know all ${(known - last).toFixed(0)} ms after the last was up`)
  await swarm.pass(plan.settle)
  if (!isShown || !(swarm instanceof HostSwarm)) return
  const links = await swarm.links()
  add('links of a host, after settling', 'count', quantile(links, 0.5))
  add('links of the busiest host, after settling', 'count', quantile(links, 1))
  add('memory a host', 'MB', (swarm.usage().memory - empty.memory) / nodes / 2 ** 20)
}

/** One node joins and then leaves, again and again, so that the swarm keeps its size. */
async function comeAndGo({ swarm, plan, add, record }: Bench): Promise<void> {
  for (let turn = 0; turn < plan.repeats; turn++) {
    const [node] = await swarm.start(1)
    if (node === undefined) throw new Error('no node was started')
    const known = await swarm.knownByAll('joined', [node.id], TIMEOUT.news)
    record('join', 'ms', known - node.entered)
    if (swarm instanceof HostSwarm) add('one join: call until known by all', 'ms', known - node.called)
    await swarm.pass(plan.settle)
    await node.leave()
    record('leave', 'ms', (await swarm.knownByAll('left', [node.id], TIMEOUT.news)) - (node.endedAt ?? Number.NaN))
    await swarm.pass(plan.settle / 2)
  }
}

async function idle({ swarm, nodes, plan, add, record }: Bench): Promise<void> {
  console.error(`  idle for ${(2 * plan.idle) / 1000} s`)
  await swarm.pass(plan.idle)
  const take = async () => ({ payload: await payloadOf(swarm), wire: loopbackBytes(), processor: swarm.usage().processor })
  const { payload, wire, processor } = await rates(take, () => swarm.pass(plan.idle))
  if (swarm instanceof HostSwarm) add('idle: TCP payload a node', 'KB/s', payload / nodes / 1000)
  record('idleHeaders', 'KB/s', wire / nodes / 1000)
  record('idleProcessor', '% of a core', processor / 10 / nodes)
  if (swarm instanceof ProcessSwarm) add('idle: memory a process (RSS)', 'MB', swarm.usage().memory / nodes / 2 ** 20, 85)
}

async function kills(swarm: ProcessSwarm, { plan, add }: Bench): Promise<void> {
  const kill = async (count: number): Promise<number> => {
    await swarm.pass(plan.settle)
    // Spares the first node, because it is the introducer of later nodes.
    const victims = swarm.running.slice(-count)
    await Promise.all(victims.map((node) => node.kill()))
    const killed = Math.min(...victims.map(({ endedAt = Number.NaN }) => endedAt))
    const ids = victims.map(({ id }) => id)
    return (await swarm.knownByAll('died', ids, TIMEOUT.death)) - killed
  }
  for (let turn = 0; turn < plan.repeats; turn++) add('SIGKILL of one: known by all', 'ms', await kill(1), 1000)
  add('SIGKILL of 30 %: known by all', 'ms', await kill(Math.floor(swarm.ids.length * 0.3)), 3000)
}

/**
 * Returns the bytes that sockets have written; NaN for separate processes, whose bytes only the
 * network can count.
 */
async function payloadOf(swarm: Bench['swarm']): Promise<number> {
  return swarm instanceof HostSwarm ? await swarm.socketBytes() : Number.NaN
}
