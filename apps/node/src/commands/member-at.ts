import type { Member } from '@jel/jel'
import { CommandError } from '../base/usage-error.ts'

/**
 * Returns the member whose id has this end. Short ids are printed with `…` before them.
 *
 * @throws CommandError if no member has such an id, or several have
 */
export function memberAt(members: readonly Member[], end: string): Member {
  const [found, other] = members.filter(({ id }) => id.endsWith(end.replace('…', '')))
  if (found === undefined) throw new CommandError('INVALID_COMMAND', `no member has an id that ends with ${JSON.stringify(end)}`)
  if (other !== undefined) throw new CommandError('INVALID_COMMAND', `several members have ids that end with ${JSON.stringify(end)}`)
  return found
}
