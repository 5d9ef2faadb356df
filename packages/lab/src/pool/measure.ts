/** The figures of all swarms, and the table of them. */
import type { Shown } from '../base/figures.ts'
import { figure, markdownTable } from '../base/markdown.ts'
import { summarize } from '../base/quantiles.ts'
import { NeverError } from '../base/wait.ts'

export type Unit = 'ms' | 'KB' | 'KB/s' | '% of a core' | 'MB' | 'count'

/** One measure of one swarm, with all values of all runs. */
export interface Measure {
  readonly name: string
  readonly swarm: 'hosts' | 'processes'
  readonly nodes: number
  readonly unit: Unit
  /** Upper bound; undefined: there is no target. */
  readonly target: number | undefined
  readonly values: number[]
}

/** Collects values by name, in the order in which the names first appear. */
export class Measures {
  readonly #all = new Map<string, Measure>()

  /**
   * Adds a value.
   * @throws {NeverError} if the value is Infinity, after recording it.
   */
  add(swarm: Measure['swarm'], nodes: number, name: string, unit: Unit, value: number, target?: number): void {
    const key = `${swarm} ${nodes} ${name}`
    const measure = this.#all.get(key) ?? { name, swarm, nodes, unit, target, values: [] }
    this.#all.set(key, measure)
    measure.values.push(value)
    if (value === Infinity) throw new NeverError(`${name}: never`)
  }

  get all(): Measure[] {
    return [...this.#all.values()]
  }
}

const HEADER = ['swarm', 'row', 'unit', 'n', 'median', 'p99', 'worst', 'target', 'met']

function row({ name, swarm, nodes, unit, target, values }: Measure): string[] {
  const { count, median, p99, worst } = summarize(values)
  // With fewer than a hundred values the p99 is the worst value. It must meet the target all the
  // same.
  const met = target === undefined || Number.isNaN(p99) ? '' : p99 <= target ? 'yes' : 'no'
  return [
    `${nodes} ${swarm}`,
    name,
    unit,
    String(count),
    figure(median),
    figure(p99),
    figure(worst),
    target === undefined ? '' : figure(target),
    met,
  ]
}

export function table(measures: readonly Measure[]): string {
  return markdownTable(HEADER, measures.map(row))
}

export const shown: Shown<readonly Measure[]> = {
  name: 'pool',
  document: 'docs/benchmarks.md',
  section: 'figures',
  text: table,
}
