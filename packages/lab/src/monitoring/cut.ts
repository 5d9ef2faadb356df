/** Two hosts are cut from each other while members watch within each, and across. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Row } from '../base/targets.ts'
import { until } from '../base/wait.ts'
import { LabNetwork } from '../network/network.ts'
import { NUMBERS } from './attributes.ts'
import { Members } from './member.ts'

/** Longest wait for late samples after the heal, ms. A guess: a pool is whole after 20 s. */
const LATE = 60_000
const EVERY = 1000

/** @param time of the cut, ms */
export async function cut(time: number): Promise<Row[]> {
  const network = new LabNetwork(2)
  await network.ready
  const [here, there] = network.hosts as [LabNetwork['hosts'][number], LabNetwork['hosts'][number]]
  const members = new Members('cut')
  try {
    const producer = await members.start({ host: here })
    const keeper = await members.start({ host: here })
    const own = await members.start({ host: there })
    const inside = await members.start({ host: there })
    const across = await members.start({ host: there })
    await members.known(5)
    await sleep(5000)
    const watch = { attributes: NUMBERS, every: EVERY }
    for (const { remote } of [keeper, across]) await remote.watch({ ...watch, from: { ids: [producer.id] } })
    await inside.remote.watch({ ...watch, from: { ids: [own.id] } })
    await sleep(5000)
    const all = [keeper, inside, across]
    for (const { remote } of all) await remote.mark()
    const heal = network.part([here], [there])
    await sleep(time)
    const within = await Promise.all([keeper, inside].map(async ({ remote }) => await remote.state()))
    const cutOff = await across.remote.state()
    heal()
    const healed = performance.now()
    let last = cutOff
    await until(async () => (last = await across.remote.state()).late > 0 && last.missing === 0, LATE, 100)
    const took = performance.now() - healed
    await sleep(5000)
    const { missing, repeated, late, gaps } = await across.remote.state()
    const expected = NUMBERS.length * Math.floor(time / EVERY)
    const shown = `a cut of ${time / 1000} s`
    return [
      {
        what: `longest time without a value inside a half, in ${shown}`,
        value: Math.max(...within.map(({ silence }) => silence)),
        unit: 'ms',
        most: 3000,
      },
      { what: 'values that crossed the cut', value: cutOff.samples, unit: '', most: 3 * NUMBERS.length },
      { what: 'from the heal until the consumer has all values', value: took, unit: 'ms', most: 20_000 },
      { what: 'values of the cut that it lacks', value: missing, unit: '', most: 0 },
      { what: 'gaps', value: gaps, unit: '', most: 0 },
      { what: 'values that came twice, or out of order', value: repeated, unit: '', most: 0 },
      { what: 'values of the cut that came without a mark', value: Math.max(0, expected - late), unit: '', most: 3 * NUMBERS.length },
    ]
  } finally {
    network.heal()
    members.close()
  }
}
