/** The manager of a site is killed: the member that aggregates the site's numbers. */
import { monitor } from '@jel/monitor'
import { until } from '../base/wait.ts'
import { NUMBERS } from '../monitoring/attributes.ts'
import { Members } from '../monitoring/member.ts'
import { enter } from '../swarm/member-process.ts'

/** Members of the site at first. */
const MEMBERS = 5
/** Longest wait for a manager, ms. A guess. */
const MAX_WAIT = 30_000

/**
 * Kills `kills` managers. Returns the time from each kill until the next manager's numbers come,
 * ms.
 */
export async function managers(kills: number): Promise<number[]> {
  const site = new Members('managers')
  const times: number[] = []
  try {
    for (let at = 0; at < MEMBERS; at++) await site.start({ location: `n${at}@site` })
    const pool = await enter({ pool: site.name, bootstrap: site.all.map(({ address }) => address) })
    try {
      await using watcher = await monitor(pool)
      let latest = { from: '', count: 0, at: 0 }
      const watch = watcher.watch({ attributes: NUMBERS.slice(0, 1), every: 100, by: 'site', from: { location: 'site' } })
      void (async () => {
        for await (const event of watch)
          if (event.type === 'sample') latest = { from: event.member, count: event.count ?? 0, at: performance.now() }
      })()
      const soon = async (holds: () => boolean): Promise<void> => {
        if (!(await until(holds, MAX_WAIT, 2))) throw new Error(`the site had no manager within ${MAX_WAIT} ms`)
      }
      for (let at = 0; at < kills; at++) {
        await soon(() => latest.count === MEMBERS)
        const { from } = latest
        const begin = performance.now()
        site.kill(...site.all.filter(({ id }) => id === from))
        await soon(() => latest.from !== from)
        times.push(latest.at - begin)
        await site.start({ location: `m${at}@site` })
      }
    } finally {
      await pool.leave()
    }
  } finally {
    site.close()
  }
  return times
}
