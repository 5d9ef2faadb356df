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
 * How long it will still take, ms; undefined where that can't be said yet. A second of virtual time costs much while a pool forms and little while it rests, so the
 * speed of the last moments says nothing. Runs that ended say most: the others take as long as they.
 */
export function timeToGo({ elapsed, share, runs, took, workers = availableParallelism() }: Progress): number | undefined {
  if (share <= 0) return undefined
  if (took.length === 0) return (elapsed * (1 - share)) / share
  const mean = took.reduce((sum, each) => sum + each, 0) / took.length
  return ((1 - share) * runs * mean) / Math.min(workers, runs)
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
