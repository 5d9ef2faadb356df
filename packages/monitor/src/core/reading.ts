import type { Measured, Milliseconds, Response } from './sensor.ts'

/** Why an attribute has no value. */
export interface Problem {
  /**
   * `NO_ATTRIBUTE`: the member has no attribute of this name. `NO_VALUE`: nothing was measured yet.
   * `NO_ANSWER`: the measurement took too long. `SENSOR_FAILED`: the measurement failed.
   * `CANCELLED`: a reader cancelled the measurement. `DENIED`: the reader may not see the
   * attribute.
   */
  readonly code: 'NO_ATTRIBUTE' | 'NO_VALUE' | 'NO_ANSWER' | 'SENSOR_FAILED' | 'CANCELLED' | 'DENIED'
  readonly message: string
}

/** The answer for one attribute: a value or a problem. */
export type Reading = { readonly name: string; readonly unit: string } & (
  | (Measured & { readonly problem?: undefined })
  | { readonly problem: Problem; readonly value?: undefined }
)

/** The options of a read. */
export interface ReadOptions {
  /** Default: `cached`. */
  readonly response?: Response | undefined
  /**
   * Measures again if the quality of the last value is lower, from 0 to 100. Default: `ttl`
   * decides.
   */
  readonly quality?: number | undefined
  /** Waits for a measurement for at most this time, ms. Default: 5,000. */
  readonly timeout?: Milliseconds | undefined
  /**
   * Also ends a measurement that takes longer than `timeout`, if no other reader waits for it.
   * Default: no.
   */
  readonly cancel?: boolean | undefined
}
