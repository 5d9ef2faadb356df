import { availableParallelism } from 'node:os'

export interface Progress {
  /** Since the start of the first run, ms. */
  readonly elapsed: number
  /** How much of the virtual time of all runs has passed, 0 to 1. */
  readonly share: number
  readonly runs: number
  /** Of those that ended: how long each took, ms. */
  readonly took: readonly number[]
  /** Default: one a processor. */
  readonly workers?: number | undefined
}

/**
 * Before so much has passed nothing is said: the first moments, in which all nodes start, cost many times what the others do. Measured: 100 nodes of
 * rack-failure, four seeds, 50 s in all: 15 minutes were left at 0.3 %, 48 s at 6 %.
 */
const LEAST_SHARE = 0.05
/** In this share of what is left an estimate that has changed is what is shown. A guess. */
const CORRECTION = 1 / 8

/**
 * How long it will still take, ms; undefined where that can't be said yet. A second of virtual time costs much while a pool forms and little while it rests, so the
 * speed of the last moments says nothing. Runs that ended say most: the others take as long as they.
 */
export function timeToGo({ elapsed, share, runs, took, workers = availableParallelism() }: Progress): number | undefined {
  if (took.length === 0 && share < LEAST_SHARE) return undefined
  if (took.length === 0) return (elapsed * (1 - share)) / share
  const mean = took.reduce((sum, each) => sum + each, 0) / took.length
  return ((1 - share) * runs * mean) / Math.min(workers, runs)
}

/** What is shown of estimates that come again and again: time passes, and what else they change comes bit by bit. */
export class Countdown {
  #left: number | undefined
  #at = 0

  /** All in ms. */
  show(estimate: number | undefined, now: number): number | undefined {
    const passed = now - this.#at
    this.#at = now
    if (estimate === undefined || this.#left === undefined) return (this.#left = estimate)
    const expected = Math.max(0, this.#left - passed)
    const weight = 1 - Math.exp(-passed / Math.max(estimate * CORRECTION, 1))
    return (this.#left = expected + (estimate - expected) * weight)
  }
}

/** `20s`, `3m20s`, `1h05m`. */
export function writeTimeToGo(ms: number | undefined): string {
  if (ms === undefined) return '?'
  const seconds = Math.ceil(ms / 1_000)
  if (seconds < 60) return `${seconds}s`
  const padded = (value: number): string => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes}m${padded(seconds % 60)}s` : `${Math.floor(minutes / 60)}h${padded(minutes % 60)}m`
}
