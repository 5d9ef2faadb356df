/** The cut of `halves.ts` for five servers of etcd. Each host also has a writer. */
import { setTimeout as sleep } from 'node:timers/promises'
import { startRemote, type RemoteProcess } from '../base/remote.ts'
import { until } from '../base/wait.ts'
import { longestPause } from '../linearizability/history.ts'
import { orderProblems } from '../linearizability/orders.ts'
import { within } from '../network/host.ts'
import type { LabNetwork } from '../network/network.ts'
import { startServers } from './etcd-server.ts'
import type { WriterCommands } from './etcd-writer.ts'
import type { Figures } from './figures.ts'
import { addProblems, FEW, OPERATIONS, title, VOTERS } from './halves.ts'

/** Longest wait for a leader, and for one state of all servers, ms. A guess. */
const MAX_WAIT = 60_000

export async function etcdHalves(
  network: LabNetwork,
  folder: string,
  { cut, isLeaderCut }: { readonly cut: number; readonly isLeaderCut: boolean },
  figures: Figures,
): Promise<void> {
  const hosts = network.hosts.slice(0, VOTERS)
  const servers = startServers(folder, hosts)
  const writers = hosts.map((host) => startRemote<WriterCommands>(new URL('etcd-writer.ts', import.meta.url), [], within(host)))
  try {
    const pause = (cut * VOTERS) / OPERATIONS
    for (const [at, { remote }] of writers.entries()) {
      const { address, port } = servers[at] as { readonly address: string; readonly port: number }
      await remote.begin(address, port, at, pause)
    }
    const leader = await leaderOf(writers)
    const others = hosts.filter((_, at) => at !== leader)
    const few = isLeaderCut ? [...hosts.filter((_, at) => at === leader), ...others.slice(0, FEW - 1)] : others.slice(0, FEW)
    await sleep(2_000)
    const heal = network.part(
      few,
      hosts.filter((host) => !few.includes(host)),
    )
    const from = Date.now()
    await sleep(cut)
    const to = Date.now()
    heal()
    const puts = await Promise.all(writers.map(async ({ remote }) => await remote.end()))
    const healed = await until(async () => new Set((await revisions(writers)).map(({ size }) => size)).size === 1, MAX_WAIT, 100)
    const ended = Date.now()
    const told = (await revisions(writers)).map((each, at) => ({
      member: `e${at}`,
      events: [...each].map(([content, index]) => ({ content, index })).toSorted((a, b) => a.index - b.index),
      since: 0,
      until: Infinity,
    }))
    const isIn = (at: number): boolean => few.some((host) => host === hosts[at])
    const during = (isFew: boolean) =>
      puts.flatMap((each, at) => (isIn(at) === isFew ? each.filter(({ returned = 0 }) => returned > from && returned < to) : []))
    const inMany = during(false).map(({ returned = 0 }) => returned)
    const add = (name: string, value: number, unit = ''): void => figures.add('etcd', `${title(isLeaderCut)}: ${name}`, unit, value)
    add('events that the three placed', inMany.length)
    add('longest pause of the three', longestPause(inMany, from, to), 'ms')
    add('events that the two placed, and reigns that they told', during(true).filter(({ called }) => called > from).length)
    add('from the heal until all tell one event', healed ? ended - to : Infinity, 'ms')
    addProblems(figures, 'etcd', title(isLeaderCut), orderProblems(puts.flat(), told))
  } finally {
    network.heal()
    for (const { child } of writers) child.kill('SIGKILL')
    await Promise.all(servers.map(async (server) => await server.kill()))
  }
}

type Writers = readonly RemoteProcess<WriterCommands>[]

async function leaderOf(writers: Writers): Promise<number> {
  let leader = -1
  await until(
    async () => {
      const leads = await Promise.all(writers.map(async ({ remote }) => await remote.leads().catch(() => undefined)))
      leader = leads.indexOf(true)
      return leader >= 0 && !leads.includes(undefined)
    },
    MAX_WAIT,
    100,
  )
  return leader
}

async function revisions(writers: Writers): Promise<ReadonlyMap<string, number>[]> {
  return await Promise.all(writers.map(async ({ remote }) => await remote.revisions()))
}
