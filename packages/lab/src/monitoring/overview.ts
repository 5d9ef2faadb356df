/** One consumer that sees a thousand members, by one aggregator for each site. */
import { setTimeout as sleep } from 'node:timers/promises'
import { VirtualNetwork, type VirtualMember } from '@jel/monitor/testing'
import { startRemote } from '../base/remote.ts'
import type { Row } from '../base/targets.ts'
import { NUMBERS } from './attributes.ts'
import type { Commands } from './application.ts'
import { APPLICATION, Members, type Member } from './member.ts'

const [SITES, SIZE, EVERY] = [20, 50, 10_000]

export async function overview(time: number): Promise<Row[]> {
  return [...(await virtual()), ...(await real(time))]
}

/**
 * Runs the code of monitoring on a thousand members in memory. Counts streams and bytes at the
 * consumer.
 */
async function virtual(): Promise<Row[]> {
  const network = new VirtualNetwork()
  for (let at = 0; at < SITES * SIZE; at++) {
    const member = await network.join(`n${at}@site${at % SITES}`)
    for (const name of NUMBERS) member.monitor.attribute(name, { ttl: 0, read: () => at + Math.random() })
  }
  const [consumer] = network.members as [VirtualMember]
  let [seen, least] = [0, Infinity]
  const watch = consumer.monitor.watch({ attributes: NUMBERS, every: EVERY, by: 'site' })
  void (async () => {
    for await (const event of watch)
      if (event.type === 'sample') {
        seen++
        least = Math.min(least, event.count ?? 0)
      }
  })()
  await sleep(1.5 * EVERY)
  const [before, samples] = [consumer.received.bytes, seen]
  least = Infinity
  await sleep(2 * EVERY)
  const streams = consumer.streams.size
  const bytes = (consumer.received.bytes - before) / (seen - samples)
  watch.close()
  for (const { monitor } of network.members) await monitor.close()
  const shown = `${SITES * SIZE} members at ${SITES} sites`
  return [
    { what: `streams at an overview of ${shown}`, value: streams, unit: '', most: 40 },
    { what: `members that a value of a site lacks`, value: SIZE - least, unit: '', most: 0 },
    { what: 'bytes for a value of a site', value: bytes, unit: 'B', most: 60 },
  ]
}

/**
 * The same at a real consumer. It costs the same however many members stand behind an aggregator,
 * so each site has one member.
 */
async function real(time: number): Promise<Row[]> {
  const members = new Members('overview')
  const span = Math.max(time, 4 * EVERY)
  const sites = startRemote<Commands>(APPLICATION)
  try {
    const consumer: Member = await members.start({ location: 'consumer@site0' })
    const names = Array.from({ length: SITES - 1 }, (_, at) => `n@site${at + 1}`)
    await sites.remote.enterSites({ pool: members.name, bootstrap: [consumer.address] }, names)
    await members.known(SITES)
    await sleep(10_000)
    const before = await consumer.remote.state()
    await sleep(span)
    const idle = await consumer.remote.state()
    await consumer.remote.watch({ attributes: NUMBERS, every: EVERY, by: 'site' })
    await sleep(EVERY)
    const from = await consumer.remote.state()
    await sleep(span)
    const to = await consumer.remote.state()
    const processor = to.processor - from.processor - (idle.processor - before.processor)
    return [
      { what: `connections at a consumer of ${SITES} sites`, value: to.connections, unit: '', most: 40 },
      {
        what: `processor of the consumer for ${NUMBERS.length} attributes at 0.1 Hz, above idle`,
        value: (processor / span) * 100,
        unit: '% of a core',
        most: 2,
      },
      {
        what: 'values of a round that the consumer lacks',
        value: Math.max(0, Math.floor(span / EVERY) * SITES * NUMBERS.length - (to.samples - from.samples)),
        unit: '',
        most: SITES * NUMBERS.length,
      },
    ]
  } finally {
    sites.child.kill('SIGKILL')
    members.close()
  }
}
