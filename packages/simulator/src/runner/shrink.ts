import type { RunResult } from '../report/result.ts'
import type { Milliseconds } from '@jel/protocol'
import type { Action } from '../scenario/actions.ts'
import { checkScenario } from '../scenario/check.ts'
import type { ScenarioNetwork } from '../scenario/network.ts'
import type { Scenario } from '../scenario/scenario.ts'

export interface ShrinkOptions {
  readonly run: (scenario: Scenario, seed: number) => RunResult
  /** Returns false when the time is up. The result is then the smallest scenario found so far. */
  readonly goOn: () => boolean
  readonly onSmaller?: (found: Scenario, tried: number) => void
}

/**
 * The number of other seeds to try if the first seed does not fail. A smaller scenario has another
 * history anyway.
 */
const otherSeeds = 3

/**
 * Makes a failing scenario smaller as long as it fails in the same way: fewer nodes, fewer actions,
 * a shorter time, a simpler network. The result names the seed with which it fails. Returns
 * undefined if nothing failed.
 *
 * It tries greedily, as delta debugging does (Zeller and Hildebrandt, TSE 2002): large pieces
 * first, then smaller pieces.
 */
export function shrink(scenario: Scenario, result: RunResult, options: ShrinkOptions): Scenario | undefined {
  const kind = failureOf(result)
  if (kind === undefined) return undefined
  const shrinker = new Shrinker(scenario, result, kind, options)
  shrinker.run()
  return shrinker.smallest
}

/**
 * Returns the kind of failure, without the numbers of nodes and times. A late event and a missing
 * event are different kinds.
 */
function failureOf({ violation, verdicts }: RunResult): string | undefined {
  if (violation === undefined) {
    const broken = verdicts.find(({ held }) => !held)
    return broken && `${broken.what}${broken.value === undefined ? '' : ', but to a degree'}`
  }
  return violation.what.replaceAll(/12D3\w+/gu, 'NODE').replaceAll(/\d+/gu, 'N')
}

class Shrinker {
  smallest: Scenario
  readonly #kind: string
  readonly #options: ShrinkOptions
  #tried = 0

  constructor(scenario: Scenario, { seed, violation }: RunResult, kind: string, options: ShrinkOptions) {
    // If a promise is broken, the expectations are irrelevant.
    const expect = violation === undefined ? scenario.expect : []
    const name = `${scenario.name}, made smaller`
    this.smallest = { ...scenario, name, seeds: [seed], expect }
    this.#kind = kind
    this.#options = options
    if (violation !== undefined) this.#try({ ...this.smallest, ...cutOff(this.smallest, violation.time + 1_000) })
  }

  run(): void {
    let before: Scenario
    do {
      before = this.smallest
      this.#fewerNodes()
      this.#fewerActions()
      this.#simpler()
      this.#shorter()
      this.#earlier()
    } while (this.smallest !== before && this.#options.goOn())
  }

  #fewerNodes(): void {
    if (this.smallest.arrivals.type === 'trace') return
    for (const share of [0.1, 0.25, 0.5, 0.75, 0.9]) {
      while (this.smallest.nodes > 1 && this.#try(withNodes(this.smallest, Math.max(1, Math.floor(this.smallest.nodes * share)))));
    }
    while (this.smallest.nodes > 1 && this.#try(withNodes(this.smallest, this.smallest.nodes - 1)));
    for (const [index, action] of this.smallest.actions.entries()) {
      if (action.type !== 'join') continue
      for (let count = Math.floor(action.count / 2); count >= 1; count = Math.floor(count / 2)) {
        if (!this.#try({ ...this.smallest, actions: this.smallest.actions.with(index, { ...action, count }) })) break
      }
    }
  }

  #fewerActions(): void {
    for (let size = this.smallest.actions.length; size >= 1; size = Math.floor(size / 2)) {
      for (let start = 0; start < this.smallest.actions.length;) {
        const { actions } = this.smallest
        if (!this.#try({ ...this.smallest, actions: actions.toSpliced(start, size) })) start += size
      }
    }
  }

  #simpler(): void {
    if (this.smallest.sessions !== undefined) this.#try(without(this.smallest, 'sessions'))
    if (Object.keys(this.smallest.elections).length > 0) this.#try({ ...this.smallest, elections: {} })
    if (this.smallest.arrivals.type !== 'atOnce') this.#try({ ...this.smallest, arrivals: { type: 'atOnce' } })
    if (this.smallest.network.sites !== undefined) {
      this.#try({ ...without(this.smallest, 'nodesBySite'), network: without(this.smallest.network, 'sites') })
    }
    for (let i = this.smallest.jobs.length - 1; i >= 0; i--) this.#try({ ...this.smallest, jobs: this.smallest.jobs.toSpliced(i, 1) })
    const plainer: Partial<ScenarioNetwork>[] = [{ bandwidth: {} }, { loss: 0 }, { nat: 0 }, { nodesPerMachine: 1, machinesPerRack: 1 }]
    for (const change of plainer) {
      const network = { ...this.smallest.network, ...change }
      if (JSON.stringify(network) !== JSON.stringify(this.smallest.network)) this.#try({ ...this.smallest, network })
    }
    for (let i = this.smallest.expect.length - 1; i >= 0; i--) this.#try({ ...this.smallest, expect: this.smallest.expect.toSpliced(i, 1) })
  }

  #shorter(): void {
    for (const share of [0.25, 0.5, 0.75, 0.9]) {
      while (this.smallest.duration > 2_000) {
        const duration = Math.ceil((this.smallest.duration * share) / 1_000) * 1_000
        if (duration >= this.smallest.duration || !this.#try({ ...this.smallest, ...cutOff(this.smallest, duration) })) break
      }
    }
  }

  /** Shortens the pauses between actions. */
  #earlier(): void {
    for (const index of this.smallest.actions.keys()) {
      for (const share of [1, 0.5, 0.25, 0]) {
        for (;;) {
          const { at } = this.smallest.actions[index] as Action
          const before = Math.max(0, ...this.smallest.actions.filter((other) => other.at < at).map((other) => other.at))
          const by = Math.max(1, Math.floor(((at - before) * share) / 1_000)) * 1_000
          if (by > at - before || !this.#try(withoutPause(this.smallest, at, by))) break
        }
      }
    }
  }

  /** Accepts the candidate if it fails in the same way. */
  #try(candidate: Scenario): boolean {
    if (candidate === this.smallest || !this.#options.goOn() || !isValid(candidate)) return false
    const [seed = 1] = candidate.seeds
    const seeds = new Set([seed, ...Array.from({ length: otherSeeds }, (_, i) => i + 1)])
    for (const each of seeds) {
      this.#tried += 1
      if (failureOf(this.#options.run(candidate, each)) !== this.#kind) {
        if (!this.#options.goOn()) return false
        continue
      }
      this.smallest = { ...candidate, seeds: [each] }
      this.#options.onSmaller?.(this.smallest, this.#tried)
      return true
    }
    return false
  }
}

function isValid(scenario: Scenario): boolean {
  let valid = true
  checkScenario(scenario, () => (valid = false))
  return valid
}

/**
 * Scales to this number of nodes, in the same proportions, and removes actions on missing nodes.
 */
function withNodes(scenario: Scenario, nodes: number): Scenario {
  const { nodesBySite, ...rest } = scenario
  const share = nodes / scenario.nodes
  const bySite = nodesBySite && Object.fromEntries(Object.entries(nodesBySite).map(([site, count]) => [site, Math.ceil(count * share)]))
  const total = bySite === undefined ? nodes : Object.values(bySite).reduce((sum, count) => sum + count, 0)
  if (total >= scenario.nodes) return scenario
  const smaller: Scenario = { ...rest, nodes: total, ...(bySite && { nodesBySite: bySite }) }
  const gone = new Set<PropertyKey | undefined>()
  checkScenario(smaller, (path) => {
    if (path[0] === 'actions') gone.add(path[1])
  })
  return { ...smaller, actions: smaller.actions.filter((_, index) => !gone.has(index)) }
}

/** Ends the scenario at this time and removes later actions and jobs. */
function cutOff({ actions, jobs }: Scenario, duration: number): Pick<Scenario, 'actions' | 'jobs' | 'duration'> {
  return {
    actions: actions.filter(({ at }) => at <= duration),
    jobs: jobs.filter(({ at }) => at <= duration),
    duration: Math.ceil(duration),
  }
}

/** Moves everything that is due at `from` or later to `by` ms earlier. */
function withoutPause(scenario: Scenario, from: Milliseconds, by: Milliseconds): Scenario {
  const moved = <T extends object>(fields: T, keys: readonly string[]): T =>
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [
        key,
        keys.includes(key) && typeof value === 'number' && value >= from ? value - by : value,
      ]),
    ) as T
  const { actions, jobs, expect, sessions, duration } = scenario
  return {
    ...scenario,
    actions: actions.map((action) => moved(action, action.type === 'hostile' ? ['at', 'until', 'from', 'to'] : ['at', 'until'])),
    expect: expect.map((expectation) => moved(expectation, ['after', 'from', 'until'])),
    jobs: jobs.map((job) => moved(job, ['at'])),
    ...(sessions && { sessions: moved(sessions, ['from', 'until']) }),
    duration: duration - by,
  }
}

function without<T extends object, Key extends keyof T>(fields: T, key: Key): Omit<T, Key> {
  const rest = { ...fields }
  delete rest[key]
  return rest
}
