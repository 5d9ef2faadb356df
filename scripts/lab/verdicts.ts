/** Whether what a scenario expects came true on real hosts. */
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
    case 'linksPerNode':
    case 'dialsPerSecond':
      return { expectation: expectation.type, met: undefined, figure: 'not seen from outside of a node' }
  }
}

async function eventually(
  what: string,
  { within, after }: { readonly within?: number; readonly after: Mark },
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
  const expectation = `${what} within ${writeDuration(within)}`
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, from - Date.now())))
  // Some patience more, to tell late from never.
  const reached = await stage.pool.until(holds, within * 3, LOOK)
  if (reached === undefined) return { expectation, met: false, figure: `not within ${writeDuration(within * 3)}` }
  return { expectation, met: reached - from <= within, figure: `${reached - from} ms` }
}

/** News of the death of a node that ran and that nothing was done to. */
function falseDeaths({ pool, fates }: Stage): Report[] {
  return pool.reports.filter(({ event, about }) => {
    const node = pool.node(about)
    const fate = node === undefined ? undefined : fates.get(node)
    return event === 'died' && fate?.disturbed === false && fate.killed === undefined
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
