import type { Acceptance, Accepted } from '../core/acceptance.ts'
import type { PlacedProgram } from '../executors/container.ts'
import { DEFAULT_ACCEPT, type ComputeOptions } from '../options.ts'

/**
 * Maximum number of owners that a member names, and the characters of each id that it states.
 * Others need them to explain why a job waits, and to judge whether it can run anywhere. A guess:
 * all constants of a member take 512 bytes at most.
 */
const [MAX_OWNERS, ID_END] = [8, 8]
const [SANDBOX, ANYBODY, MORE, VOTED] = [1, 2, 4, 8]
/** The words that name no owner. */
const WORDS = ['sandbox', 'voted', 'members']

/** @param self the owner of the member's own jobs */
export function acceptanceOf(accept: readonly string[] = DEFAULT_ACCEPT, self: string): Acceptance {
  const owners = accept.filter((word) => !WORDS.includes(word)).map((word) => (word === 'own' ? self : word))
  return {
    sandbox: accept.includes('sandbox'),
    voted: accept.includes('voted'),
    anybody: accept.includes('members'),
    owners: owners.slice(0, MAX_OWNERS).map((owner) => owner.slice(-ID_END)),
    more: owners.length > MAX_OWNERS,
  }
}

export function encodeAcceptance({ sandbox, voted, anybody, owners, more }: Acceptance): Uint8Array {
  const flags = (sandbox ? SANDBOX : 0) + (anybody ? ANYBODY : 0) + (more ? MORE : 0) + (voted ? VOTED : 0)
  return Uint8Array.of(flags, ...new TextEncoder().encode(owners.join('\n')))
}

/** Returns undefined for a member of an earlier release, which does not state its acceptance. */
export function readAcceptance(bytes: Uint8Array): Acceptance | undefined {
  const [flags] = bytes
  if (flags === undefined) return undefined
  const text = new TextDecoder().decode(bytes.subarray(1))
  const owners = text.split('\n', MAX_OWNERS).filter((end) => end !== '')
  return { sandbox: (flags & SANDBOX) > 0, voted: (flags & VOTED) > 0, anybody: (flags & ANYBODY) > 0, owners, more: (flags & MORE) > 0 }
}

/**
 * Returns the place where a member may run a job's tasks; undefined if it may not run them.
 *
 * @param self the owner of the member's own jobs
 */
export function placeOf(
  { owner, trusted, votes = 1 }: Accepted,
  { workers = 0, accept = DEFAULT_ACCEPT }: ComputeOptions,
  self: string,
): PlacedProgram['place'] | undefined {
  if (workers === 0) return undefined
  if (accept.some((word) => word === 'members' || (word === 'own' ? owner === self : word === owner))) return 'own'
  return (accept.includes('sandbox') || (accept.includes('voted') && votes > 1)) && !trusted ? 'sandbox' : undefined
}
