/**
 * Benchmarks a pool of real hosts, many to a process. All hosts of the swarm share two processes,
 * so two event loops.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { HostSwarm } from '../swarm/host-swarm.ts'
import { loopbackBytes } from '../network/loopback.ts'
import { NeverError, type Measures } from './measure.ts'
import { TIMEOUT, type Plan } from './plan.ts'
import { quantile } from '../base/quantiles.ts'

const WORKERS = 2

export async function benchHosts(nodes: number, plan: Plan, measures: Measures): Promise<void> {
  for (let run = 1; run <= plan.runs; run++) {
    plan.say(`${nodes} hosts, run ${run} of ${plan.runs}`)
    const swarm = new HostSwarm(WORKERS, plan.flags)
    try {
      await flash(swarm, nodes, plan, measures)
      if (plan.phases.has('join') || plan.phases.has('leave')) await comeAndGo(swarm, nodes, plan, measures)
      if (plan.phases.has('idle') && run === plan.runs) await idle(swarm, nodes, plan, measures)
    } catch (error) {
      if (!(error instanceof NeverError)) throw error
      plan.say(`  given up: ${error.message}`)
    } finally {
      try {
        const { deaths, repeats } = await swarm.wrongs()
        measures.add('hosts', nodes, 'living nodes said to be dead', 'count', deaths, 0)
        measures.add('hosts', nodes, 'notifications said twice', 'count', repeats, 0)
      } finally {
        await swarm.stop()
      }
    }
  }
}

async function flash(swarm: HostSwarm, nodes: number, plan: Plan, measures: Measures): Promise<void> {
  const add = (...rest: [name: string, unit: 'ms' | 'KB' | 'MB' | 'count', value: number, target?: number]): void => {
    if (plan.phases.has('flash')) measures.add('hosts', nodes, ...rest)
  }
  const empty = swarm.usage()
  await swarm.start(1)
  const payload = await swarm.socketBytes()
  const wire = loopbackBytes()
  const hosts = await swarm.start(nodes - 1)
  const known = await swarm.knownByAll('joined', swarm.ids, TIMEOUT.flash)
  const full = swarm.usage()
  const lastUp = Math.max(...hosts.map(({ entered }) => entered))
  const spent = (await swarm.socketBytes()) - payload
  const spentOnWire = loopbackBytes() - wire
  add('flash join: last host up until all know all', 'ms', known - lastUp, 3000)
  add('flash join: first call until all know all', 'ms', known - Math.min(...hosts.map(({ called }) => called)))
  add('flash join: TCP payload a node', 'KB', spent / nodes / 1000, 70)
  add('flash join: with IP and TCP headers', 'KB', spentOnWire / nodes / 1000)
  add('flash join: processor time a node', 'ms', (full.processor - empty.processor) / nodes)
  plan.say(`  all know all ${(known - lastUp).toFixed(0)} ms after the last was up; ${(spent / nodes / 1000).toFixed(1)} KB a node`)
  await sleep(plan.settle)
  const links = await swarm.links()
  add('links of a host, after settling', 'count', quantile(links, 0.5))
  add('links of the busiest host, after settling', 'count', quantile(links, 1))
  add('memory a host', 'MB', (swarm.usage().memory - empty.memory) / nodes / 2 ** 20)
}

/** One host joins, then leaves, again and again, so that the swarm keeps its size. */
async function comeAndGo(swarm: HostSwarm, nodes: number, plan: Plan, measures: Measures): Promise<void> {
  for (let turn = 0; turn < plan.repeats; turn++) {
    const [host] = await swarm.start(1)
    if (host === undefined) throw new Error('no host was started')
    const known = await swarm.knownByAll('joined', [host.id], TIMEOUT.news)
    measures.add('hosts', nodes, 'one join: entered until known by all', 'ms', known - host.entered, 300)
    measures.add('hosts', nodes, 'one join: call until known by all', 'ms', known - host.called)
    await sleep(plan.settle)
    const called = await swarm.leave(host.id)
    const gone = await swarm.knownByAll('left', [host.id], TIMEOUT.news)
    measures.add('hosts', nodes, 'leave: call until known by all', 'ms', gone - called, 300)
    await sleep(plan.settle / 2)
  }
}

async function idle(swarm: HostSwarm, nodes: number, plan: Plan, measures: Measures): Promise<void> {
  plan.say(`  idle for ${(plan.idleSettle + plan.idle) / 1000} s`)
  await sleep(plan.idleSettle)
  const [bytes, wire, before, start] = [await swarm.socketBytes(), loopbackBytes(), swarm.usage(), Date.now()]
  await sleep(plan.idle)
  const [bytesAfter, wireAfter, after, stop] = [await swarm.socketBytes(), loopbackBytes(), swarm.usage(), Date.now()]
  const seconds = (stop - start) / 1000
  measures.add('hosts', nodes, 'idle: TCP payload a node', 'KB/s', (bytesAfter - bytes) / nodes / seconds / 1000)
  measures.add('hosts', nodes, 'idle: with IP and TCP headers', 'KB/s', (wireAfter - wire) / nodes / seconds / 1000, 0.3)
  measures.add(
    'hosts',
    nodes,
    'idle: processor a node',
    '% of a core',
    ((after.processor - before.processor) / (stop - start) / nodes) * 100,
  )
}
