/** A replicated service on two hosts that are cut apart for a while, with writers on both. */
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../base/wait.ts'
import type { LabHost } from '../network/host.ts'
import { LabNetwork } from '../network/network.ts'
import { MemberProcesses, type MemberProcess } from '../swarm/member-process.ts'
import type { ListCommands } from './list-member.ts'

/** Longest wait for a state of all members, ms. A guess. */
const MAX_WAIT = 60_000
/** Servers of each host: the primary, or the backup that takes over, and another backup. */
const SERVERS = 2
/** The roles of servers that have a state to compare. */
const HAVING = ['primary', 'backup']

type Member = MemberProcess<ListCommands>

/** The fate of the operations of both sides. */
export interface PartitionFigures {
  /** Operations that each side acknowledged during the cut. */
  readonly acknowledged: readonly number[]
  /** From the heal until there is one primary, and all replicas have one state, ms. */
  readonly healed: number
  readonly failed: number
  /** Replicas whose state differs from the primary's. */
  readonly different: number
  /** Acknowledged operations that are not in the state. */
  readonly lost: number
  readonly twice: number
  /** Operations with another place than their callers were told. Some may lack a report. */
  readonly moved: number
  readonly unreported: number
  readonly notices: readonly string[]
}

export async function partition(name: string, seconds: number): Promise<PartitionFigures> {
  const network = new LabNetwork(2)
  await network.ready
  const [near, far] = network.hosts as [LabHost, LabHost]
  const members = new MemberProcesses<ListCommands>(name, new URL('list-member.ts', import.meta.url))
  try {
    const servers: Member[] = []
    // The three oldest servers are the replicas. So each side has at least one.
    for (const host of [near, far])
      for (let at = 0; at < SERVERS; at++) {
        const server = await members.start({ host })
        await server.remote.serve()
        servers.push(server)
      }
    const clients = [await members.start({ host: near }), await members.start({ host: far })]
    await settled(servers)
    for (const { remote } of clients) await remote.begin()
    await sleep(2000)
    const heal = network.part([near], [far])
    const cutAt = Date.now()
    await sleep(seconds * 1000)
    const healedAt = Date.now()
    heal()
    // The writers go on while the sides come together.
    const isOne = await until(async () => (await primaries(servers)).length === 1, MAX_WAIT, 50)
    if (!isOne) throw new Error(`there was no single primary within ${MAX_WAIT} ms of the heal`)
    await settled(servers)
    const healed = Date.now() - healedAt
    for (const { remote } of clients) await remote.end()
    // After an operation, `keys` of each server has the state of its replica.
    await (clients[0] as Member).remote.write()
    await settled(servers)
    return { healed, ...(await judged(servers, clients, cutAt, healedAt)) }
  } finally {
    members.close()
  }
}

async function primaries(servers: readonly Member[]): Promise<readonly Member[]> {
  const roles = await Promise.all(servers.map(async ({ remote }) => (await remote.status()).role))
  return servers.filter((_, at) => roles[at] === 'primary')
}

/** Waits until one primary has two backups. */
async function settled(servers: readonly Member[]): Promise<void> {
  const isSettled = async (): Promise<boolean> => {
    const states = await Promise.all(servers.map(async ({ remote }) => await remote.status()))
    const [first, ...others] = states.filter(({ role }) => role === 'primary')
    return first !== undefined && others.length === 0 && first.backups >= 2
  }
  if (!(await until(isSettled, MAX_WAIT, 50))) throw new Error(`the list had no single primary with two backups within ${MAX_WAIT} ms`)
}

async function judged(
  servers: readonly Member[],
  clients: readonly Member[],
  cutAt: number,
  healedAt: number,
): Promise<Omit<PartitionFigures, 'healed'>> {
  const [primary] = await primaries(servers)
  const keys = (await primary?.remote.keys()) ?? []
  const hash = await primary?.remote.hash()
  const states = await Promise.all(servers.map(async ({ remote }) => ({ ...(await remote.status()), hash: await remote.hash() })))
  const told = await Promise.all(clients.map(async ({ remote }) => await remote.told()))
  const places = new Map(keys.map((key, at) => [key, at + 1]))
  const answered = told.flatMap((each) => each.answered)
  const moved = told.flatMap(({ answered: all, reports }) =>
    all
      .filter(([key, place]) => places.has(key) && places.get(key) !== place)
      .map(([key, place]) => reports.some((each) => each.key === key && each.before.includes(place) && each.after === places.get(key))),
  )
  return {
    acknowledged: told.map((each) => each.answered.filter(([, , at]) => at > cutAt && at < healedAt).length),
    failed: told.reduce((sum, each) => sum + each.failed, 0),
    different: states.filter(({ role, hash: own }) => HAVING.includes(role) && own !== hash).length,
    lost: answered.filter(([key]) => !places.has(key)).length,
    twice: keys.length - places.size,
    moved: moved.length,
    unreported: moved.filter((isReported) => !isReported).length,
    notices: states.flatMap(({ notices }) => notices.filter((each) => each.startsWith('OPERATIONS_LOST'))),
  }
}
