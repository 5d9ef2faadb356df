import type { ShellFault } from './shell-faults.ts'

const watching = { file: 'packages/monitor/src/core/watching.ts', test: 'packages/monitor/src/core/watching.test.ts' }
const served = { file: 'packages/monitor/src/core/served-watch.ts', test: 'packages/monitor/src/core/watching.test.ts' }
const sensor = { file: 'packages/monitor/src/core/sensor.ts', test: 'packages/monitor/src/core/sensor.test.ts' }
const conditions = { file: 'packages/monitor/src/expression/evaluate.ts', test: 'packages/monitor/src/expression/expression.test.ts' }
const calendar = { file: 'packages/allocate/src/core/calendar.ts', test: 'packages/allocate/src/core/calendar.test.ts' }
const leases = { file: 'packages/allocate/src/core/leases.ts', test: 'packages/allocate/src/core/leases.test.ts' }

/** Faults of attributes and leases. One test file must find each. */
export const gridFaults: readonly ShellFault[] = [
  {
    ...watching,
    name: 'a producer measures although nobody watches',
    from: 'if (series.watchers.size === 0) this.#series.delete(name)',
    to: 'if (series.watchers.size > 1e9) this.#series.delete(name)',
  },
  {
    ...watching,
    name: 'a sample comes twice after a break',
    from: 'series.after(from.seq)',
    to: 'series.after(from.seq - 1)',
  },
  {
    ...served,
    name: 'samples that a slow consumer did not get are not counted',
    from: "?.type === 'sample') this.#lost++",
    to: "?.type === 'sample') this.#lost += 0",
  },
  {
    ...sensor,
    name: 'a time to live counts from the beginning of the program',
    from: 'now - this.#last.at >= this.#freshness.ttl',
    to: 'now >= this.#freshness.ttl',
  },
  {
    ...conditions,
    name: 'an unknown attribute is false',
    from: "return typeof left === 'boolean' && typeof right === 'boolean' ? isAnd : undefined",
    to: 'return false',
  },
  {
    ...calendar,
    name: 'a reservation that begins later does not count',
    from: 'each.end <= start || each.start >= end',
    to: 'each.end <= start || each.start > start',
  },
  {
    ...leases,
    name: 'a foreground lease begins before background holders have made room',
    from: 'Math.max(asked.from, this.#shares.notice(asked.amounts, this.#now))',
    to: 'asked.from',
  },
  {
    ...leases,
    name: 'a member may end the lease of another one',
    from: 'if (lease?.holder !== input.holder)',
    to: 'if (lease === undefined)',
  },
  {
    ...leases,
    name: 'the leases of a dead holder stay',
    from: 'if (lease.holder === input.holder) this.#end',
    to: 'if (lease.holder === input.holder && lease.number < 0) this.#end',
  },
  {
    file: 'packages/allocate/src/core/fence.ts',
    test: 'packages/allocate/src/core/leases.test.ts',
    name: 'a fence takes an older token',
    from: 'return token.number < other.number',
    to: 'return false',
  },
  {
    ...leases,
    name: 'a second delayed change takes the capacity of the first one out of the calendar',
    from: 'if (pending > 0) return',
    to: 'if (pending > 1e9) return',
  },
  {
    ...leases,
    file: 'packages/allocate/src/core/shares.ts',
    name: 'a background share grows before others have made room',
    from: 'Math.min((fair[at] as number) - (share[name] ?? 0), rest - used)',
    to: '(fair[at] as number) - (share[name] ?? 0)',
  },
  {
    ...served,
    name: 'a summary shows the first value of its window',
    from: 'now - this.#began < over',
    to: 'now < this.#began',
  },
  {
    ...served,
    name: 'the end of a condition during a break is not sent',
    from: 'held ? true : undefined',
    to: 'held ? undefined : undefined',
  },
]
