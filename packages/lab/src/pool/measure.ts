/** One kind of figure: the measure, the swarm, and all values of all runs. */
export type Unit = 'ms' | 'KB' | 'KB/s' | '% of a core' | 'MB' | 'count'

export interface Measure {
  readonly name: string
  readonly swarm: 'hosts' | 'processes'
  readonly nodes: number
  readonly unit: Unit
  /** Upper bound, where there is a target. */
  readonly target: number | undefined
  readonly values: number[]
}

/**
 * An event never happened, so further measurements of the same swarm would only time out as well.
 */
export class NeverError extends Error {}

/** Collects values under their names, in the order in which the names first came up. */
export class Measures {
  readonly #all = new Map<string, Measure>()

  /**
   * Adds a value.
   * @throws {NeverError} on a value that never came, after recording it.
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
