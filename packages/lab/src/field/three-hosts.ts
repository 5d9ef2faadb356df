/**
 * Tests reachability that is not transitive: two of three hosts can't reach each other, and the
 * third host reaches both. All hosts keep running.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { rates } from '../base/rates.ts'
import type { LabNetwork } from '../network/network.ts'
import { Cluster } from './cluster.ts'
import type { Contender } from './contender.ts'
import { AFTER_CUT, BATCH, CUT, LIMITS, type Schedule } from './schedule.ts'
import type { Add } from './rows.ts'

export async function threeHosts(
  contender: Contender,
  network: LabNetwork,
  { perHost, settle }: Pick<Schedule, 'perHost' | 'settle'>,
  group: string,
  add: Add,
): Promise<void> {
  const [first, second, third] = network.hosts
  if (first === undefined || second === undefined || third === undefined) throw new Error('three hosts were expected')
  const cluster = new Cluster(contender, network, [first, second, third], group)
  const nodes = perHost * 3
  try {
    await cluster.start(1)
    for (let left = nodes - 1; left > 0; left -= BATCH) await cluster.start(Math.min(BATCH, left))
    await cluster.settled(LIMITS.join)
    await sleep(settle)

    const endedBefore = cluster.endings.count
    const take = () => ({ all: cluster.bytes(), bridging: cluster.bytes([third]), processor: cluster.swarm.usage().processor })
    const mend = network.part([first], [second])
    const { all, bridging, processor } = await rates(take, () => sleep(CUT))
    mend()
    await sleep(AFTER_CUT)
    add('bridgedLives', cluster.endings.count - endedBefore)
    add('bridgedBytes', all / nodes)
    add('bridgingBytes', bridging / perHost)
    add('bridgedProcessor', processor / 10 / nodes)
  } finally {
    await cluster.swarm.stop()
  }
}
