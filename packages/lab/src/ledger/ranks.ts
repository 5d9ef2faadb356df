/** Forty processes that start at once and get ranks, beside the same without a ledger. */
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../base/quantiles.ts'
import { freePort } from '../base/server.ts'
import { until } from '../base/wait.ts'
import type { Figures } from './figures.ts'
import { judgeRanks } from './judge.ts'
import { LedgerProcess } from './ledger-process.ts'

/** Longest wait until all know all, ms. A guess. */
const MAX_WAIT = 120_000
/** Largest time, as a multiple of the time without a ledger: the target of docs/lab.md. */
const SLOWER = 1.5

/** In turn, so that both have the same machine. */
export async function ranks(
  bin: string,
  { size, runs }: { readonly size: number; readonly runs: number },
  figures: Figures,
): Promise<void> {
  const [weak, reliable]: [number[], number[]] = [[], []]
  let [faults, different] = [0, 0]
  for (let run = 0; run < runs; run++) {
    weak.push((await flash(bin, size, `weak-${process.pid}-${run}`, [])).time)
    const { time, members } = await flash(bin, size, `ranks-${process.pid}-${run}`, [
      '--joins',
      'reliable',
      '--pool-size',
      `${size}`,
      '--timeout',
      `${MAX_WAIT / 1000}`,
    ])
    reliable.push(time)
    const judged = judgeRanks(
      members.map((member) => member.ranks),
      size,
    )
    faults += judged.ranks
    different += judged.different
  }
  const what = `${size} processes start at once`
  figures.add('jel', `${what}: all know all without a ledger, median of ${runs}`, 'ms', median(weak))
  figures.add('jel', `${what}: all know all ranks, median of ${runs}`, 'ms', median(reliable), { most: SLOWER * median(weak) })
  figures.add('jel', `${what}: ranks that are missing or twice, in all members`, '', faults, { most: 0 })
  figures.add('jel', `${what}: members with other ranks elsewhere`, '', different, { most: 0 })
}

async function flash(
  bin: string,
  size: number,
  pool: string,
  args: readonly string[],
): Promise<{ time: number; members: LedgerProcess[] }> {
  const first = `127.0.0.1:${await freePort()}`
  const [address, port] = first.split(':')
  const members: LedgerProcess[] = []
  const begin = performance.now()
  try {
    const started = await Promise.allSettled(
      Array.from({ length: size }, async (_, at) => {
        const place = at === 0 ? ['--listen', `/ip4/${address}/tcp/${port}`] : []
        members.push(await LedgerProcess.start({ pool, introducers: at === 0 ? [] : [first], args: [...args, ...place], bin }))
      }),
    )
    for (const each of started) if (each.status === 'rejected') throw each.reason
    await until(() => members.every((each) => each.joined.size === size), MAX_WAIT, 10)
    const times = members.map((each) => (each.joined.size === size ? Math.max(...each.joined.values()) : Infinity))
    // A further rank would be a fault.
    await sleep(1_000)
    return { time: Math.max(...times) - begin, members }
  } finally {
    await Promise.all(members.map(async (each) => await each.kill()))
  }
}
