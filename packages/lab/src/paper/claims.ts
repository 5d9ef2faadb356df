/**
 * Claims of the JEL paper about its figures, and claims of this project about itself. Each claim is
 * judged once for each seed. A claim holds if it is true with every seed. It does not hold if it is
 * false with every seed. Otherwise the claim is undecided (`cannot be said`). It is also undecided
 * if no seed can decide it. Without trials the verdict is `not run`.
 */
import { central, contenders, titles, type Contender } from './contender.ts'
import type { ExperimentName } from './experiment.ts'
import { joined, spreadOf, survived, type Outcome } from './outcome.ts'
import { tableTwo } from './paper.ts'
import type { TrialResult } from './trial.ts'

export type Verdict = 'holds' | 'does not hold' | 'cannot be said' | 'not run'

/** Returns the trial of one seed. Throws {@link Missing} if the trial has not been run. */
type At = (experiment: ExperimentName, contender: Contender) => TrialResult

export interface Claim {
  readonly where: string
  readonly what: string
  readonly of: readonly ExperimentName[]
  /** Returns values of one seed that explain the verdict. */
  readonly seen?: (at: At) => readonly (readonly [what: string, value: number | undefined, unit: 's' | 'MB' | '×' | '%'])[]
  /**
   * Judges one seed. Returns undefined if the seed does not decide the claim, for example in a tie.
   * Left out if no seed can decide the claim; `reason` gives the reason.
   */
  readonly judge?: (at: At) => boolean | undefined
  readonly reason?: string
  /** The claim is this project's own. */
  readonly ours?: true
}

class Missing extends Error {}

/**
 * Times with a smaller ratio than this are a tie. A guess: times of one contender differ by less
 * from seed to seed.
 */
const margin = 1.1
/** Ratio for the words "significantly", "considerably" and "equally well" in claims. A guess. */
const much = 1.25

const nearly = (at: At, experiment: ExperimentName, contender: Contender): number => at(experiment, contender).nearly ?? Infinity

/**
 * Returns true if `a * factor` is smaller than `b`. If the factor is `margin` and neither value
 * exceeds `margin` times the other, this is a tie: returns undefined. Otherwise returns false.
 */
function smaller(a: number, b: number, factor = margin): boolean | undefined {
  if (a * factor < b) return true
  return factor > margin || a > b * margin ? false : undefined
}

function all(judged: readonly (boolean | undefined)[]): boolean | undefined {
  if (judged.includes(false)) return false
  return judged.includes(undefined) ? undefined : true
}

function times(experiment: ExperimentName, which: readonly Contender[]): NonNullable<Claim['seen']> {
  return (at) => which.map((contender) => [titles[contender], at(experiment, contender).nearly, 's'])
}

const theirs = contenders.filter((contender) => contender !== 'jel')
const both: readonly Contender[] = ['serial-send', 'distributed']

const figureFive: readonly Claim[] = [
  {
    where: 'Figure 5',
    what: 'serial send is the slowest of the central techniques',
    of: ['figure-5'],
    seen: times('figure-5', central),
    judge: (at) => all(central.slice(1).map((other) => smaller(nearly(at, 'figure-5', other), nearly(at, 'figure-5', 'serial-send')))),
  },
  {
    where: 'Figure 5',
    what: 'peer bootstrap and the broadcast tree perform equally well',
    of: ['figure-5'],
    seen: times('figure-5', ['peer-bootstrap', 'broadcast-tree']),
    judge: (at) => {
      const ratio = nearly(at, 'figure-5', 'peer-bootstrap') / nearly(at, 'figure-5', 'broadcast-tree')
      return ratio < much && ratio > 1 / much
    },
  },
  {
    where: 'Figure 5',
    what: 'adaptive gossip is faster than gossip',
    of: ['figure-5'],
    seen: times('figure-5', ['adaptive-gossip', 'gossip']),
    judge: (at) => smaller(nearly(at, 'figure-5', 'adaptive-gossip'), nearly(at, 'figure-5', 'gossip')),
  },
  {
    where: 'Figure 5',
    what: 'the distributed implementation converges, slower than most of the central ones',
    of: ['figure-5'],
    seen: times('figure-5', ['distributed']),
    judge: (at) => {
      const own = nearly(at, 'figure-5', 'distributed')
      return own < Infinity && central.filter((other) => nearly(at, 'figure-5', other) < own).length > central.length / 2
    },
  },
]

const figureSix: readonly Claim[] = [
  ...(['serial-send', 'gossip'] as const).map((contender): Claim => ({
    where: 'Figure 6',
    what: `${titles[contender]} is dramatically faster than in Figure 5, as the network no longer holds it up`,
    of: ['figure-5', 'figure-6'],
    seen: (at) => [
      ['Figure 5', at('figure-5', contender).nearly, 's'],
      ['Figure 6', at('figure-6', contender).nearly, 's'],
    ],
    judge: (at) => smaller(nearly(at, 'figure-6', contender), nearly(at, 'figure-5', contender), 2),
  })),
  {
    where: 'Figure 6',
    what: 'the broadcast tree is significantly better than any other',
    of: ['figure-6'],
    seen: times('figure-6', theirs),
    judge: (at) =>
      all(
        theirs
          .filter((other) => other !== 'broadcast-tree')
          .map((other) => smaller(nearly(at, 'figure-6', 'broadcast-tree'), nearly(at, 'figure-6', other), much)),
      ),
  },
  {
    where: 'Figure 6',
    what: 'gossip takes considerably longer than the other central techniques',
    of: ['figure-6'],
    seen: times('figure-6', central),
    judge: (at) =>
      all(
        central
          .filter((other) => other !== 'gossip')
          .map((other) => smaller(nearly(at, 'figure-6', other), nearly(at, 'figure-6', 'gossip'), much)),
      ),
  },
  {
    where: 'Figure 6',
    what: 'adaptive gossip is significantly faster than gossip',
    of: ['figure-6'],
    seen: times('figure-6', ['adaptive-gossip', 'gossip']),
    judge: (at) => smaller(nearly(at, 'figure-6', 'adaptive-gossip'), nearly(at, 'figure-6', 'gossip'), much),
  },
]

const server = (at: At, contender: Contender): number => at('table-2', contender).payload.service ?? Infinity
const order: readonly Contender[] = ['peer-bootstrap', 'gossip', 'adaptive-gossip', 'serial-send', 'broadcast-tree', 'distributed']

const table: readonly Claim[] = [
  {
    where: 'Table II',
    what: 'peer bootstrap halves the traffic of the server',
    of: ['table-2'],
    seen: (at) => [['serial send ÷ peer bootstrap', server(at, 'serial-send') / server(at, 'peer-bootstrap'), '×']],
    judge: (at) => {
      const ratio = server(at, 'serial-send') / server(at, 'peer-bootstrap')
      return ratio > 1.5 && ratio < 3
    },
  },
  {
    where: 'Table II',
    what: 'the server of the broadcast tree has less than 1 % of the traffic of the server of serial send',
    of: ['table-2'],
    seen: (at) => [['serial send ÷ broadcast tree', server(at, 'serial-send') / server(at, 'broadcast-tree'), '×']],
    judge: (at) => server(at, 'serial-send') > 100 * server(at, 'broadcast-tree'),
  },
  ...central.map((contender): Claim => ({
    where: 'Table II',
    what: `${titles[contender]}: the server's ${tableTwo[contender]?.service} MB, within a factor of 1.5`,
    of: ['table-2'],
    seen: (at) => [['the server', server(at, contender), 'MB']],
    judge: (at) => {
      // The paper has 2,000 nodes. With fewer nodes nothing can judge this claim.
      if (at('table-2', contender).scale !== 1) return undefined
      const ratio = server(at, contender) / (tableTwo[contender]?.service ?? 0)
      return ratio < 1.5 && ratio > 1 / 1.5
    },
  })),
  {
    where: 'Table II',
    what: `the order of bytes per node, least first: ${order.map((contender) => titles[contender]).join(', ')}`,
    of: ['table-2'],
    seen: (at) => order.map((contender) => [titles[contender], at('table-2', contender).payload.mean, 'MB']),
    judge: (at) =>
      order.every((contender, i) => {
        const next = order[i + 1]
        return next === undefined || at('table-2', contender).payload.mean < at('table-2', next).payload.mean
      }),
  },
  {
    where: 'Table II',
    what: 'the average traffic per node, in MB',
    of: ['table-2'],
    reason: 'two sizes of the model were fitted to these six figures, so an agreement proves nothing',
  },
]

/** Figures 7 and 8: the times of the two changes, and the time of the end of the run, s. */
const changes = [200, 400, 600]

/**
 * Returns the average view as a share of the pool's true size, just before a change. The results
 * keep the curve of one seed only. Throws {@link Missing} for the other seeds.
 */
function tracked({ curve }: TrialResult, before: number): number {
  if (curve === undefined) throw new Missing()
  const [, perceived = 0, present = 1] = curve.findLast(([time]) => time < before) ?? []
  return perceived / present
}

const dynamic: readonly Claim[] = [
  {
    where: 'Figure 7',
    what: 'both implementations track the entire pool: the average view is within 1 % of the pool’s size before each change and at the end',
    of: ['figure-7'],
    seen: (at) =>
      both.flatMap((contender) =>
        changes.map((time) => [`${titles[contender]} at ${time} s`, 100 * tracked(at('figure-7', contender), time), '%'] as const),
      ),
    judge: (at) => both.every((contender) => changes.every((time) => Math.abs(tracked(at('figure-7', contender), time) - 1) <= 0.01)),
  },
  {
    where: 'Figure 7',
    what: 'the central implementation is faster than the distributed one',
    of: ['figure-7'],
    judge: (at) => smaller(joined(at('figure-7', 'serial-send')) ?? Infinity, joined(at('figure-7', 'distributed')) ?? Infinity),
  },
  {
    where: 'Figure 7',
    what: 'both process a leave within a short time (all know within 30 s)',
    of: ['figure-7'],
    seen: (at) => both.map((contender) => [titles[contender], survived(at('figure-7', contender)), 's']),
    judge: (at) => both.every((contender) => (survived(at('figure-7', contender)) ?? Infinity) <= 30),
  },
  {
    where: 'Figure 8',
    what: 'both find the crashed nodes after their time-out of 120 s (half of the notifications between 100 and 180 s, none missed)',
    of: ['figure-8'],
    seen: (at) => both.map((contender) => [titles[contender], at('figure-8', contender).crash?.half, 's']),
    judge: (at) =>
      both.every((contender) => {
        const { half = Infinity, missed = 0 } = at('figure-8', contender).crash ?? {}
        return half >= 100 && half <= 180 && missed === 0
      }),
  },
  {
    where: 'Figure 8',
    what: 'the central implementation has a slightly longer delay, as it calls each node once more',
    of: ['figure-8'],
    seen: (at) => both.map((contender) => [titles[contender], at('figure-8', contender).crash?.half, 's']),
    judge: (at) => {
      const [one, other] = both.map((contender) => at('figure-8', contender).crash?.half ?? Infinity) as [number, number]
      return other < one
    },
  },
]

const applications: readonly Claim[] = [
  {
    where: 'Table III',
    what: 'with 256 nodes the broadcast tree has the shortest join time',
    of: ['table-3'],
    seen: (at) => theirs.map((contender) => [titles[contender], joined(at('table-3', contender)), 's']),
    judge: (at) =>
      all(
        theirs
          .filter((other) => other !== 'broadcast-tree')
          .map((other) => smaller(joined(at('table-3', 'broadcast-tree')) ?? Infinity, joined(at('table-3', other)) ?? Infinity)),
      ),
  },
  {
    where: 'Table III',
    what: 'run times of gene sequencing',
    of: [],
    reason: 'the application is not available, so it was not run again',
  },
  {
    where: 'Table IV',
    what: 'efficiency of First Capture Go, world-wide',
    of: [],
    reason: 'the application is not available, so it was not run again',
  },
]

const own: readonly Claim[] = [
  {
    where: 'jel, Figure 6',
    what: '2,000 nodes all know all within 10 s of the first start',
    of: ['figure-6'],
    seen: (at) => [['jel', joined(at('figure-6', 'jel')), 's']],
    judge: (at) => (joined(at('figure-6', 'jel')) ?? Infinity) <= 10,
    ours: true,
  },
  {
    where: 'jel, Table II',
    what: 'each node receives at most 1 MB on average, on the wire, over the whole run',
    of: ['table-2'],
    seen: (at) => [['jel', at('table-2', 'jel').received.mean, 'MB']],
    judge: (at) => at('table-2', 'jel').received.mean <= 1,
    ours: true,
  },
  {
    where: 'jel, Figure 8',
    what: 'all survivors know within 10 s of the crash of half of the pool',
    of: ['figure-8'],
    seen: (at) => [['jel', survived(at('figure-8', 'jel')), 's']],
    judge: (at) => (survived(at('figure-8', 'jel')) ?? Infinity) <= 10,
    ours: true,
  },
]

export const claims: readonly Claim[] = [...figureFive, ...figureSix, ...table, ...dynamic, ...applications, ...own]

/** Returns the verdict of all seeds together. */
export function verdictOf({ judge, of }: Claim, outcome: Outcome): Verdict {
  if (judge === undefined) return 'cannot be said'
  const judged = bySeed(outcome, of, judge)
  if (judged.length === 0) return 'not run'
  if (judged.every((each) => each === true)) return 'holds'
  return judged.every((each) => each === false) ? 'does not hold' : 'cannot be said'
}

/**
 * Returns the medians of the values that explain the verdict. Without such values it returns the
 * reason of the claim.
 */
export function seenOf({ seen, of, reason }: Claim, outcome: Outcome): string {
  if (seen === undefined) return reason ?? ''
  const found = bySeed(outcome, of, seen)
  const [first = []] = found
  return first
    .map(([what, , unit], i) => {
      const { median = Infinity } = spreadOf(found.map((values) => values[i]?.[1])) ?? {}
      return `${what} ${median === Infinity ? 'never' : `${median.toFixed(unit !== '%' && median < (unit === 's' ? 1 : 100) ? 2 : 1)} ${unit}`}`
    })
    .join(', ')
}

function bySeed<Found>(outcome: Outcome, of: readonly ExperimentName[], find: (at: At) => Found): Found[] {
  return outcome.seeds(of).flatMap((seed) => {
    try {
      return [
        find((experiment, contender) => {
          const found = outcome.of(experiment, contender).find((result) => result.seed === seed)
          if (found === undefined) throw new Missing()
          return found
        }),
      ]
    } catch (error) {
      if (error instanceof Missing) return []
      throw error
    }
  })
}
