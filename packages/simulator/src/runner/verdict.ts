import type { Milliseconds } from '@jel/protocol'
import type { Metrics } from '../report/metrics.ts'
import type { EndedLivesResult, JobsResult, Verdict } from '../report/result.ts'
import { describeFalseDeath } from '../protocol/ended-lives.ts'
import type { Expectation, Mark } from '../scenario/expectation.ts'
import type { Episodes } from '../report/episodes.ts'
import { writeDuration } from '../scenario/quantity.ts'
import { judgeJobs } from './job-verdict.ts'
import { lives } from '../truth/actor.ts'
import type { GroundTruth } from '../truth/ground-truth.ts'

/**
 * Judges an expectation. Call it at the end of the run. `computed` is the result of the scenario's
 * jobs.
 */
export function judge(expectation: Expectation, truth: GroundTruth, metrics: Metrics, computed: JobsResult | undefined): Verdict {
  switch (expectation.type) {
    case 'allKnowAll':
      return within('all know all', metrics.allKnowAll, expectation, truth, expectation.until)
    case 'oneWinner': {
      const election = metrics.elections.get(expectation.election)
      if (election === undefined) throw new Error(`election ${expectation.election} was not watched`)
      const what = `all name one winner of ${expectation.election}`
      // If chance selects the candidates, a small pool may have none, and those it has may leave.
      const candidates = truth.actors.filter(({ candidacies }) => candidacies.has(expectation.election))
      if (candidates.length === 0) return { what, held: true, seen: 'nobody stands' }
      // Without living candidates nobody can win. That excuses only an expectation that counts from
      // the last change: at an earlier time there were candidates.
      if (!candidates.some(lives) && expectation.after === 'last change') return { what, held: true, seen: 'no candidate is left' }
      return within(what, election.episodes, expectation, truth)
    }
    case 'noFalseDeaths': {
      const lives = endedLivesOf(truth)
      return { what: 'nobody is taken for dead whom one could reach', held: lives.false === 0, seen: lives.first ?? 'none' }
    }
    case 'noLifeEnds': {
      const { total, false: wrong } = endedLivesOf(truth)
      return {
        what: 'no life of a running member ends',
        held: total === 0,
        seen: total === 0 ? 'none' : `${total}, ${wrong} of them falsely`,
        ...(total > 0 && { value: total }),
      }
    }
    case 'detection': {
      const { quantile, within } = expectation
      const time = metrics.crashes.times.quantile(quantile)
      const missed = metrics.crashes.missed(truth.testbed.now, within)
      return {
        what: `crashes are known within ${writeDuration(within)} (p${quantile * 100})`,
        held: time !== undefined && time <= within && missed <= (1 - quantile) * (metrics.crashes.times.count + missed),
        seen: time === undefined ? 'no crash was noticed' : `${seconds(time)}${missed === 0 ? '' : `, and ${missed} never heard of it`}`,
        ...(time !== undefined && { value: time }),
      }
    }
    case 'bytesPerNode': {
      const { atMost, of } = expectation
      const seen = meanOrWorst(
        of,
        truth.actors.map(({ node }) => node.traffic.received.bytes),
      )
      return bounded(`a node receives at most ${kilobytes(atMost)} (${of})`, seen, atMost, kilobytes(seen))
    }
    case 'bytesPerSecond': {
      const { atMost, of, from, until, nodes } = expectation
      const rates = metrics.rates.get(expectation) ?? []
      const seen = meanOrWorst(of, rates)
      const who = `a node${Object.keys(nodes).length === 0 ? '' : ' of some'}`
      const what = `from ${writeDuration(from)} to ${writeDuration(until)} ${who} receives at most ${kilobytes(atMost)} a second (${of})`
      const verdict = bounded(what, seen, atMost, `${(seen / 1_000).toFixed(2)}KB`)
      return { ...verdict, held: verdict.held && rates.length > 0 }
    }
    case 'membersPerView':
      return bounded(`at most ${expectation.atMost} members a view`, metrics.mostMembers, expectation.atMost)
    case 'linksPerNode':
      return bounded(`at most ${expectation.atMost} links a node`, metrics.mostLinks, expectation.atMost)
    case 'dialsPerSecond': {
      const { atMost, after, of } = expectation
      const from = Math.ceil(timeOf(after, truth) / 1_000)
      const dials = Math.max(0, ...metrics.dialsBySecond.slice(from))
      const [seen, where] = of === 'pool' ? [dials, 'in the pool'] : [dials / Math.max(1, truth.actors.length), 'and node']
      const text = `${of === 'pool' ? seen : seen.toFixed(3)} in the worst second`
      return bounded(`at most ${atMost} dials a second ${where}`, seen, atMost, text)
    }
    case 'efficiency':
    case 'doneTwice':
    case 'jobDone':
    case 'sameResult':
      if (computed === undefined) throw new Error('the scenario has no jobs')
      return judgeJobs(expectation, computed)
    case 'reigns': {
      const { election, atMost } = expectation
      return bounded(`at most ${atMost} reigns of ${election}`, metrics.elections.get(election)?.agreement.reigns.size ?? 0, atMost)
    }
  }
}

/** Judges a number that must not exceed a bound. */
function bounded(what: string, value: number, atMost: number, seen = String(value)): Verdict {
  return { what, held: value <= atMost, seen, value }
}

function meanOrWorst(of: 'mean' | 'worst', values: readonly number[]): number {
  if (of === 'worst') return Math.max(0, ...values)
  return values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length)
}

/** Counts the ended lives of running members. */
export function endedLivesOf(truth: GroundTruth): EndedLivesResult {
  const { total, false: wrong, first } = truth.testbed.endedLives
  const explained = total - wrong
  if (first === undefined) return { total, false: wrong, explained }
  return {
    total,
    false: wrong,
    explained,
    first: `at ${seconds(first.time)} node ${truth.actorOf(first.observer)?.number} ${truth.numbered(describeFalseDeath(first))}`,
  }
}

function timeOf(mark: Mark, { lastArrival, lastChange }: GroundTruth): Milliseconds {
  if (mark === 'last arrival') return lastArrival
  return mark === 'last change' ? lastChange : mark
}

/**
 * Judges a state that must hold by a time. If the time counts from the last change, the state must
 * also last.
 */
function within(
  what: string,
  episodes: Episodes,
  { after, within }: { after: Mark; within?: Milliseconds },
  truth: GroundTruth,
  until?: Milliseconds,
): Verdict {
  if (within === undefined) return { what: `${what} at the end`, held: episodes.holds, seen: episodes.holds ? 'so it was' : 'not so' }
  const from = timeOf(after, truth)
  const at = episodes.firstFrom(from)
  const stays = (after !== 'last change' || episodes.holds) && (until === undefined || (at !== undefined && episodes.holdsUntil(at, until)))
  const mark = typeof after === 'number' ? writeDuration(after) : `the ${after}`
  const took = at === undefined ? 'never' : `after ${seconds(at - from)}`
  return {
    what: `${what} within ${writeDuration(within)} of ${mark}${until === undefined ? '' : `, and to ${writeDuration(until)}`}`,
    held: at !== undefined && at - from <= within && stays,
    ...(at !== undefined && { value: at - from }),
    seen: stays ? took : `${took}, and ${until === undefined || !episodes.holds ? 'no more at the end' : 'not always from then on'}`,
  }
}

function seconds(ms: Milliseconds): string {
  return `${(ms / 1_000).toFixed(3)}s`
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)}KB`
}
