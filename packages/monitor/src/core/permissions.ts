import type { Milliseconds } from './sensor.ts'
import type { ParsedWatch } from './watch-spec.ts'

/**
 * The values that a member may see. `all`: all values. `summary`: only means and counts of long
 * windows. `none`: no values.
 */
export type Permission = 'all' | 'summary' | 'none'
/** Decides what a member may see of an attribute. */
export type Allow = (asked: { readonly member: string; readonly attribute: string }) => Permission

/** The name of an attribute that a member may not see. */
export interface Denied {
  readonly denied: string
}

/**
 * A window of at least this length is a summary, ms. The value is that of the paper on the Grid
 * Monitoring Architecture (GMA): members outside a site see means of ten minutes.
 */
const SUMMARY: Milliseconds = 600_000

/**
 * Returns the watch that a member gets, or the attribute that it may not see.
 *
 * @param site whether the member wants aggregates of the whole site
 */
export function permitted(spec: ParsedWatch, member: string, allow: Allow, site: boolean): ParsedWatch | Denied {
  const permissions = spec.attributes.map((attribute) => allow({ member, attribute }))
  const isEnough = (permission: Permission): boolean => permission === 'all' || (permission === 'summary' && !site && isSummaryOf(spec))
  const denied = spec.attributes[permissions.findIndex((permission) => !isEnough(permission))]
  return denied === undefined ? { ...spec, isSummary: permissions.includes('summary') } : { denied }
}

/** Nobody can infer a single value from means and counts of a long time. */
function isSummaryOf({ over = 0, reduce }: ParsedWatch): boolean {
  return over >= SUMMARY && (reduce === 'mean' || reduce === 'count')
}
