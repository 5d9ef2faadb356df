/**
 * The meaning of libp2p's dial errors, for the protocol and for people.
 */
import type { DialFailure } from '@jel/protocol'
import type { Multiaddr } from '@multiformats/multiaddr'
import { codeOf, reasonOf } from '../base/errors.ts'

/** Returns the reason why the look-up of a name failed, if that caused the error. */
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

/** Error codes of getaddrinfo and of DNS queries (https://nodejs.org/api/dns.html#error-codes). */
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

/** Whether libp2p's error says that this node itself refused the connection to the peer. */
export function isIntercepted(error: unknown): boolean {
  const causes: readonly unknown[] = error instanceof AggregateError ? error.errors : [error]
  return causes.some((cause) => cause instanceof Error && cause.name === 'ConnectionInterceptedError')
}

/** Returns the id that answered instead, from the error of @chainsafe/libp2p-noise. */
export function theirId(error: unknown): string {
  const [, id] = /identity key (\w+) does not match/u.exec(reasonOf(error)) ?? []
  return id === undefined ? '' : `, ${id}`
}

const silences = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'])

/** Returns the failure that the error of a dial shows. `late`: the failure if the time ran out. */
export function classify(error: unknown, late: DialFailure | undefined): DialFailure {
  // A DNS address may stand for several addresses.
  if (error instanceof AggregateError && error.errors.length > 0) return summarize(error.errors.map((each) => classify(each, late)))
  // libp2p raises this error in the handshake.
  if (error instanceof Error && error.name === 'InvalidPeerIdError') return 'self'
  const code = codeOf(error)
  // A DNS query can cause this code, too. Then a name server refused, and not the peer.
  if (code === 'ECONNREFUSED' && (error as NodeJS.ErrnoException).syscall?.startsWith('query') !== true) return 'refused'
  const message = reasonOf(error)
  // The message is that of @libp2p/tcp.
  if ((code !== undefined && silences.has(code)) || message.includes('Connection timeout after')) return 'silent'
  if (late !== undefined) return late
  // The message is that of @chainsafe/libp2p-noise.
  if (message.includes('does not match expected remote identity key')) return 'impostor'
  return 'failed'
}

/**
 * If several addresses failed, the outcome that comes first in this list counts. The list begins
 * with outcomes of a living peer: one stale address must never lead to a death.
 */
const weight: readonly DialFailure[] = ['unresponsive', 'failed', 'silent', 'impostor', 'self', 'refused']

export function summarize(failures: readonly DialFailure[]): DialFailure {
  return weight.find((failure) => failures.includes(failure)) ?? 'failed'
}
