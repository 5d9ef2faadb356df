import type { Figures } from './figures.ts'

/** A number, or one number for each set of labels. Undefined: there is none. */
export type Reading = number | undefined | readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]

interface Described {
  /**
   * The name for OpenTelemetry, without the unit; for Prometheus see {@link prometheusName}.
   */
  readonly name: string
  /**
   * In the Unified Code for Units of Measure: `s`, `By`, `1` for a ratio, or the counted thing in
   * braces.
   */
  readonly unit: string
  readonly help: string
}

/** An instrument that is read on demand. */
export interface ReadInstrument extends Described {
  readonly kind: 'counter' | 'gauge'
  /** Names of the labels. Default: none. */
  readonly labels?: readonly string[]
  readonly read: (figures: Figures) => Reading
}

/** An instrument that records each measurement, in seconds. */
export interface Histogram extends Described {
  readonly kind: 'histogram'
  readonly measures: 'detection' | 'reconciliation'
  /** Upper bounds of the buckets, in seconds. */
  readonly buckets: readonly number[]
}

export type Instrument = ReadInstrument | Histogram

/** All metrics of a pool, defined once for Prometheus and OpenTelemetry. */
export const instruments: readonly Instrument[] = [
  {
    name: 'jel.node.info',
    kind: 'gauge',
    labels: ['pool', 'id', 'incarnation', 'location'],
    unit: '{node}',
    help: 'Always 1; the labels say which node this is.',
    read: ({ pool, self: { id, incarnation, location } }) => [
      { labels: { pool, id, incarnation: String(incarnation), location }, value: 1 },
    ],
  },
  gauge('jel.members', '{member}', 'Members that this node believes to be in the pool, itself included.', ({ members }) => members),
  gauge('jel.links', '{link}', 'Links of this node that are up.', ({ links }) => links.length),
  gauge('jel.round_trip.median', 's', 'How long members took to answer the last probe of this node: half of them no longer.', ({ links }) =>
    quantile(links, 0.5),
  ),
  gauge('jel.round_trip.longest', 's', 'The longest time a member took to answer the last probe of this node.', ({ links }) =>
    quantile(links, 1),
  ),
  gauge(
    'jel.suspected',
    '1',
    'Share of the other members that are suspected, lost within the last minute, or unreachable now: 0 to 1.',
    ({ health }) => health.suspectedShare,
  ),
  gauge('jel.relayed.members', '{member}', 'Members that only others can reach.', ({ health }) => health.relayed),
  gauge('jel.alone', '{node}', '1 where this node reaches no other member although it should.', ({ health }) => Number(health.alone)),
  gauge('jel.minority', '{node}', '1 where this node reaches at most half of the members of a minute before.', ({ health }) =>
    Number(health.minority),
  ),
  gauge(
    'jel.introducers.unreachable',
    '{introducer}',
    'Bootstrap addresses that do not answer.',
    ({ health }) => health.introducers.length,
  ),
  counter(
    'jel.joins',
    '{member}',
    'Members that came in, those counted that were there when this node entered.',
    ({ counts }) => counts.joined,
  ),
  counter('jel.leaves', '{member}', 'Members that left by their own will.', ({ counts }) => counts.left),
  counter('jel.member.deaths', '{member}', 'Members that were found dead.', ({ counts }) => counts.died),
  gauge('jel.elections', '{election}', 'Elections of which this node knows the winner.', ({ reigns }) => reigns.length),
  gauge(
    'jel.elections.held',
    '{election}',
    'Elections of which this node is the winner now.',
    ({ reigns, self }) => reigns.filter(({ winner }) => winner.id === self.id).length,
  ),
  counter('jel.elections.decided', '{election}', 'How often this node was told of a winner.', ({ counts }) => counts.elected),
  counter('jel.elections.won', '{election}', 'How often this node became the winner of an election.', ({ counts }) => counts.won),
  gauge('jel.records', '{record}', 'Records that this node knows.', ({ records }) => records),
  counter('jel.signals.received', '{signal}', 'Signals that members sent to this node.', ({ counts }) => counts.signals),
  {
    name: 'jel.warnings',
    kind: 'counter',
    labels: ['code'],
    unit: '{warning}',
    help: 'What went wrong while the node went on, by the code of the warning.',
    read: ({ counts }) => [...counts.warnings].map(([code, value]) => ({ labels: { code }, value })),
  },
  gauge('jel.connections', '{connection}', 'TCP connections of this node that are open.', ({ traffic }) => traffic.connections),
  counter('jel.traffic.sent', 'By', 'Bytes that this node sent over TCP, without headers.', ({ traffic }) => traffic.sent),
  counter('jel.traffic.received', 'By', 'Bytes that this node received over TCP, without headers.', ({ traffic }) => traffic.received),
  gauge(
    'jel.reconciliation.age',
    's',
    'Time since a reconciliation with another member last ended.',
    ({ health: { lastReconciliation }, now }) => lastReconciliation && Math.max(0, now - lastReconciliation) / 1000,
  ),
  {
    name: 'jel.reconciliation',
    kind: 'histogram',
    unit: 's',
    help: 'Reconciliations that this node began, until both sides knew the same.',
    measures: 'reconciliation',
    // Guess: from a network within one room to 50,000 members on a slow network.
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  },
  {
    name: 'jel.detection',
    kind: 'histogram',
    unit: 's',
    help: 'From the first suspicion that this node had or was told of until it took the member for dead.',
    measures: 'detection',
    // Measured (docs/benchmarks.md): a killed process takes 1 s or less, a silent host up to 20 s.
    buckets: [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120],
  },
]

/** The words of Prometheus for units. Counted things have none. */
const UNIT_WORDS: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes', '1': '_ratio' }

/**
 * Returns the name for Prometheus, as OpenTelemetry's exporters make it. For example,
 * `jel.traffic.sent` becomes `jel_traffic_sent_bytes_total`.
 */
export function prometheusName({ name, unit, kind }: Pick<Instrument, 'name' | 'unit' | 'kind'>): string {
  return `${name.replaceAll('.', '_')}${UNIT_WORDS[unit] ?? ''}${kind === 'counter' ? '_total' : ''}`
}

/** Returns one reading for each set of labels. */
export function readings(instrument: ReadInstrument, figures: Figures): { labels: Record<string, string>; value: number }[] {
  const reading = instrument.read(figures)
  if (reading === undefined) return []
  return typeof reading === 'number'
    ? [{ labels: {}, value: reading }]
    : reading.map(({ labels, value }) => ({ labels: { ...labels }, value }))
}

function gauge(name: string, unit: string, help: string, read: (figures: Figures) => number | undefined): ReadInstrument {
  return { name, kind: 'gauge', unit, help, read }
}

function counter(name: string, unit: string, help: string, read: (figures: Figures) => number): ReadInstrument {
  return { name, kind: 'counter', unit, help, read }
}

/** Returns a quantile of the round trips, in seconds. */
function quantile(links: Figures['links'], share: number): number | undefined {
  const times = links.flatMap(({ roundTrip }) => roundTrip ?? []).sort((a, b) => a - b)
  const time = times[Math.ceil(times.length * share) - 1]
  return time === undefined ? undefined : time / 1000
}
