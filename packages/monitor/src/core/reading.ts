import type { Measured, Milliseconds, Response } from './sensor.ts'

/** Why an attribute has no value. */
export interface Problem {
  /**
   * `NO_ATTRIBUTE`: the member has no attribute of this name. `NO_VALUE`: nothing was measured yet.
   * `NO_ANSWER`: the measurement took too long. `SENSOR_FAILED`: it failed. `CANCELLED`: a reader
   * cancelled it. `DENIED`: the member does not let this one read it.
   */
  readonly code: 'NO_ATTRIBUTE' | 'NO_VALUE' | 'NO_ANSWER' | 'SENSOR_FAILED' | 'CANCELLED' | 'DENIED'
  readonly message: string
}

/** The answer for one attribute: a value or a problem. */
export type Reading = { readonly name: string; readonly unit: string } & (
  | (Measured & { readonly problem?: undefined })
  | { readonly problem: Problem; readonly value?: undefined }
)

/** How a member reads attributes. */
export interface ReadOptions {
  /** Default: `cached`. */
  readonly response?: Response | undefined
  /** Measures again below this quality, from 0 to 100. Default: `ttl` decides. */
  readonly quality?: number | undefined
  /** Gives up waiting for a measurement after this time, ms. Default: 5,000. */
  readonly timeout?: Milliseconds | undefined
  /** Also ends a measurement that took too long, if nobody else waits for it. Default: no. */
  readonly cancel?: boolean | undefined
}
