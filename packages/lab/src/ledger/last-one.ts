/** Voters that are killed by twos, until one member is left. */
import { setTimeout as sleep } from 'node:timers/promises'
import { EtcdGroup } from './etcd-group.ts'
import { nextPlace } from './fail-over.ts'
import type { Figures } from './figures.ts'
import type { Group } from './group.ts'
import { LedgerPool } from './ledger-pool.ts'
import type { LedgerProcess } from './ledger-process.ts'

const VOTERS = 5
/**
 * Members at the beginning. Other members take the seats of two killed voters, until only five
 * members are left.
 */
const MEMBERS = 9
/** Time between two blows, ms (docs/lab.md). */
const PAUSE = 3_000
/** A group that places no event within this time has stopped, ms. */
const STOPPED = 20_000

const WHAT = 'voters of five killed by twos, 3 s apart'

/** Kills the largest minority of the voters at once: two of five, one of three. */
export async function lastOne(bin: string, runs: number, figures: Figures): Promise<void> {
  let stops = 0
  let longest = 0
  let least = MEMBERS
  for (let run = 0; run < runs; run++) {
    const pool = new LedgerPool({ bin, voters: VOTERS })
    try {
      await pool.enterAll(Array.from({ length: MEMBERS }))
      await pool.whole()
      for (let blow = 0; pool.running.length > 1; blow++) {
        await sleep(PAUSE)
        const victims = await some(pool)
        const begin = performance.now()
        for (const victim of victims) victim.send('SIGKILL')
        const time = (await nextPlace(clientsOf(pool), `blow-${blow}`, STOPPED)) - begin
        console.error(`jel: ${victims.length} killed, ${pool.running.length} left: the next commit after ${time.toFixed(0)} ms`)
        if (time === Infinity) {
          stops++
          console.error(JSON.stringify(await pool.running[0]?.ledger(1_000)))
          break
        }
        longest = Math.max(longest, time)
        least = Math.min(least, pool.running.length)
      }
    } finally {
      await pool.close()
    }
  }
  figures.add('jel', `${WHAT}: stopped, of ${runs}`, '', stops, { most: 0 })
  figures.add('jel', `${WHAT}: members left at the end`, '', least, { most: 1 })
  figures.add('jel', `${WHAT}: longest pause`, 'ms', longest)
}

/** Does the same to five servers of etcd. Nobody replaces a killed server. */
export async function lastServer(folder: string, figures: Figures): Promise<void> {
  const group = await EtcdGroup.start(VOTERS, folder)
  let longest = 0
  let left = VOTERS
  let stops = 0
  try {
    const leader = await group.whole()
    const seats = group.running().toSorted((one, other) => Number(other === leader) - Number(one === leader))
    while (left > 1 && stops === 0) {
      await sleep(PAUSE)
      const begin = performance.now()
      for (const seat of seats.splice(0, 2)) group.send(seat, 'SIGKILL', 'leader')
      const time = (await nextPlace(group, `left-${left}`, STOPPED)) - begin
      if (time === Infinity) stops = 1
      else {
        longest = Math.max(longest, time)
        left = group.running().length
      }
    }
  } finally {
    await group.close()
  }
  figures.add('etcd', `${WHAT}: stopped, of 1`, '', stops)
  figures.add('etcd', `${WHAT}: members left at the end`, '', left)
  figures.add('etcd', `${WHAT}: longest pause`, 'ms', longest)
}

/** The leader is always among them, but the last voter is spared: it alone is a majority. */
async function some(pool: LedgerPool): Promise<LedgerProcess[]> {
  const [first] = pool.running as [LedgerProcess]
  const voters = await pool.voters(first)
  const leaderId = (await first.ledger(1_000))?.leader
  const order = voters.toSorted((one, other) => Number(other.id === leaderId) - Number(one.id === leaderId))
  const minority = order.slice(0, (voters.length - 1) >> 1)
  return minority.length > 0 ? minority : pool.running.filter((each) => !voters.includes(each)).slice(0, 1)
}

function clientsOf(pool: LedgerPool): Pick<Group, 'running' | 'order'> {
  const members = pool.running
  return {
    running: () => members.map((_, at) => at),
    order: async (at, text, signal) => await (members[at] as LedgerProcess).order(text, signal),
  }
}
