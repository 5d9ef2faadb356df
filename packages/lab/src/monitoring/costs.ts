/** The costs of a producer: without watchers, with some, and after their end. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sum } from '../base/quantiles.ts'
import type { Row } from '../base/targets.ts'
import { NUMBERS } from './attributes.ts'
import { Members, type Member } from './member.ts'

export async function costs(watchers: number, time: number): Promise<Row[]> {
  const members = new Members('costs')
  try {
    const producer = await members.start()
    while (members.all.length <= watchers) await members.start()
    const consumers = members.all.slice(1)
    await members.known(watchers + 1)
    const samples = async (): Promise<number> => sum(await Promise.all(consumers.map(async ({ remote }) => (await remote.state()).samples)))

    await sleep(5000)
    const before = await producer.remote.state()
    await sleep(time)
    const idle = await producer.remote.state()
    for (const { remote } of consumers) await remote.watch({ attributes: NUMBERS, every: 1000, from: { ids: [producer.id] } })
    await sleep(2000)
    const [from, samplesFrom] = [await producer.remote.state(), await samples()]
    await sleep(time)
    const [to, samplesTo] = [await producer.remote.state(), await samples()]
    const processor = to.processor - from.processor - (idle.processor - before.processor)
    const sent = to.sent - from.sent - (idle.sent - before.sent)
    const killed = Date.now()
    members.kill(...consumers)
    await sleep(5000)
    const after = (await producer.remote.state()).ranAt - killed
    return [
      { what: 'sensor runs while nobody watches', value: idle.runs, unit: '', most: 0 },
      {
        what: `processor of the producer for ${NUMBERS.length} attributes at 1 Hz to ${watchers} watchers, above idle`,
        value: (processor / time) * 100,
        unit: '% of a core',
        most: 0.5,
      },
      { what: 'bytes of the producer for a sample', value: sent / (samplesTo - samplesFrom), unit: 'B', most: 60 },
      { what: 'sensor runs a second and attribute', value: (to.runs - from.runs) / NUMBERS.length / (time / 1000), unit: '', most: 1.1 },
      { what: 'time for which the producer measures after the last watcher was killed', value: Math.max(0, after), unit: 'ms', most: 1000 },
    ]
  } finally {
    members.close()
  }
}

/** The time until a watcher knows that its producer was killed. */
export async function death(): Promise<Row[]> {
  const members = new Members('death')
  try {
    // A member that is alone pronounces nobody dead for a while, so there are three.
    for (let count = 0; count < 3; count++) await members.start()
    await members.known(3)
    const [producer, watcher] = members.all as [Member, Member]
    await watcher.remote.watch({ attributes: NUMBERS, every: 100, from: { ids: [producer.id] } })
    await sleep(5000)
    const killed = Date.now()
    members.kill(producer)
    await sleep(5000)
    const { endedAt } = await watcher.remote.state()
    const value = endedAt === 0 ? Infinity : endedAt - killed
    return [{ what: 'time until a watcher knows that the producer was killed', value, unit: 'ms', most: 1000 }]
  } finally {
    members.close()
  }
}
