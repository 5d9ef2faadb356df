import type { Milliseconds } from './sensor.ts'
import type { ParsedWatch } from './watch-spec.ts'

/** The part that a member may see: all values, means of windows alone, or nothing. */
export type Permission = 'all' | 'summary' | 'none'
/** Decides what a member may see of an attribute. */
export type Allow = (asked: { readonly member: string; readonly attribute: string }) => Permission

/** A window is a summary from this length on, ms. From GMA: ten-minute means for others. */
const SUMMARY: Milliseconds = 600_000

/**
 * Returns the watch that a member gets: of summaries alone if it may see no single value.
 *
 * @param site whether it wants numbers of the whole site
 * @returns the name of an attribute that it may not see, in place of a watch
 */
export function permitted(spec: ParsedWatch, member: string, allow: Allow, site: boolean): ParsedWatch | string {
  const permissions = spec.attributes.map((attribute) => allow({ member, attribute }))
  const isEnough = (permission: Permission): boolean => permission === 'all' || (permission === 'summary' && !site && isSummaryOf(spec))
  const refused = permissions.findIndex((permission) => !isEnough(permission))
  return spec.attributes[refused] ?? { ...spec, isSummary: permissions.includes('summary') }
}

/** Single values do not show in means and counts of a long time. */
function isSummaryOf({ over = 0, reduce }: ParsedWatch): boolean {
  return over >= SUMMARY && (reduce === 'mean' || reduce === 'count')
}
