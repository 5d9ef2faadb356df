/** Whether what a scenario expects came true on real hosts. */
import { setTimeout as sleep } from 'node:timers/promises'
import { writeDuration, type Expectation, type Mark } from '@jel/simulator'
import { quantile } from '../driver/quantiles.ts'
import type { LabNode, Report } from './pool.ts'
import type { Stage } from './stage.ts'

/** Times of the run, Unix milliseconds. */
export interface Marks {
  readonly start: number
  readonly lastArrival: number
  readonly lastChange: number
}

export interface Verdict {
  readonly expectation: string
  /** Undefined: can't be seen from outside of a real node. */
  readonly met: boolean | undefined
  /** What was measured. */
  readonly figure: string
}

/** How often to look whether something holds, ms. */
const LOOK = 100

/** Follows one expectation from its mark on; answers when its time is over. */
export async function judge(expectation: Expectation, stage: Stage, marks: () => Promise<Marks>, end: Promise<unknown>): Promise<Verdict> {
  switch (expectation.type) {
    case 'allKnowAll':
      return await eventually('all know all', expectation, stage, marks, end, () => stage.pool.agree())
    case 'oneWinner': {
      const { election } = expectation
      return await eventually(`one winner of ${election}`, expectation, stage, marks, end, () => stage.pool.winner(election) !== undefined)
    }
    case 'noFalseDeaths': {
      await end
      const wrong = falseDeaths(stage)
      const figure = wrong.length === 0 ? 'none' : `${wrong.length}, ${describe(wrong[0], stage)}`
      return { expectation: 'no false death', met: wrong.length === 0, figure }
    }
    case 'noLifeEnds': {
      await end
      const ended = stage.endedLives()
      return { expectation: 'no life of a running member ends', met: ended.length === 0, figure: `${ended.length} ended` }
    }
    case 'bytesPerSecond':
      return await rate(expectation, stage, marks)
    case 'detection': {
      await end
      const times = detections(stage)
      const time = quantile(times, expectation.quantile)
      const within = writeDuration(expectation.within)
      return {
        expectation: `p${expectation.quantile * 100} of detection within ${within}`,
        met: times.length > 0 && time <= expectation.within,
        figure: times.length === 0 ? 'nobody was killed' : `${time} ms`,
      }
    }
    case 'reigns': {
      const { election, atMost } = expectation
      await end
      const seen = new Set(
        stage.pool.reports.filter((report) => report.election === election).map(({ about, epoch }) => `${epoch} ${about}`),
      )
      return { expectation: `at most ${atMost} reigns in ${election}`, met: seen.size <= atMost, figure: String(seen.size) }
    }
    case 'bytesPerNode': {
      await end
      const hosts = stage.network.hosts.map((host) => {
        const nodes = stage.pool.nodes.filter((node) => node.host === host).length
        return { nodes, bytes: stage.network.bytes(host) }
      })
      const nodes = hosts.reduce((sum, host) => sum + host.nodes, 0)
      const mean = hosts.reduce((sum, { bytes }) => sum + bytes, 0) / nodes
      const worst = Math.max(...hosts.filter(({ nodes }) => nodes > 0).map(({ bytes, nodes }) => bytes / nodes))
      const bytes = expectation.of === 'mean' ? mean : worst
      return {
        expectation: `at most ${expectation.atMost / 1000} KB a node (${expectation.of})`,
        met: bytes <= expectation.atMost,
        figure: `${(bytes / 1000).toFixed(1)} KB with headers`,
      }
    }
    case 'membersPerView':
    case 'linksPerNode':
    case 'dialsPerSecond':
      return { expectation: expectation.type, met: undefined, figure: 'not seen from outside of a node' }
  }
}

/** Bytes a second that nodes send between two times. */
async function rate(
  { atMost, of, nodes, from, until }: Extract<Expectation, { readonly type: 'bytesPerSecond' }>,
  stage: Stage,
  marks: () => Promise<Marks>,
): Promise<Verdict> {
  const { network } = stage
  const { start } = await marks()
  await sleep(Math.max(0, start + from - Date.now()))
  const chosen = stage.chosen(nodes)
  const hosts = network.hosts.flatMap((host) => {
    const count = chosen.filter((node) => node.host === host).length
    return count === 0 ? [] : [{ host, count, before: network.bytes(host) }]
  })
  const begun = Date.now()
  await sleep(Math.max(0, start + until - Date.now()))
  const seconds = (Date.now() - begun) / 1000
  const sent = hosts.map(({ host, count, before }) => ({ count, bytes: (network.bytes(host) - before) / seconds }))
  const mean = sent.reduce((sum, { bytes }) => sum + bytes, 0) / chosen.length
  const seen = of === 'mean' ? mean : Math.max(...sent.map(({ bytes, count }) => bytes / count))
  const some = Object.keys(nodes).length === 0 ? '' : ' of some'
  return {
    expectation: `from ${writeDuration(from)} to ${writeDuration(until)} a node${some} sends at most ${atMost} B/s (${of})`,
    met: seen <= atMost,
    figure: `${Math.round(seen)} B/s with headers`,
  }
}

async function eventually(
  what: string,
  { within, after, until }: { readonly within?: number; readonly after: Mark; readonly until?: number },
  stage: Stage,
  marks: () => Promise<Marks>,
  end: Promise<unknown>,
  holds: () => boolean,
): Promise<Verdict> {
  if (within === undefined) {
    await end
    const met = holds()
    return { expectation: `${what} at the end`, met, figure: met ? 'yes' : 'no' }
  }
  const { start, lastArrival, lastChange } = await marks()
  const from = after === 'last arrival' ? lastArrival : after === 'last change' ? lastChange : start + after
  const mark = typeof after === 'number' ? ` of ${writeDuration(after)}` : ''
  const expectation = `${what} within ${writeDuration(within)}${mark}`
  await sleep(Math.max(0, from - Date.now()))
  // Some time more, to tell late from never.
  const reached = await stage.pool.until(holds, within * 3, LOOK)
  if (reached === undefined) return { expectation, met: false, figure: `not within ${writeDuration(within * 3)}` }
  const took = reached - from
  // Between two looks nothing is known.
  const met = took <= within + LOOK
  if (until === undefined) return { expectation, met, figure: `${took} ms` }
  const wrong = await shareWithout(holds, start + until)
  const since = wrong === 0 ? 'always from then on' : `not for ${(wrong * 100).toFixed(1)} % of the time from then on`
  return { expectation: `${expectation}, and to ${writeDuration(until)}`, met: met && wrong === 0, figure: `${took} ms, and ${since}` }
}

/** In how many looks until a time it does not hold, 0 to 1. */
async function shareWithout(holds: () => boolean, until: number): Promise<number> {
  const isOver = sleep(Math.max(0, until - Date.now()), true)
  let [looks, wrong] = [0, 0]
  while (!(await Promise.race([isOver, sleep(LOOK, false)]))) {
    looks++
    if (!holds()) wrong++
  }
  return wrong / Math.max(1, looks)
}

/** News of the death of a node that ran and that nothing had been done to for a while. */
function falseDeaths({ pool, fates }: Stage): Report[] {
  return pool.reports.filter(({ event, about, time }) => {
    const node = pool.node(about)
    const fate = node === undefined ? undefined : fates.get(node)
    return event === 'died' && fate !== undefined && !fate.wasDisturbed(time) && time < (fate.killed ?? Infinity)
  })
}

/** From each SIGKILL to the news of it, for each pair of killed node and survivor that knew it, ms. Infinity where it never came. */
function detections({ pool, fates }: Stage): number[] {
  const times: number[] = []
  for (const [node, { killed }] of fates) {
    if (killed === undefined) continue
    const news = new Map<LabNode, number>()
    const knew = new Set<LabNode>()
    for (const { event, about, by, time } of pool.reports) {
      if (event === 'joined' && about === node.process.id && time <= killed) knew.add(by)
      if (event === 'died' && about === node.process.id && time >= killed && !news.has(by)) news.set(by, time - killed)
    }
    for (const survivor of pool.running) if (knew.has(survivor)) times.push(news.get(survivor) ?? Infinity)
  }
  return times
}

function describe(report: Report | undefined, { pool }: Stage): string {
  if (report === undefined) return ''
  const about = pool.node(report.about)
  return `the first by node ${report.by.index} of node ${about?.index} at ${new Date(report.time).toISOString()}`
}
