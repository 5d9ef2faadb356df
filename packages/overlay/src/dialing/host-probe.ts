/** A host probe shows whether anything answers at the addresses of a host. */
import { probeAddress } from '#platform/network'
import type { Address, HostProbeOutcome } from '@jel/protocol'
import type { ProbeOutcome } from '../platform/types.ts'

/**
 * No answer within this time is silence, ms. Guess: two round trips of a slow wide area. Linux
 * repeats a lost SYN only after a second. If a SYN is lost, this node asks helpers, and nothing
 * worse happens.
 */
export const hostProbeTimeout = 600

/**
 * Probes all addresses at once. Returns `accepted` if one accepts, `refused` if one refuses and
 * none is silent, and `silent` otherwise. Unroutable addresses don't count. Never rejects.
 */
export async function probeHost(addresses: readonly Address[], timeout = hostProbeTimeout): Promise<HostProbeOutcome> {
  if (addresses.length === 0) return 'silent'
  return await new Promise((resolve) => {
    const outcomes: ProbeOutcome[] = []
    for (const address of addresses) {
      void probeAddress(address, timeout).then((outcome) => {
        outcomes.push(outcome)
        if (outcome === 'accepted') resolve('accepted')
        else if (outcomes.length === addresses.length)
          resolve(outcomes.includes('silent') || !outcomes.includes('refused') ? 'silent' : 'refused')
      })
    }
  })
}
