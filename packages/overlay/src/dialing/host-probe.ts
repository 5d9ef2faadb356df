/**
 * A host probe shows whether anything answers at an address. It is a bare TCP connect that this
 * node closes at once. It costs the other process next to nothing. It works even while that process
 * is stopped, since the kernel answers.
 */
import { connect, isIPv6 } from 'node:net'
import type { Address, HostProbeOutcome } from '@jel/protocol'
import { tcpEndpoint } from '../base/addresses.ts'
import { codeOf } from '../base/errors.ts'
import { lookUp } from '../host/lookups.ts'

/**
 * No answer within this time is silence, ms. Guess: two round trips of a slow wide area. Linux
 * repeats a lost SYN only after a second. If a SYN is lost, this node asks helpers, and nothing
 * worse happens.
 */
const hostProbeTimeout = 600

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

/**
 * `unroutable`: this machine has no IPv6, or no route for it. That shows nothing about a host that
 * has other addresses.
 */
export type ProbeOutcome = HostProbeOutcome | 'unroutable'

const routeless = new Set(['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/** Probes one address. An address that TCP can't connect to is silent. */
export async function probeAddress(address: Address, timeout = hostProbeTimeout): Promise<ProbeOutcome> {
  const endpoint = tcpEndpoint(address)
  if (!endpoint) return 'silent'
  return await new Promise((resolve) => {
    let isOver = false
    const socket = connect({ ...endpoint, lookup: lookUp(() => !isOver) })
    // If this process was busy, an answer may wait behind this timer. The event loop polls for
    // answers before it runs the immediate.
    const timer = setTimeout(() => setImmediate(finish, 'silent'), timeout)
    const finish = (outcome: ProbeOutcome): void => {
      isOver = true
      clearTimeout(timer)
      // A reset leaves nothing behind on either side. An orderly close would.
      if (outcome === 'accepted') socket.resetAndDestroy()
      else socket.destroy()
      resolve(outcome)
    }
    socket.once('connect', () => finish('accepted'))
    socket.on('error', (error) => {
      const code = codeOf(error) ?? ''
      if (code === 'ECONNREFUSED') finish('refused')
      else finish(isIPv6(endpoint.host) && routeless.has(code) ? 'unroutable' : 'silent')
    })
  })
}
