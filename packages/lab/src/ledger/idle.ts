/**
 * Measures the bytes and the memory of a pool at rest, with a ledger and without. Each member has a
 * host.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { mean } from '../base/quantiles.ts'
import { rates } from '../base/rates.ts'
import { usageOfAll } from '../base/usage.ts'
import type { LabHost } from '../network/host.ts'
import type { LabNetwork } from '../network/network.ts'
import { startServers } from './etcd-server.ts'
import type { Figures } from './figures.ts'
import { LedgerPool } from './ledger-pool.ts'

const VOTERS = 5
/** Members of a pool: five that vote, and three readers. */
export const HOSTS = 8
const AT_REST = `at rest, ${HOSTS} members or five servers`
/** Bytes a second above those of a pool without a ledger: the targets of docs/lab.md. */
const [MORE_READER, MORE_LEADER] = [60, 800]

export async function idle(network: LabNetwork, bin: string, ms: number, figures: Figures): Promise<void> {
  const plain = await measure(network, bin, ms, false)
  const strong = await measure(network, bin, ms, true)
  const add = (what: string, unit: string, value: number, most?: number): void =>
    figures.add('jel', `${AT_REST}: ${what}`, unit, value, most === undefined ? {} : { most })
  const usual = mean([...plain.bytes.values()])
  const of = (hosts: readonly LabHost[]): number => mean(hosts.map((host) => strong.bytes.get(host) ?? Number.NaN))
  add('a member without a ledger', 'B/s', usual)
  add('a reader', 'B/s', of(strong.readers), usual + MORE_READER)
  add('a voter that does not lead', 'B/s', of(strong.voters))
  add('the leader', 'B/s', of(strong.leaders), usual + MORE_LEADER)
  add('memory of a member without a ledger', 'MB', plain.memory)
  add('memory of a member', 'MB', strong.memory)
}

interface Idle {
  readonly bytes: ReadonlyMap<LabHost, number>
  /** Mean of the members, MB. */
  readonly memory: number
  readonly leaders: LabHost[]
  readonly voters: LabHost[]
  readonly readers: LabHost[]
}

async function measure(network: LabNetwork, bin: string, ms: number, isStrong: boolean): Promise<Idle> {
  const pool = new LedgerPool({ bin, voters: VOTERS })
  try {
    await pool.enterAll(network.hosts, isStrong ? undefined : [])
    const leader = isStrong ? await pool.whole() : undefined
    const voters = leader === undefined ? [] : await pool.voters(leader)
    // Rests as long as it measures, because a pool first builds and drops links.
    await sleep(ms)
    if (leader !== undefined && (await pool.whole()) !== leader) throw new Error('the leader has changed without a cause')
    const bytes = await rateOf(network, ms)
    const { memory } = usageOfAll(pool.members.flatMap(({ process }) => process.child.pid ?? []))
    const hosts = (which: typeof pool.members): LabHost[] => which.flatMap(({ host }) => host ?? [])
    return {
      bytes,
      memory: memory / pool.members.length / 2 ** 20,
      leaders: hosts(pool.members.filter((each) => each === leader)),
      voters: hosts(voters.filter((each) => each !== leader)),
      readers: hosts(pool.members.filter((each) => !voters.includes(each))),
    }
  } finally {
    await pool.close()
  }
}

/** Five servers of etcd at rest. The one that sends most is the leader. */
export async function idleServers(network: LabNetwork, folder: string, ms: number, figures: Figures): Promise<void> {
  const servers = startServers(folder, network.hosts.slice(0, VOTERS))
  try {
    await sleep(ms)
    const bytes = [...(await rateOf(network, ms)).values()].toSorted((a, b) => b - a).slice(0, VOTERS)
    const { memory } = usageOfAll(servers.flatMap(({ child }) => child.pid ?? []))
    figures.add('etcd', `${AT_REST}: the leader`, 'B/s', bytes[0] ?? Number.NaN)
    figures.add('etcd', `${AT_REST}: a voter that does not lead`, 'B/s', mean(bytes.slice(1)))
    figures.add('etcd', `${AT_REST}: memory of a member`, 'MB', memory / servers.length / 2 ** 20)
  } finally {
    await Promise.all(servers.map(async (server) => await server.kill()))
  }
}

/** Bytes a second that each host sends, headers included. */
async function rateOf(network: LabNetwork, ms: number): Promise<Map<LabHost, number>> {
  const take = (): Record<string, number> => Object.fromEntries(network.hosts.map((host) => [host.name, network.bytes(host)]))
  const growth = await rates(take, () => sleep(ms))
  return new Map(network.hosts.map((host) => [host, growth[host.name] ?? Number.NaN]))
}
