/** Measures replicated services, with a process for each member. */
import { setTimeout as sleep } from 'node:timers/promises'
import { median, sum } from '../base/quantiles.ts'
import { flag, whole } from '../base/settings.ts'
import { areMet, targetTable, type Row } from '../base/targets.ts'
import { bench } from '../bench/bench.ts'
import { provide } from '../network/tools.ts'
import { Farm, type Member } from './farm.ts'
import { managers } from './manager.ts'
import { nats } from './nats.ts'
import { partition, type PartitionFigures } from './partition.ts'

/**
 * Bytes of an input, and the most that a replicated call may take, as a multiple of a plain one.
 */
const SIZES: readonly (readonly [number, number])[] = [
  [10, 1.1],
  [100, 1.1],
  [1000, 1.2],
  [10_000, 1.3],
  [100_000, 3],
]
/** Numbers of clients of a fail-over: those of the paper. */
const CLIENTS = [1, 2, 4, 8, 16]
/** Jobs of the broker, and the time for all of them, ms: three times the usual one on two cores. */
const [JOBS, JOBS_TIME] = [10_000, 9000]
/** Managers of a site that are killed. */
const MANAGER_KILLS = 5
/** Leaders of NATS that are killed. */
const NATS_KILLS = 10
/**
 * Longest time from the end of a partition until the service is whole, ms. A pool is whole after 20
 * s (docs/lab.md), and a service a moment later.
 */
const MAX_HEAL = 21_000

type Add = (what: string, value: number, unit: string, most: number) => void

/** Calls of both kinds in turn, so that both have the same machine. */
async function measureCalls(farm: Farm, calls: number, add: Add): Promise<void> {
  const [caller] = farm.clients as [Member]
  for (const name of ['plain', 'replicated']) await caller.remote.ask({ call: { name, bytes: 10, count: 50 } })
  for (const [bytes, most] of SIZES) {
    const times: Record<string, number[]> = { plain: [], replicated: [] }
    for (let round = 0; round < 10; round++)
      for (const [name, all] of Object.entries(times))
        all.push(...(await caller.remote.ask({ call: { name, bytes, count: Math.ceil(calls / 10) } })).times)
    const [plain, replicated] = [median(times['plain'] ?? []), median(times['replicated'] ?? [])]
    add(`a plain call of ${bytes} B, median`, plain, 'ms', Infinity)
    add(`a replicated call of ${bytes} B, median`, replicated, 'ms', Infinity)
    add(`their ratio at ${bytes} B`, replicated / plain, '', most)
  }
  const [time = NaN] = (await caller.remote.ask({ jobs: JOBS })).times
  add(`${JOBS} jobs of the example broker, with 16 machines`, time, 'ms', JOBS_TIME)
}

/** Kills the primary under load, and then the primary and the senior backup at once. */
async function measureKills(farm: Farm, kills: number, add: Add): Promise<void> {
  const { clients } = farm
  for (const number of CLIENTS.filter((each) => each <= clients.length)) {
    const calling = clients.slice(0, number)
    for (const client of calling) await client.remote.ask({ count: true })
    await sleep(500)
    add(`SIGKILL of the primary until all of ${number} clients have answers`, await farm.kill(calling), 'ms', 1000)
    for (const client of calling) await client.remote.ask({ stop: true })
  }
  for (const client of clients) await client.remote.ask({ count: true })
  const times: number[] = []
  const timesOfTwo: number[] = []
  for (let at = 0; at < kills; at++) times.push(await farm.kill(clients))
  for (let at = 0; at < Math.ceil(kills / 10); at++) timesOfTwo.push(await farm.kill(clients, true))
  const states = await Promise.all(clients.map(async (client) => await client.remote.ask({ stop: true })))
  const acknowledged = sum(states.map((each) => each.acknowledged))
  const failed = sum(states.map((each) => each.failed))
  const { operations } = await (await farm.whole()).remote.ask({})
  add(`median time until all of ${clients.length} clients have answers, of ${kills} kills`, median(times), 'ms', Infinity)
  add('the worst', Math.max(...times), 'ms', 1000)
  add(`the worst of ${timesOfTwo.length} kills of the primary and the senior backup at once`, Math.max(...timesOfTwo), 'ms', 2000)
  add('acknowledged operations', acknowledged, '', Infinity)
  add('calls that failed', failed, '', 0)
  add('acknowledged operations that were lost', Math.max(0, acknowledged - operations), '', 0)
  add('operations that were applied twice', Math.max(0, operations - acknowledged - failed), '', 0)
}

function rowsOf(cut: number, { acknowledged, healed, notices, ...counts }: PartitionFigures): Row[] {
  for (const notice of notices) console.log(notice)
  const { failed, different, lost, twice, moved, unreported } = counts
  const row = (what: string, value: number, most: number, unit = ''): Row => ({ what, value, unit, most })
  return [
    row(`a cut of ${cut} s: acknowledged operations of the one side`, acknowledged[0] ?? 0, Infinity),
    row('acknowledged operations of the other side', acknowledged[1] ?? 0, Infinity),
    row('sides that acknowledged nothing', acknowledged.filter((each) => each === 0).length, 0),
    row('from the heal until all replicas have one state', healed, MAX_HEAL, 'ms'),
    row('replicas with another state', different, 0),
    row('calls that failed', failed, 0),
    row('acknowledged operations that were lost', lost, 0),
    row('operations that were applied twice', twice, 0),
    row('operations whose result is another one than was answered', moved, Infinity),
    row('those of which the caller heard nothing', unreported, 0),
  ]
}

export const experiment = bench({
  about: 'replicated services: what a call costs, and how soon the next primary answers',
  settings: {
    calls: whole(300, 'calls of each size; 0: none', 0),
    kills: whole(100, 'primaries that are killed under load; 0: none', 0),
    clients: whole(16, 'processes that call meanwhile', 1),
    cut: whole(60, 'seconds for which the network is cut in two; 0: not', 0),
    offline: flag('install nothing: without NATS'),
  },
  notes: 'Exit status 1 if a target is missed.',
  where: ({ cut }) => (cut > 0 ? 'hosts' : 'network'),
  prepare: ({ offline }) => {
    if (!offline) provide('nats')
    return undefined
  },
  async measure({ calls, kills, clients, cut, offline }, { folder }): Promise<readonly Row[]> {
    const rows: Row[] = []
    const add: Add = (what, value, unit, most) => void rows.push({ what, value, unit, most })
    const farm = new Farm(`services-${process.pid}`)
    try {
      if (calls > 0 || kills > 0) await farm.begin(clients)
      if (calls > 0) await measureCalls(farm, calls, add)
      if (kills > 0) await measureKills(farm, kills, add)
    } finally {
      farm.close()
    }
    if (kills > 0) {
      const times = await managers(MANAGER_KILLS)
      add(`SIGKILL of the manager of a site until the next one's numbers, worst of ${times.length}`, Math.max(...times), 'ms', 1000)
    }
    if (cut > 0) rows.push(...rowsOf(cut, await partition(`partition-${process.pid}`, cut)))
    if (offline || calls === 0) return rows
    const theirs = await nats(folder, calls, NATS_KILLS)
    add('NATS: a request of 10 B, median', theirs.request, 'ms', Infinity)
    add('NATS: a put of 10 B with three replicas in memory, median', theirs.put, 'ms', Infinity)
    add('NATS: their ratio', theirs.put / theirs.request, '', Infinity)
    add(`NATS: SIGKILL of the leader until the next put, median of ${NATS_KILLS}`, median(theirs.failOver), 'ms', Infinity)
    add(`NATS: SIGKILL of the leader until the next put, worst of ${NATS_KILLS}`, Math.max(...theirs.failOver), 'ms', Infinity)
    return rows
  },
  table: (rows) => targetTable('replicated services', rows),
  passed: areMet,
})
