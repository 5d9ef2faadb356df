/** Figures of jel beside those of etcd, each with its target. */
import { figure, markdownTable } from '../base/markdown.ts'
import { quantile } from '../base/quantiles.ts'
import { isMet } from '../base/targets.ts'
import type { Store } from './group.ts'

export type Contender = 'jel' | 'etcd'

/** A bound of jel's figure. Default: there is none. */
export interface Target {
  readonly most?: number
  readonly least?: number
  /** The figure must also be as good as etcd's, if that was measured. */
  readonly beside?: boolean
}

interface Figure {
  readonly what: string
  readonly unit: string
  readonly target: Target
  readonly values: Partial<Record<Contender, number>>
}

export class Figures {
  /** Rows that could not be measured, with the reason. */
  readonly failures: string[] = []
  readonly #all = new Map<string, Figure>()
  readonly #isJelMeasured: boolean

  /**
   * `isJelMeasured`: this run measures jel, so a target without a figure of jel counts as missed.
   */
  constructor(isJelMeasured: boolean) {
    this.#isJelMeasured = isJelMeasured
  }

  add(contender: Contender, what: string, unit: string, value: number, target: Target = {}): void {
    const { values, ...known } = this.#all.get(what) ?? { target: {}, values: {} }
    // etcd may add a row first. The target of some rows comes only from jel's call.
    this.#all.set(what, { what, unit, target: { ...known.target, ...target }, values: { ...values, [contender]: value } })
    console.error(`${contender}: ${what}: ${figure(value)} ${unit}`)
  }

  /** Adds the median and the 99th percentile: with fewer than a hundred values, the worst one. */
  addTimes(contender: Contender, what: string, times: readonly number[], p50: Target = {}, p99: Target = {}): void {
    this.add(contender, `${what}: p50`, 'ms', quantile(times, 0.5), p50)
    this.add(contender, `${what}: ${times.length < 100 ? `worst of ${times.length}` : 'p99'}`, 'ms', quantile(times, 0.99), p99)
  }

  /**
   * Measures something. A failure must not hide other rows: their figures stand, and the targets of
   * missing ones are missed.
   */
  async attempt(contender: Contender, act: () => Promise<void>): Promise<void> {
    try {
      await act()
    } catch (error) {
      this.failures.push(`${contender}: ${error instanceof Error ? error.message : String(error)}`)
      console.error(this.failures.at(-1))
    }
  }

  /** True if no target is missed, and all could be measured. */
  get hold(): boolean {
    const all = [...this.#all.values()]
    return all.length > 0 && this.failures.length === 0 && all.every((each) => this.#verdict(each) !== 'missed')
  }

  table(): string {
    return markdownTable(
      ['what', 'jel', 'etcd', 'target', ''],
      [...this.#all.values()].map((each) => [
        each.what,
        shown(each.values.jel, each.unit),
        shown(each.values.etcd, each.unit),
        bounds(each),
        this.#verdict(each),
      ]),
    )
  }

  #verdict(each: Figure): '' | 'holds' | 'missed' {
    const { most, least } = boundsOf(each)
    if (!this.#isJelMeasured || (most === Infinity && least === -Infinity)) return ''
    return isMet({ value: each.values.jel ?? Number.NaN, most, least }) ? 'holds' : 'missed'
  }
}

export function place(seats: number, store: Store): string {
  return `${seats} voters, ${store === 'memory' ? 'in memory' : 'synced'}`
}

function shown(value: number | undefined, unit: string): string {
  if (value === undefined) return ''
  const number = Number.isInteger(value) ? `${value}` : figure(value)
  return value === Infinity ? number : `${number} ${unit}`.trim()
}

/** The bounds that hold for this figure: also etcd's own figure, if that counts. */
function boundsOf({ target: { most, least, beside }, values: { etcd } }: Figure): { readonly most: number; readonly least: number } {
  const isBeside = beside === true && etcd !== undefined
  return {
    most: Math.min(most ?? Infinity, isBeside && least === undefined ? etcd : Infinity),
    least: Math.max(least ?? -Infinity, isBeside && least !== undefined ? etcd : -Infinity),
  }
}

function bounds(each: Figure): string {
  const { most, least } = boundsOf(each)
  if (least !== -Infinity) return `≥ ${shown(least, each.unit)}`
  return most === Infinity ? '' : `≤ ${shown(most, each.unit)}`
}
