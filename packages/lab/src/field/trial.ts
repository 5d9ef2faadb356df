/** Runs one contender through the schedule. */
import { setTimeout as sleep } from 'node:timers/promises'
import { rates } from '../base/rates.ts'
import type { LabNetwork } from '../network/network.ts'
import { Cluster } from './cluster.ts'
import type { Contender } from './contender.ts'
import { AFTER_STOP, isThreeHostsOnly, LIMITS, STOP, type Schedule } from './schedule.ts'
import { ROWS, type Add, type Figures, type Row } from './rows.ts'
import { threeHosts } from './three-hosts.ts'

export async function trial(contender: Contender, network: LabNetwork, schedule: Schedule, group: string): Promise<Figures> {
  const { only } = schedule
  const figures: Figures = {}
  const add = (row: Row, value: number): void => {
    const rounded = Math.round(value * 1000) / 1000
    ;(figures[row] ??= []).push(rounded)
    console.error(`${contender.name}: ${ROWS[row][0]}: ${rounded} ${ROWS[row][1]}`)
  }
  if (!isThreeHostsOnly(only)) {
    const cluster = new Cluster(contender, network, schedule.hosts, group)
    try {
      await flash(cluster, schedule, add)
      if (only.has('idle')) await idle(cluster, schedule, add)
      if (only.has('single')) await single(cluster, schedule, add)
      if (only.has('stop')) await stop(cluster, add)
      if (only.has('heal')) await heal(cluster, network, schedule, add)
      if (only.has('many')) add('killMany', await until(cluster, Math.round(schedule.nodes * 0.3), 'SIGKILL', LIMITS.death))
      add('falseDeaths', cluster.falseDeaths)
    } finally {
      await cluster.swarm.stop()
    }
  }
  if (only.has('three-hosts')) await threeHosts(contender, network, schedule, `${group}-three`, add)
  return figures
}

async function flash(cluster: Cluster, { nodes, settle }: Schedule, add: Add): Promise<void> {
  await cluster.start(1)
  const [bytes, start] = [cluster.bytes(), Date.now()]
  const entered = await cluster.start(nodes - 1)
  const known = await cluster.settled(LIMITS.join)
  add('flash', known - Math.max(...entered))
  add('flashWhole', known - start)
  add('flashBytes', (cluster.bytes() - bytes) / nodes / 1000)
  add('flashProcessor', cluster.swarm.usage().processor / nodes)
  await sleep(settle * 2)
}

async function idle(cluster: Cluster, schedule: Schedule, add: Add): Promise<void> {
  const { nodes } = schedule
  const take = () => ({ bytes: cluster.bytes(), processor: cluster.swarm.usage().processor })
  const { bytes, processor } = await rates(take, () => sleep(schedule.idle))
  add('idleBytes', bytes / nodes)
  add('idleProcessor', processor / 10 / nodes)
  add('memory', cluster.swarm.usage().memory / nodes / 2 ** 20)
}

async function single(cluster: Cluster, { repeats, settle }: Schedule, add: Add): Promise<void> {
  for (let turn = 0; turn < repeats; turn++) {
    const [entered = 0] = await cluster.start(1)
    add('join', Math.max(0, (await cluster.settled(LIMITS.join)) - entered))
    await sleep(settle)
    add('leave', await until(cluster, 1, 'SIGINT', LIMITS.leave))
    await sleep(settle)
  }
  for (let turn = 0; turn < repeats; turn++) {
    add('kill', await until(cluster, 1, 'SIGKILL', LIMITS.death))
    await cluster.start(1)
    await cluster.settled(LIMITS.join)
    await sleep(settle)
  }
}

async function stop(cluster: Cluster, add: Add): Promise<void> {
  const [stopped] = cluster.some(1)
  const others = cluster.swarm.running.filter((agent) => agent !== stopped)
  const wrong = cluster.falseDeaths
  stopped?.send('SIGSTOP')
  await sleep(STOP)
  stopped?.send('SIGCONT')
  await sleep(AFTER_STOP)
  add('stop', Math.min(others.length, cluster.falseDeaths - wrong))
  cluster.falseDeaths = wrong
  await cluster.settled(LIMITS.join)
}

async function heal(cluster: Cluster, network: LabNetwork, { hosts, heals, partition, settle }: Schedule, add: Add): Promise<void> {
  const half = hosts.length / 2
  for (let turn = 0; turn < heals; turn++) {
    cluster.countsDeaths = false
    const mend = network.part(hosts.slice(0, half), hosts.slice(half))
    await sleep(partition)
    mend()
    const healed = Date.now()
    add('heal', (await cluster.settled(LIMITS.heal)) - healed)
    await sleep(settle)
    cluster.countsDeaths = true
  }
}

/** Ends `count` agents at once. Returns the time until all other agents know their end, ms. */
async function until(cluster: Cluster, count: number, signal: 'SIGKILL' | 'SIGINT', limit: number): Promise<number> {
  const time = Date.now()
  for (const agent of cluster.some(count)) cluster.end(agent, signal)
  return (await cluster.settled(limit)) - time
}
