/** A watcher that stands still, as a process in a debugger does. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Row } from '../base/targets.ts'
import { until } from '../base/wait.ts'
import { TEXTS } from './attributes.ts'
import { Members, type Member } from './member.ts'

/** The time after which a watcher has all that waits for it, ms. A guess. */
const CATCH_UP = 10_000
/** Time between two samples, ms: a stream is full after some seconds. */
const EVERY = 250
/** The streams carry samples after this time, ms. A guess. */
const BEGIN = 5000
/** Time between two looks at the bytes that the producer keeps, ms. */
const LOOK = 100

/** Returns the most bytes that a member keeps for slow watchers within a time. */
async function heldBy({ remote }: Member, time: number): Promise<number> {
  let most = 0
  await until(async () => ((most = Math.max(most, (await remote.state()).held)), false), time, LOOK)
  return most
}

/** @param time for which the watcher stands still, ms */
export async function stopped(time: number): Promise<Row[]> {
  const members = new Members('stopped')
  try {
    for (let count = 0; count < 3; count++) await members.start()
    await members.known(3)
    const [producer, slow, other] = members.all as [Member, Member, Member]
    // The samples of the other watcher go on.
    for (const { remote } of [slow, other]) await remote.watch({ attributes: TEXTS, every: EVERY, from: { ids: [producer.id] } })
    await sleep(BEGIN)
    await slow.remote.mark()
    process.kill(slow.child.pid as number, 'SIGSTOP')
    const held = await heldBy(producer, time)
    process.kill(slow.child.pid as number, 'SIGCONT')
    await sleep(CATCH_UP)
    const after = await slow.remote.state()
    const shown = `a watcher that stood still for ${time / 1000} s`
    return [
      { what: `most that the producer kept for ${shown}`, value: held / 1024, unit: 'KiB', most: 64 },
      { what: `samples that ${shown} got, at the latest ${CATCH_UP / 1000} s after it`, value: after.samples, unit: '', most: Infinity },
      { what: 'of them late, after the watcher was taken for dead', value: after.late, unit: '', most: Infinity },
      { what: 'samples that the producer said it did not send', value: after.lost, unit: '', most: Infinity },
      { what: 'difference from the numbers that are missing', value: Math.abs(after.missing - after.lost), unit: '', most: 0 },
      { what: 'samples that came twice, or out of order', value: after.repeated, unit: '', most: 0 },
    ]
  } finally {
    members.close()
  }
}
