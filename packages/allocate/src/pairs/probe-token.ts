import type { Amounts, Milliseconds } from '../core/calendar.ts'
import type { HolderMessage } from '../core/messages.ts'

/**
 * The name of the capacity that is the probe token of a site. The manager of the site has 1 of it.
 * Two probes at one site would disturb each other, so a member leases the token before it probes.
 */
export const PROBE = 'probe'
/** The longest term of the token, ms. A guess: a probe takes 2 s, and its holder may die. */
export const TOKEN_TIME: Milliseconds = 5000

/** Whether a message asks for the token, or changes a lease of it. `held`: the lease's amounts. */
export function isOfToken(message: HolderMessage, held: Amounts | undefined): boolean {
  if ('ask' in message) return Object.hasOwn(message.ask.amounts, PROBE)
  if ('change' in message && Object.hasOwn(message.change, PROBE)) return true
  return ('renew' in message || 'change' in message) && held !== undefined && Object.hasOwn(held, PROBE)
}

/**
 * Whether a message asks for the token in the allowed way: now, all of it, without other
 * capacities, and for a short term. A member that kept the token for longer would stop all other
 * probes of the site.
 */
export function mayHaveToken(message: HolderMessage): boolean {
  if (!('ask' in message)) return false
  const { amounts, for: term, from, background } = message.ask
  return amounts[PROBE] === 1 && Object.keys(amounts).length === 1 && term <= TOKEN_TIME && from === 0 && !background
}
