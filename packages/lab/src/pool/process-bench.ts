/** Benchmarks a pool of separate `jel join` processes while nodes come, leave and are killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { loopbackBytes } from '../network/loopback.ts'
import { NeverError, type Measures, type Unit } from './measure.ts'
import { TIMEOUT, type Plan } from './plan.ts'
import { ProcessSwarm, type Reign } from '../swarm/process-swarm.ts'

const ELECTION = 'master'

interface Bench {
  readonly swarm: ProcessSwarm
  readonly plan: Plan
  readonly add: (name: string, unit: Unit, value: number, target?: number) => void
}

export async function benchProcesses(nodes: number, plan: Plan, measures: Measures): Promise<void> {
  for (let run = 1; run <= plan.runs; run++) {
    plan.say(`${nodes} processes, run ${run} of ${plan.runs}`)
    const swarm = new ProcessSwarm({ bin: plan.bin, flags: plan.flags, name: `bench-${process.pid}-${Date.now()}` })
    const bench: Bench = {
      swarm,
      plan,
      add: (...rest) => measures.add('processes', nodes, ...rest),
    }
    try {
      await flash(bench, nodes)
      if (plan.phases.has('idle') && run === plan.runs) await idle(bench)
      if (plan.phases.has('join') || plan.phases.has('leave')) await comeAndGo(bench)
      if (plan.phases.has('winner')) await winners(bench)
      if (plan.phases.has('kill')) await kills(bench)
    } catch (error) {
      if (!(error instanceof NeverError)) throw error
      plan.say(`  given up: ${error.message}`)
    } finally {
      const { deaths, repeats } = swarm.wrongs()
      bench.add('living nodes said to be dead', 'count', deaths, 0)
      bench.add('notifications said twice', 'count', repeats, 0)
      bench.add('processes that ended by themselves', 'count', swarm.lost, 0)
      for (const complaint of new Set(swarm.complaints)) plan.say(`  said: ${complaint}`)
      await swarm.stop()
    }
  }
}

async function flash({ swarm, plan, add }: Bench, nodes: number): Promise<void> {
  const first = await swarm.start(1)
  const wire = loopbackBytes()
  const started = [...first, ...(await swarm.start(nodes - 1))]
  const known = await swarm.knownByAll('joined', swarm.ids, TIMEOUT.flash)
  const spent = loopbackBytes() - wire
  const last = Math.max(...started.map(({ process }) => process.entered))
  if (plan.phases.has('flash')) {
    add('flash join: last "started" until all know all', 'ms', known - last, 1500)
    add(
      'flash join: first process started until all know all',
      'ms',
      known - Math.min(...started.slice(1).map(({ process }) => process.spawned)),
    )
    add('flash join: bytes a node, headers included', 'KB', spent / nodes / 1000, 40)
    add('flash join: processor time a node, start-up included', 'ms', swarm.usage().processor / nodes)
  }
  plan.say(`  all know all ${known - last} ms after the last "started"`)
  await sleep(plan.settle)
}

async function idle({ swarm, plan, add }: Bench): Promise<void> {
  plan.say(`  idle for ${(plan.idleSettle + plan.idle) / 1000} s`)
  await sleep(plan.idleSettle)
  const nodes = swarm.ids.length
  const [wire, before, start] = [loopbackBytes(), swarm.usage(), Date.now()]
  await sleep(plan.idle)
  const [wireAfter, after, stop] = [loopbackBytes(), swarm.usage(), Date.now()]
  add('idle: bytes a node, headers included', 'KB/s', (wireAfter - wire) / nodes / (stop - start), 0.3)
  add('idle: processor a process', '% of a core', ((after.processor - before.processor) / (stop - start) / nodes) * 100, 0.2)
  add('idle: memory a process (RSS)', 'MB', after.memory / nodes / 2 ** 20, 85)
}

async function comeAndGo({ swarm, plan, add }: Bench): Promise<void> {
  for (let turn = 0; turn < plan.repeats; turn++) {
    const [node] = await swarm.start(1)
    if (node === undefined) throw new Error('no process was started')
    const known = await swarm.knownByAll('joined', [node.process.id], TIMEOUT.news)
    add('one join: "started" until known by all', 'ms', known - node.process.entered, 300)
    await sleep(plan.settle)
    const asked = swarm.signal(node, 'SIGTERM')
    const gone = await swarm.knownByAll('left', [node.process.id], TIMEOUT.news)
    add('leave: SIGTERM until known by all', 'ms', gone - asked, 300)
    await sleep(plan.settle / 2)
  }
}

/** Makes all nodes candidates, then kills the winner again and again. */
async function winners({ swarm, plan, add }: Bench): Promise<void> {
  const asked = Date.now()
  for (const node of swarm.running) swarm.command(node, { command: 'elect', election: ELECTION })
  let result = await elected(swarm, 1)
  add('first election: asked until all name one winner', 'ms', (result?.time ?? Infinity) - asked)
  for (let turn = 0; turn < plan.repeats; turn++) {
    await sleep(plan.settle)
    if (result === undefined) return
    const { winner } = result
    const killed = kill(swarm, [winner])
    const detected = await swarm.knownByAll('died', [winner], TIMEOUT.death)
    result = await elected(swarm, turn + 2)
    const agreed = result?.time ?? Infinity
    add('winner killed: until all name the next', 'ms', agreed - killed)
    add('winner killed: from its death known by all', 'ms', agreed - detected, 500)
  }
}

async function kills({ swarm, plan, add }: Bench): Promise<void> {
  // Spares the first node, the introducer of those that come later.
  for (let turn = 0; turn < plan.repeats; turn++) {
    await sleep(plan.settle)
    const victims = swarm.ids.slice(-1)
    const killed = kill(swarm, victims)
    add('SIGKILL of one: known by all', 'ms', (await swarm.knownByAll('died', victims, TIMEOUT.death)) - killed, 1000)
  }
  await sleep(plan.settle)
  const victims = swarm.ids.slice(-Math.floor(swarm.ids.length * 0.3))
  const killed = kill(swarm, victims)
  add('SIGKILL of 30 %: known by all', 'ms', (await swarm.knownByAll('died', victims, TIMEOUT.death)) - killed, 3000)
}

/** The winner that all name, of this epoch or a later one. */
async function elected(swarm: ProcessSwarm, epoch: number): Promise<Reign | undefined> {
  await swarm.until(() => (swarm.winner(ELECTION)?.epoch ?? 0) >= epoch, TIMEOUT.death, 10)
  const reign = swarm.winner(ELECTION)
  return (reign?.epoch ?? 0) >= epoch ? reign : undefined
}

function kill(swarm: ProcessSwarm, ids: readonly string[]): number {
  const times = ids.flatMap((id) => swarm.node(id) ?? []).map((node) => swarm.signal(node, 'SIGKILL'))
  return Math.min(...times)
}
