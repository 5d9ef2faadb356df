import type { ServiceJson } from '../events/events.ts'

/** Says why a service takes no calls now, or that it lacks backups. Empty: all is well. */
export function problemOf({ replicas, primary, status, reason }: ServiceJson): string {
  if (replicas === undefined) return ''
  if (primary === undefined) return 'no primary'
  if (reason !== undefined) return `its primary does not answer: ${reason}`
  if (status === undefined) return ''
  if (status.refusal !== undefined) return `${status.refusal.code}: ${status.refusal.message}`
  const backups = status.backups.length
  return backups >= replicas - 1 ? '' : `${backups} of ${replicas - 1} backups`
}
