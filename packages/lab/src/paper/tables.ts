/** The same as tables in Markdown, and what must hold of them. */
import { contenders, label, titles, type Contender } from './contender.ts'
import { experiments, type ExperimentName } from './experiment.ts'
import { joined, reached, survived, type Outcome } from './outcome.ts'
import { tableTwo } from './paper.ts'

export interface Claim {
  readonly claim: string
  readonly seen: string
  readonly holds: boolean
}

type Row = readonly (string | number | undefined)[]

/** By the name of its place in the document. */
export function tables(outcome: Outcome): Map<string, string> {
  const made = new Map<string, string>()
  for (const { name } of experiments) made.set(name, speeds(outcome, name))
  made.set('table-2', traffic(outcome))
  made.set(
    'claims',
    table(
      ['what must hold', 'seen', ''],
      claims(outcome).map(({ claim, seen, holds }) => [claim, seen, isKnown({ seen }) ? (holds ? 'yes' : '**no**') : 'not known']),
    ),
  )
  return made
}

function speeds(outcome: Outcome, experiment: ExperimentName): string {
  const found = contenders.map((contender) => outcome.of(experiment, contender)).filter((result) => result !== undefined)
  if (experiment === 'figure-5' || experiment === 'figure-6') {
    const rows = found.map((result): Row => {
      return [label(result), seconds(reached(result, 0.5)), seconds(reached(result, 0.99)), seconds(joined(result))]
    })
    return table(['', 'average at 50 %', 'average at 99 %', 'all know all'], rows)
  }
  const rows = found.map((result): Row => [label(result), seconds(joined(result)), seconds(joined(result, 1)), seconds(survived(result))])
  const end = experiment === 'figure-7' ? 'after the last leave' : 'after the crash'
  return table(['all know all', 'after the first start', 'after the start of the second wave', end], rows)
}

function traffic(outcome: Outcome): string {
  const head = ['MB', 'server, paper', 'server, re-run', 'node, paper', 'node, re-run', 'ratio', 'node, on the wire', 'of that received']
  const rows = contenders.flatMap((contender): Row[] => {
    const result = outcome.of('figure-6', contender)
    const paper = tableTwo[contender]
    if (result === undefined) return []
    const { payload, wire, received } = result
    const ratio = paper === undefined ? undefined : (payload.mean / paper.mean).toFixed(2)
    return [
      [label(result), paper?.service, mega(payload.service), paper?.mean, mega(payload.mean), ratio, mega(wire.mean), mega(received.mean)],
    ]
  })
  return table(head, rows)
}

/** Whoever it speaks of was run. */
export function isKnown({ seen }: Pick<Claim, 'seen'>): boolean {
  return !seen.includes('not run')
}

export function claims(outcome: Outcome): Claim[] {
  const at = (experiment: ExperimentName, contender: Contender): number => {
    const result = outcome.of(experiment, contender)
    return (result && reached(result, 0.99)) ?? Infinity
  }
  const central = contenders.filter((contender) => contender !== 'jel' && contender !== 'distributed')
  const theirs = contenders.filter((contender) => contender !== 'jel')
  const others = (all: readonly Contender[], one: Contender): Contender[] => all.filter((each) => each !== one)
  const times = (experiment: ExperimentName, all: readonly Contender[]): string =>
    all
      .map(
        (contender) =>
          `${titles[contender]} ${outcome.of(experiment, contender) === undefined ? 'not run' : seconds(at(experiment, contender))}`,
      )
      .join(', ')
  const made: Claim[] = [
    {
      claim: 'Figure 5: of the central techniques serial send is the slowest to 99 %',
      seen: times('figure-5', central),
      holds: others(central, 'serial-send').every((other) => at('figure-5', 'serial-send') > at('figure-5', other)),
    },
    ...(['figure-5', 'figure-6'] as const).map((experiment) => ({
      claim: `${experiment.replace('f', 'F').replace('-', ' ')}: adaptive gossip is ahead of plain gossip`,
      seen: times(experiment, ['adaptive-gossip', 'gossip']),
      holds: at(experiment, 'adaptive-gossip') < at(experiment, 'gossip'),
    })),
    {
      claim: 'Figure 6: the broadcast tree is the fastest of the six to 99 %',
      seen: times('figure-6', theirs),
      holds: others(theirs, 'broadcast-tree').every(
        (other) => at('figure-6', 'broadcast-tree') <= at('figure-6', other) && at('figure-6', 'broadcast-tree') < Infinity,
      ),
    },
  ]
  for (const contender of theirs) {
    const paper = tableTwo[contender]?.mean ?? 0
    const result = outcome.of('figure-6', contender)
    const mean = result?.payload.mean ?? Infinity
    made.push({
      claim: `Table II: ${titles[contender]}, a node within a factor of two of ${paper} MB`,
      seen: result === undefined ? 'not run' : `${mega(mean)} MB with ${result.nodes} nodes`,
      holds: mean < 2 * paper && mean > paper / 2,
    })
  }
  return [...made, ...ourClaims(outcome)]
}

function ourClaims(outcome: Outcome): Claim[] {
  const join = outcome.of('figure-6', 'jel')
  const crash = outcome.of('figure-8', 'jel')
  const took = (join && joined(join)) ?? Infinity
  const received = join?.received.mean ?? Infinity
  const right = (crash && survived(crash)) ?? Infinity
  return [
    {
      claim: 'Figure 6: with jel 2,000 nodes all know all within 10 s of the first start',
      seen: join === undefined ? 'not run' : seconds(took),
      holds: took <= 10,
    },
    {
      claim: 'Table II: jel, at most 1 MB received a node, on the wire, over the whole run',
      seen: join === undefined ? 'not run' : `${mega(received)} MB`,
      holds: received <= 1,
    },
    {
      claim: 'Figure 8: with jel all survivors know within 10 s of the crash of 800',
      seen: crash === undefined ? 'not run' : seconds(right),
      holds: right <= 10,
    },
  ]
}

function seconds(value: number | undefined): string {
  return value === undefined || value === Infinity ? 'never' : `${value.toFixed(1)} s`
}

function mega(value: number | undefined): string | undefined {
  return value === undefined || value === Infinity ? undefined : value.toFixed(value < 100 ? 2 : 0)
}

function table(head: readonly string[], rows: readonly Row[]): string {
  const line = (cells: Row): string => `| ${cells.map((cell) => cell ?? '–').join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
