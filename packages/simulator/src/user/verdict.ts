import type { Milliseconds } from '@jel/protocol'
import type { Metrics } from '../report/metrics.ts'
import type { Verdict } from '../report/result.ts'
import type { Expectation, Mark } from '../scenario/expectation.ts'
import type { Episodes } from '../report/episodes.ts'
import { writeDuration } from '../scenario/quantity.ts'
import type { Stage } from './stage.ts'

/** Whether what the scenario expects was so. To be asked at the end of the run. */
export function judge(expectation: Expectation, stage: Stage, metrics: Metrics): Verdict {
  switch (expectation.type) {
    case 'allKnowAll':
      return within('all know all', metrics.allKnowAll, expectation, stage)
    case 'oneWinner': {
      const election = metrics.elections.get(expectation.election)
      if (election === undefined) throw new Error(`election ${expectation.election} was not watched`)
      const what = `all name one winner of ${expectation.election}`
      // Where chance decides who stands, it may be nobody in a small pool.
      if (!stage.actors.some(({ candidacies }) => candidacies.has(expectation.election))) return { what, held: true, seen: 'nobody stands' }
      return within(what, election.episodes, expectation, stage)
    }
    case 'noFalseDeaths': {
      const { falseOfHealthy, firstFalse } = metrics.deaths
      return { what: 'no healthy node is taken for dead', held: falseOfHealthy === 0, seen: firstFalse ?? 'none' }
    }
    case 'detection': {
      const { quantile, within } = expectation
      const time = metrics.deaths.times.quantile(quantile)
      const missed = metrics.deaths.missed(stage.simulation.now, within)
      return {
        what: `crashes are known within ${writeDuration(within)} (p${quantile * 100})`,
        held: time !== undefined && time <= within && missed <= (1 - quantile) * (metrics.deaths.times.count + missed),
        seen: time === undefined ? 'no crash was noticed' : `${seconds(time)}${missed === 0 ? '' : `, and ${missed} never heard of it`}`,
      }
    }
    case 'bytesPerNode': {
      const bytes = stage.actors.map(({ node }) => node.traffic.received.bytes)
      const seen =
        expectation.of === 'worst' ? Math.max(0, ...bytes) : bytes.reduce((sum, each) => sum + each, 0) / Math.max(1, bytes.length)
      return {
        what: `a node receives at most ${kilobytes(expectation.atMost)} (${expectation.of})`,
        held: seen <= expectation.atMost,
        seen: kilobytes(seen),
      }
    }
    case 'linksPerNode': {
      const seen = metrics.mostLinks
      return { what: `at most ${expectation.atMost} links a node`, held: seen <= expectation.atMost, seen: String(seen) }
    }
    case 'dialsPerSecond': {
      const { atMost, after, of } = expectation
      const from = Math.ceil(timeOf(after, stage) / 1_000)
      const dials = Math.max(0, ...metrics.dialsBySecond.slice(from))
      const seen = of === 'pool' ? dials : dials / Math.max(1, stage.actors.length)
      return {
        what: `at most ${atMost} dials a second ${of === 'pool' ? 'in the pool' : 'and node'}`,
        held: seen <= atMost,
        seen: `${of === 'pool' ? seen : seen.toFixed(3)} in the worst second`,
      }
    }
    case 'reigns': {
      const seen = metrics.elections.get(expectation.election)?.agreement.reigns.size ?? 0
      return {
        what: `at most ${expectation.atMost} reigns of ${expectation.election}`,
        held: seen <= expectation.atMost,
        seen: String(seen),
      }
    }
  }
}

function timeOf(mark: Mark, { lastArrival, lastChange }: Stage): Milliseconds {
  if (mark === 'last arrival') return lastArrival
  return mark === 'last change' ? lastChange : mark
}

/** Something that must be so by a time; what counts from the last change must stay so, too. */
function within(what: string, episodes: Episodes, { after, within }: { after: Mark; within?: Milliseconds }, stage: Stage): Verdict {
  if (within === undefined) return { what: `${what} at the end`, held: episodes.holds, seen: episodes.holds ? 'so it was' : 'not so' }
  const from = timeOf(after, stage)
  const at = episodes.firstFrom(from)
  const stays = after !== 'last change' || episodes.holds
  const mark = typeof after === 'number' ? writeDuration(after) : `the ${after}`
  const took = at === undefined ? 'never' : `after ${seconds(at - from)}`
  return {
    what: `${what} within ${writeDuration(within)} of ${mark}`,
    held: at !== undefined && at - from <= within && stays,
    seen: stays ? took : `${took}, and no more at the end`,
  }
}

function seconds(ms: Milliseconds): string {
  return `${(ms / 1_000).toFixed(3)}s`
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)}KB`
}
