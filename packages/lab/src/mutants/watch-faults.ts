import type { ShellFault } from './shell-faults.ts'

const source = 'packages/monitor/src'
const cuts = `${source}/cut.test.ts`
const overview = `${source}/overview.test.ts`

/** Faults of watches. A test on a virtual network must find most of them. */
export const watchFaults: readonly ShellFault[] = [
  {
    file: `${source}/core/series.ts`,
    test: cuts,
    name: 'a time in which nobody watched does not show as a gap',
    from: 'Math.round((now - this.#leftAt) / watch.spec.every)',
    to: '0',
  },
  {
    file: `${source}/core/series.ts`,
    test: cuts,
    name: 'samples that are older than the ring are missing without a word',
    from: 'if (sample.seq > last + 1) parts.push',
    to: 'if (sample.seq > last + 1e9) parts.push',
  },
  {
    file: `${source}/core/ring.ts`,
    test: cuts,
    name: 'samples wait for five minutes alone',
    from: 'first.at <= sample.at - KEPT',
    to: 'first.at <= sample.at - KEPT / 2',
  },
  {
    file: `${source}/core/ring.ts`,
    test: `${source}/core/ring.test.ts`,
    name: 'values that are out of the ring stay in memory',
    from: 'this.#samples[this.#out++] = OUT',
    to: 'this.#out++',
  },
  {
    file: `${source}/core/served-watch.ts`,
    test: cuts,
    name: 'late samples are not marked',
    from: '{ now, replayed: true }',
    to: '{ now, replayed: false }',
  },
  {
    file: `${source}/core/served-watch.ts`,
    test: `${source}/core/watching.test.ts`,
    name: 'a problem that a slow consumer did not get counts as a sample',
    from: "if (this.#pending.get(row.index)?.type === 'sample')",
    to: 'if (this.#pending.has(row.index))',
  },
  {
    file: `${source}/shell/watch-client.ts`,
    test: cuts,
    name: 'a consumer forgets its last samples, so it gets none late',
    from: 'this.#last.size > 0 && { since }',
    to: 'this.#last.size > 1e9 && { since }',
  },
  {
    file: `${source}/shell/watch-client.ts`,
    test: cuts,
    name: 'a gap in a series is not told',
    from: '(series !== last.series || this.#missing.has(name))',
    to: 'series !== last.series',
  },
  {
    file: `${source}/shell/consumer.ts`,
    test: cuts,
    name: 'no consumer is slow',
    from: 'this.#outlet.waiting() < FULL_BYTES',
    to: 'this.#outlet.waiting() < 1e9',
  },
  {
    file: `${source}/core/permissions.ts`,
    test: overview,
    name: 'a member outside the site gets all values',
    from: "permission === 'all' || (permission === 'summary' && !site && isSummaryOf(spec))",
    to: "permission !== 'none' || (!site && isSummaryOf(spec))",
  },
  {
    file: `${source}/shell/watch.ts`,
    test: overview,
    name: 'an overview has a stream to each member',
    from: 'if (!this.#bySite) return new Map(members.map',
    to: 'if (this.#bySite) return new Map(members.map',
  },
  {
    file: `${source}/shell/watch-server.ts`,
    test: overview,
    name: 'a producer measures for a consumer that is gone',
    from: `this.#unwatch(id)
          admission.end()`,
    to: 'admission.end()',
  },
  {
    file: `${source}/shell/watch-server.ts`,
    test: overview,
    name: 'the place of a watch is not free after its end',
    from: 'place?.end()',
    to: 'place?.stage',
  },
  {
    file: `${source}/shell/watch-server.ts`,
    test: overview,
    name: 'all members together may have any number of watches',
    from: 'total: MAX_WATCHES, ofOne',
    to: 'ofOne',
  },
  {
    file: `${source}/monitor.ts`,
    test: 'packages/monitor/test/monitor.test.ts',
    name: 'a watch changes the statement of its producer',
    from: 'sites, (asked) => this.#allow(asked))',
    to: 'sites, (asked) => (void this.constant({ watched: asked.attribute }), this.#allow(asked)))',
  },
  {
    file: 'packages/compute/src/program/migration.ts',
    test: 'packages/compute/src/program/migration.test.ts',
    name: 'a move costs nothing',
    from: '(stays - (moves + cost)) / stays',
    to: '(stays - (moves + 0 * cost)) / stays',
  },
  {
    file: 'packages/lab/src/monitoring/account.ts',
    test: 'packages/lab/src/monitoring/account.test.ts',
    name: 'a number that is missing after a mark does not count',
    from: 'numbers.first = numbers.last + 1',
    to: 'numbers.first = numbers.last + 2',
  },
  {
    file: `${source}/shell/sinks.ts`,
    test: `${source}/shell/sinks.test.ts`,
    name: 'news of a member that pushes go to whoever accepted first',
    from: "'name' in event ? event.name : names[0]",
    to: "'name' in event ? event.name : [...this.#sinks.keys()][0]",
  },
  {
    file: `${source}/shell/consumer.ts`,
    test: 'packages/monitor/test/slow-consumer.test.ts',
    name: 'samples pile up for a consumer that reads nothing',
    from: 'if (this.#outlet.waiting() < FULL_BYTES) return',
    to: 'if (this.#outlet.waiting() >= 0) return',
  },
  {
    file: `${source}/shell/watch-server.ts`,
    test: 'packages/monitor/test/slow-consumer.test.ts',
    name: 'bytes that wait for a consumer do not count',
    from: 'held: () => queue.bytes + stream.writeBufferLength',
    to: 'held: () => 0',
  },
]
