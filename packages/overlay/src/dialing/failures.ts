/**
 * What an error of libp2p says of a dial: what the protocol makes of it, and what people do.
 */
import type { DialFailure } from '@jel/protocol'
import type { Multiaddr } from '@multiformats/multiaddr'
import { codeOf, reasonOf } from '../base/errors.ts'

/** How a name could not be turned into an address, where that is what went wrong. */
export function explainLookup(address: Multiaddr, error: unknown): string | undefined {
  const host = address.getComponents().find(({ name }) => name.startsWith('dns'))
  if (host?.value === undefined) return undefined
  const isDnsaddr = host.name === 'dnsaddr'
  const causes: readonly unknown[] = error instanceof AggregateError ? error.errors : [error]
  if (isDnsaddr && causes.some((cause) => cause instanceof Error && cause.name === 'NoValidAddressesError'))
    return `the TXT records of _dnsaddr.${host.value} name no address of this peer that can be dialled`
  const code = causes.map(codeOf).find((each) => each !== undefined && lookupFailures.has(each))
  if (code === undefined) return undefined
  return isDnsaddr
    ? `_dnsaddr.${host.value} has no TXT record that can be read (${code})`
    : `the name ${host.value} can't be resolved (${code})`
}

/** What getaddrinfo and queries of DNS end with (https://nodejs.org/api/dns.html#error-codes). */
const lookupFailures = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENODATA',
  'ESERVFAIL',
  'EREFUSED',
  'ETIMEOUT',
  'ECONNREFUSED',
  'ENONAME',
  'EBADRESP',
])

/** Whether this node itself does not want to be connected with that peer, as libp2p says it. */
export function isIntercepted(error: unknown): boolean {
  const causes: readonly unknown[] = error instanceof AggregateError ? error.errors : [error]
  return causes.some((cause) => cause instanceof Error && cause.name === 'ConnectionInterceptedError')
}

/** Who answered instead, as @chainsafe/libp2p-noise says it. */
export function theirId(error: unknown): string {
  const [, id] = /identity key (\w+) does not match/u.exec(reasonOf(error)) ?? []
  return id === undefined ? '' : `, ${id}`
}

const silences = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'])

/** `late`: what it is when time ran out. */
export function classify(error: unknown, late: DialFailure | undefined): DialFailure {
  // One address may stand for several (DNS).
  if (error instanceof AggregateError && error.errors.length > 0) return summarize(error.errors.map((each) => classify(each, late)))
  if (error instanceof Error && error.name === 'InvalidPeerIdError') return 'self' // libp2p, in the handshake
  const code = codeOf(error)
  // Of a name server, and not of the peer, if it is not that of a connect.
  if (code === 'ECONNREFUSED' && (error as NodeJS.ErrnoException).syscall?.startsWith('query') !== true) return 'refused'
  const message = reasonOf(error)
  if ((code !== undefined && silences.has(code)) || message.includes('Connection timeout after')) return 'silent' // @libp2p/tcp
  if (late !== undefined) return late
  if (message.includes('does not match expected remote identity key')) return 'impostor' // @chainsafe/libp2p-noise
  return 'failed'
}

/** Of several addresses the one that speaks most for a living peer counts: a death must never follow from one stale address. */
const weight: readonly DialFailure[] = ['unresponsive', 'failed', 'silent', 'impostor', 'self', 'refused']

export function summarize(failures: readonly DialFailure[]): DialFailure {
  return weight.find((failure) => failures.includes(failure)) ?? 'failed'
}
