/** Measures jel's ledger beside etcd, in one run on one machine. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { jelBin } from '../base/paths.ts'
import { flag, seconds, someOf, text, UsageError, whole, wholes } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { LabNetwork } from '../network/network.ts'
import { provide } from '../network/tools.ts'
import { elections, events } from './calls.ts'
import { EtcdGroup } from './etcd-group.ts'
import { etcdHalves } from './etcd-halves.ts'
import { BLOWS, failOver } from './fail-over.ts'
import { Figures, type Contender } from './figures.ts'
import { STORES, type Group, type Store } from './group.ts'
import { halves } from './halves.ts'
import { HOSTS, idle, idleServers } from './idle.ts'
import { JelGroup } from './jel-group.ts'
import { lastOne, lastServer } from './last-one.ts'
import { complaints } from './ledger-process.ts'
import { ranks } from './ranks.ts'

const KILLS = ['winner', 'leader', 'both'] as const
const STOPS = ['stopped-winner', 'stopped-leader'] as const
const ROWS = ['elect', 'order', ...KILLS, ...STOPS, 'last-one', 'halves', 'ranks', 'idle'] as const
type Row = (typeof ROWS)[number]
/** The rows that need a new group of voters of each contender. */
const OF_GROUPS: readonly Row[] = ['elect', 'order', ...KILLS, ...STOPS]
/** A folder in memory, which belongs to the namespace of this run. */
const MEMORY = '/run/etcd'

export const experiment = bench({
  about: "the ledger beside Debian's etcd: elections, ordered events, fail-over, cuts",
  settings: {
    only: someOf(ROWS),
    voters: wholes('3,5', 'numbers of voters, or of servers of etcd'),
    stores: someOf(STORES, 'where promises are kept: etcd keeps its files on a disk in memory, or on a real one'),
    runs: whole(10, 'kills of each kind, and a third as many of what takes long'),
    calls: whole(300, 'elections of a free name'),
    time: seconds(10, 'seconds for which clients order events'),
    cut: seconds(60, 'seconds for which voters are cut apart'),
    size: whole(40, 'processes that start at once', 2),
    idle: seconds(60, 'seconds over which idle cost is measured, after the same time at rest'),
    noEtcd: flag('measure jel alone, and install nothing'),
    noJel: flag('measure etcd alone'),
    bin: text(jelBin, "the entry of jel's command line (default: this checkout's)", 'FILE'),
  },
  notes: 'Needs Linux, and root or user namespaces. Exit status 1 if a target is missed.',
  where: 'hosts',
  prepare({ voters, noEtcd }) {
    if (voters.some((each) => each % 2 === 0)) throw new UsageError(`--voters takes odd numbers, not ${voters.join(',')}`)
    if (!noEtcd) provide('etcd')
    return undefined
  },
  async measure(values, { folder }): Promise<Figures> {
    const { only, voters, stores, runs, noEtcd, noJel, bin } = values
    const figures = new Figures(!noJel)
    const few = Math.ceil(runs / 3)
    const has = (row: Row): boolean => only.includes(row)
    if (OF_GROUPS.some(has))
      for (const store of stores)
        for (const seats of voters) {
          const start = { bin, voters: seats, folder: store === 'synced' ? folder : undefined }
          const data = join(store === 'synced' ? folder : MEMORY, `${store}-${seats}`)
          if (!noEtcd) await measureGroup('etcd', async () => await EtcdGroup.start(seats, data), store, values, figures)
          if (!noJel) await measureGroup('jel', async () => await JelGroup.start(start), store, values, figures)
        }
    if (has('last-one')) {
      if (!noEtcd) await figures.attempt('etcd', async () => await lastServer(created(join(MEMORY, 'last')), figures))
      if (!noJel) await figures.attempt('jel', async () => await lastOne(bin, few, figures))
    }
    if (has('ranks') && !noJel) await figures.attempt('jel', async () => await ranks(bin, { size: values.size, runs: few }, figures))
    if (!has('halves') && !has('idle')) return figures
    const network = new LabNetwork(HOSTS)
    await network.ready
    for (const isLeaderCut of has('halves') ? [true, false] : []) {
      const how = { cut: values.cut, isLeaderCut }
      const data = created(join(MEMORY, `halves-${isLeaderCut}`))
      if (!noEtcd) await figures.attempt('etcd', async () => await etcdHalves(network, data, how, figures))
      if (!noJel) await figures.attempt('jel', async () => await halves(network, bin, how, figures))
    }
    if (has('idle')) {
      if (!noEtcd)
        await figures.attempt('etcd', async () => await idleServers(network, created(join(MEMORY, 'idle')), values.idle, figures))
      if (!noJel) await figures.attempt('jel', async () => await idle(network, bin, values.idle, figures))
    }
    return figures
  },
  table(figures) {
    for (const complaint of new Set(complaints)) console.error(`said: ${complaint}`)
    return [figures.table(), ...figures.failures].join('\n')
  },
  passed: (figures) => figures.hold,
})

interface Amounts {
  readonly only: readonly Row[]
  readonly calls: number
  readonly time: number
  readonly runs: number
}

async function measureGroup(
  contender: Contender,
  start: () => Promise<Group>,
  store: Store,
  { only, calls, time, runs }: Amounts,
  figures: Figures,
): Promise<void> {
  await figures.attempt(contender, async () => {
    const group = await start()
    try {
      if (only.includes('elect')) await elections(contender, group, { store, calls, when: 'at rest' }, figures)
      if (only.includes('order')) await events(contender, group, store, time, figures)
      if (only.includes('elect') && only.includes('order')) await elections(contender, group, { store, calls, when: 'after load' }, figures)
      for (const name of [...KILLS, ...STOPS].filter((each) => only.includes(each))) {
        const blow = BLOWS[name]
        await failOver(contender, group, { store, blow, runs: blow.signal === 'SIGKILL' ? runs : Math.ceil(runs / 3) }, figures)
      }
    } finally {
      await group.close()
    }
  })
}

function created(folder: string): string {
  mkdirSync(folder, { recursive: true })
  return folder
}
