import type { ShellFault } from './shell-faults.ts'

const folder = 'packages/allocate/src'
const placement = { file: `${folder}/pairs/placement.ts`, test: `${folder}/pairs/placement.test.ts` }
const pairs = { file: `${folder}/pairs/pairs.ts`, test: `${folder}/pairs/pairs.test.ts` }
const bucket = { file: `${folder}/limit/bucket.ts`, test: `${folder}/limit/limit.test.ts` }
const adapt = { file: `${folder}/limit/adapt.ts`, test: `${folder}/limit/limit.test.ts` }
const prober = { file: `${folder}/pairs/prober.ts`, test: 'packages/allocate/test/probe.test.ts' }
const enforced = { file: `${folder}/shell/granter.ts`, test: 'packages/allocate/test/limit.test.ts' }
const division = { file: `${folder}/divide.ts`, test: `${folder}/divide.test.ts` }

/** Faults of patterns, probes and enforced leases. One test file must find each. */
export const patternFaults: readonly ShellFault[] = [
  {
    ...placement,
    name: 'a ring does not close',
    from: 'return count > 2 ? [...line, [0, count - 1]] : line',
    to: 'return line',
  },
  {
    ...placement,
    name: 'an unknown pair is guessed',
    from: 'bandwidth(one, other) ?? -1',
    to: 'bandwidth(one, other) ?? 1',
  },
  {
    ...placement,
    name: 'a search that ran out of steps says that it is the best',
    from: "if (found === 'unknown') isBest = false",
    to: "if (found === 'unknown') isBest = true",
  },
  {
    ...pairs,
    name: 'pairs of one site are measured at once',
    from: 'for (const site of sites) busy.add(site)',
    to: 'for (const site of sites) busy.add(site + Math.random())',
  },
  {
    ...pairs,
    name: 'one member measures all of its pairs',
    from: 'count(one) <= count(other)',
    to: 'count(one) >= 0',
  },
  {
    ...prober,
    name: 'a probe does not wait for the token of its site',
    from: 'for (const site of sites) tokens.push(await this.#token(site, deadline))',
    to: 'for (const site of sites) if (deadline < 0) tokens.push(await this.#token(site, deadline))',
  },
  {
    ...prober,
    name: 'a member sends back all that it gets',
    from: 'if (bytes > MAX_PROBE_BYTES) throw',
    to: 'if (bytes > 1e9) throw',
  },
  {
    ...prober,
    name: 'a manager without leases keeps the token from all',
    from: 'without.add(manager.id)\n          continue',
    to: 'throw error',
  },
  {
    ...prober,
    name: 'each question makes a member probe once more',
    from: 'this.#running.get(to) ??',
    to: 'undefined ??',
  },
  {
    file: `${folder}/pairs/probe-token.ts`,
    test: `${folder}/pairs/pairs.test.ts`,
    name: 'the probe token is leased for as long as a member likes',
    from: ' && term <= TOKEN_TIME',
    to: '',
  },
  {
    ...bucket,
    name: 'a chunk above the size of the bucket leaves no debt',
    from: 'this.#level = level - tokens',
    to: 'this.#level = Math.max(0, level - tokens)',
  },
  {
    ...bucket,
    name: 'a background holder loses its share at once',
    from: 'held !== undefined && now < held.until',
    to: 'held !== undefined && now < 0',
  },
  {
    ...bucket,
    name: 'a lease that grows has its new amount before others made room',
    from: 'if (former !== undefined && now < former.end) return',
    to: 'if (former !== undefined && now < 0) return',
  },
  {
    ...adapt,
    name: 'a correction adds the share of excess bytes',
    from: '(reserved * (within + exceeding)) / within',
    to: 'reserved * (1 + exceeding / (within + exceeding))',
  },
  {
    ...adapt,
    name: 'a search ends with an amount that was not enough',
    from: 'return high',
    to: 'return low',
  },
  {
    ...enforced,
    name: 'another member may use a token',
    from: 'if (lease?.holder !== holder) throw',
    to: 'if (lease === undefined) throw',
  },
  {
    ...enforced,
    name: 'each stream of a lease has the whole rate',
    from: 'limits.set(capacity, limit)',
    to: 'limits.delete(capacity)',
  },
  {
    ...division,
    name: 'a worker gets more than it can hold',
    from: 'if (over.length > 0) continue',
    to: 'if (over.length > 1e9) continue',
  },
]
