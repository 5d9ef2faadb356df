import { DEFAULT_ACCEPT } from '../options.ts'

/**
 * Maximum number of owners that a member names, and the characters of each id that it states. They
 * only help to explain why a job waits. A guess: all constants of a member take 512 bytes at most.
 */
const [MAX_OWNERS, ID_END] = [8, 8]
const [SANDBOX, ANYBODY, MORE] = [1, 2, 4]

/** The programs that a member with workers runs. */
export interface Acceptance {
  /** Programs that a sandbox can run, of all owners. */
  readonly sandbox: boolean
  /** All programs of all owners. */
  readonly anybody: boolean
  /** The member runs all programs of the owners whose ids have these ends. */
  readonly owners: readonly string[]
  /** Whether the member accepts more owners, which it does not name. */
  readonly more: boolean
}

/** @param self the owner of the member's own jobs */
export function acceptanceOf(accept: readonly string[] = DEFAULT_ACCEPT, self: string): Acceptance {
  const owners = accept.filter((word) => word !== 'sandbox' && word !== 'members').map((word) => (word === 'own' ? self : word))
  return {
    sandbox: accept.includes('sandbox'),
    anybody: accept.includes('members'),
    owners: owners.slice(0, MAX_OWNERS).map((owner) => owner.slice(-ID_END)),
    more: owners.length > MAX_OWNERS,
  }
}

export function encodeAcceptance({ sandbox, anybody, owners, more }: Acceptance): Uint8Array {
  const flags = (sandbox ? SANDBOX : 0) + (anybody ? ANYBODY : 0) + (more ? MORE : 0)
  return Uint8Array.of(flags, ...new TextEncoder().encode(owners.join('\n')))
}

/** Returns undefined for a member of an earlier release, which does not state its acceptance. */
export function readAcceptance(bytes: Uint8Array): Acceptance | undefined {
  const [flags] = bytes
  if (flags === undefined) return undefined
  const owners = new TextDecoder().decode(bytes.subarray(1)).split('\n').slice(0, MAX_OWNERS)
  return { sandbox: (flags & SANDBOX) > 0, anybody: (flags & ANYBODY) > 0, owners, more: (flags & MORE) > 0 }
}

/**
 * Whether a member may run the tasks of a job. True if the member does not state its acceptance.
 */
export function mayRun(
  acceptance: Acceptance | undefined,
  { owner, trusted }: { readonly owner: string; readonly trusted: boolean },
): boolean {
  if (acceptance === undefined || acceptance.anybody || acceptance.more || acceptance.owners.includes(owner.slice(-ID_END))) return true
  return acceptance.sandbox && !trusted
}
