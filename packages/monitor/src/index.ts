/**
 * The attributes of the members of a pool: constants that each member states, and values that stay
 * at the member that measures them until another member reads them.
 *
 * @packageDocumentation
 */
export { monitor, type Monitor } from './monitor.ts'
export type { Attribute, AttributeSchema } from './core/attribute.ts'
export type { Problem, Reading, ReadOptions } from './core/reading.ts'
export type { Freshness, Measured, Milliseconds, Response, Took } from './core/sensor.ts'
export type { Scalar, Value } from './expression/value.ts'
export { constantsOf, lookupOf, MONITOR_CONSTANT, type ConstantValues } from './shell/constants.ts'
export { Forecaster, type Forecast } from './forecast/forecaster.ts'
export { Expression } from './expression/expression.ts'
export type { Lookup } from './expression/evaluate.ts'
export { nearest } from './core/nearest.ts'
export { managerOf } from './core/sites.ts'
export type { SiteAggregate } from './shell/site-watches.ts'
export type { Reducer } from './core/window.ts'
export type { WatchSpec } from './core/watch-spec.ts'
export type { Watch, WatchFrom, WatchOptions } from './shell/watch.ts'
export type { MemberEvent, WatchEvent } from './shell/watch-client.ts'
export type { Allow, Permission } from './core/permissions.ts'
export {
  InvalidAttributeError,
  InvalidExpressionError,
  InvalidReadError,
  InvalidWatchError,
  MonitorClosedError,
  NoAnswerError,
} from './errors.ts'
